#include "cli/prove/prove_report.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace clusterd::cli;
using nlohmann::json;

namespace {

RoundReport round_of(Round round, int ok) {
  RoundReport report;
  report.round = round;
  for (int i = 0; i < ok; ++i) report.tally.add(Outcome::ok);
  return report;
}

ProveReport good_report() {
  ProveReport report;
  report.apps = {"web"};
  report.addresses = {"127.0.0.1:3000"};
  report.rounds = {round_of(Round::baseline, 3), round_of(Round::reload, 4)};
  report.rounds[1].events = 2;
  report.rounds[1].duration = std::chrono::milliseconds(3'949);
  return report;
}

ProveReport bad_report() {
  ProveReport report = good_report();
  FailedRequest failure{std::chrono::milliseconds(1039),
                        ClientKind::slow,
                        Outcome::truncated,
                        "127.0.0.1:3000",
                        "reload 1 of web",
                        "80 of 80 bytes of GET / HTTP/1.1",
                        "9 bytes: \x1b[2JHTTP/1",
                        "the server closed the connection"};
  report.rounds[1].tally.add_failure(failure);
  return report;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("every request kept") {
  ProveReport report = good_report();
  CHECK(verdict_of(report) == ProveVerdict::kept);
  std::string text = render_prove(report, Style{});
  CHECK(text.ends_with("verdict: kept every request (7)\n"));
  CHECK(contains(text, " 3.9 "));
  CHECK_FALSE(contains(text, "first failing request"));
  CHECK_FALSE(contains(text, "cut by kill:"));
}

TEST_CASE("a lost request is told in full, and cannot write to the terminal") {
  ProveReport report = bad_report();
  CHECK(verdict_of(report) == ProveVerdict::lost);
  std::string text = render_prove(report, Style{});
  CHECK(text.ends_with("verdict: lost 1 of 8\n"));
  for (const char* part :
       {"reload: first failing request: truncated (the server closed the connection)", "1039ms",
        "reload 1 of web", "slow, to 127.0.0.1:3000", "80 of 80 bytes of GET / HTTP/1.1", "HTTP/1"}) {
    INFO(text);
    CHECK(contains(text, part));
  }
  CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("an app that answers nothing in peace is not judged, a silent round proves nothing") {
  ProveReport report = good_report();
  report.rounds[1] = round_of(Round::reload, 0);
  CHECK(verdict_of(report) == ProveVerdict::lost);
  CHECK(contains(render_prove(report, Style{}), "no request"));
  report.rounds[0] = round_of(Round::baseline, 0);
  CHECK(verdict_of(report) == ProveVerdict::unusable);
  CHECK(contains(render_prove(report, Style{}), "verdict: none"));
}

TEST_CASE("an operation that failed is no proof although nothing was lost") {
  ProveReport report = good_report();
  report.rounds[1].error = "reload 1 of web: rolled back";
  CHECK(verdict_of(report) == ProveVerdict::lost);
  std::string text = render_prove(report, Style{});
  CHECK(contains(text, "rolled back"));
  CHECK(text.ends_with("verdict: not proven, an operation failed\n"));
}

TEST_CASE("what is forgiven is explained") {
  ProveReport report = good_report();
  FailedRequest failure;
  failure.outcome = Outcome::raced;
  report.rounds[1].tally.add_failure(failure);
  failure.outcome = Outcome::cut_by_kill;
  report.rounds[1].tally.add_failure(failure);
  std::string text = render_prove(report, Style{});
  CHECK(contains(text, "\nraced: "));
  CHECK(contains(text, "\ncut by kill: "));
  CHECK(verdict_of(report) == ProveVerdict::kept);
}

TEST_CASE("the keys of the JSON are those of docs/cli.md") {
  json document = prove_json(bad_report());
  auto keys = [](const json& object) {
    std::vector<std::string> names;
    for (const auto& [key, value] : object.items()) names.push_back(key);
    return names;
  };
  CHECK(keys(document) == std::vector<std::string>{"addresses", "apps", "cut_by_kill", "lost",
                                                   "private_network", "raced", "requests", "rounds",
                                                   "verdict"});
  CHECK(document["verdict"] == "lost");
  const json& round = document["rounds"][1];
  CHECK(keys(round) == std::vector<std::string>{"cut_by_kill", "duration_ms", "error", "events",
                                                "first_failure", "kept", "lost", "ok", "raced", "refused",
                                                "requests", "reset", "round", "timed_out", "truncated",
                                                "wrong_status"});
  CHECK(keys(round["first_failure"]) == std::vector<std::string>{"address", "at_ms", "client", "detail",
                                                                 "event", "outcome", "received", "sent"});
  CHECK(document["rounds"][0]["first_failure"].is_null());
  CHECK(document["rounds"][0]["error"].is_null());
}
