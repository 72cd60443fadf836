#include "cli/command.h"

#include <catch2/catch.hpp>

#include "captured_console.h"
#include "common/operation.h"
#include "fake_daemon.h"
#include "temp_folder.h"
#include "views_fixture.h"

using namespace clusterd;
using namespace clusterd::cli;
using nlohmann::json;

namespace {

struct Run {
  int status = -1;
  std::string out, err;
};

struct Fixture {
  TempFolder folder;
  Caller caller{folder.path(), folder.path(), {{"PATH", "/nowhere"}, {"A", "1"}}, false};

  Run run(std::vector<std::string> words) {
    auto arguments = parse_arguments(words);
    REQUIRE(arguments);
    arguments->home = folder.path();
    CapturedConsole captured(arguments->silent ? Loudness::silent : Loudness::normal);
    int status = run_command(*arguments, caller, captured.console);
    return {captured.console.exit_status(status), captured.out(), captured.err()};
  }
  std::string socket() const { return folder.at("control.sock"); }
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The table of operations is what the real daemon checks requests against.
void check_protocol(const FakeDaemon& daemon) {
  for (const json& request : daemon.requests()) {
    const Operation* operation = find_operation(request["op"].get<std::string>());
    INFO(request.dump());
    REQUIRE(operation != nullptr);
    auto checked = check_arguments(*operation, request["args"]);
    INFO((checked ? std::string() : checked.error().message));
    CHECK(checked);
  }
}

FakeAnswer answer_list(const json& request) {
  json views =
      json::array({instance_view(0, "web"), instance_view(1, "web"), instance_view(2, "api", "stopped")});
  return {{FakeDaemon::ok(request, {{"instances", views}, {"apps", 2}})}};
}

}  // namespace

TEST_CASE("without a daemon: not running, and no file is created") {
  Fixture fixture;
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"stop", "web"},
                                                                                     {"logs"},
                                                                                     {"reload", "web"},
                                                                                     {"ping"},
                                                                                     {"describe", "web"},
                                                                                     {"doctor"},
                                                                                     {"save"}}) {
    Run run = fixture.run(words);
    INFO(words[0]);
    CHECK(run.status == 5);
    CHECK(run.out.empty());
    CHECK(contains(run.err, "not running"));
  }
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"kill"}, {"stop", "all"}, {"delete", "all"}}) {
    INFO(words[0]);
    CHECK(fixture.run(words).status == 0);  // there is nothing to do
  }
  CHECK(std::filesystem::is_empty(fixture.folder.path()));
}

TEST_CASE("stop all and delete all without a daemon have nothing to do") {
  Fixture fixture;
  CHECK(fixture.run({"stop", "all"}).status == 0);
  Run run = fixture.run({"delete", "all"});
  CHECK(run.status == 0);
  CHECK(contains(run.err, "nothing is running"));
}

TEST_CASE("version and help never need the daemon") {
  Fixture fixture;
  CHECK(contains(fixture.run({"version"}).out, "clusterd "));
  CHECK(fixture.run({"--version"}).status == 0);
  CHECK(contains(fixture.run({"help", "start"}).out, "Example: clusterd start"));
  CHECK(fixture.run({"help", "strat"}).status == 2);
}

TEST_CASE("version shows the daemon's as well if one answers") {
  Fixture fixture;
  FakeDaemon daemon(fixture.socket(), answer_list, R"({"clusterd":"7.7.7","protocol":1,"pid":12})");
  CHECK(contains(fixture.run({"version"}).out, "daemon 7.7.7 (pid 12)"));
  CHECK_FALSE(contains(fixture.run({"--version"}).out, "7.7.7"));
}

TEST_CASE("jlist and list --json print one JSON document and nothing else") {
  Fixture fixture;
  FakeDaemon daemon(fixture.socket(), answer_list);
  json jlist = json::parse(fixture.run({"jlist"}).out);
  CHECK(jlist.size() == 3);
  CHECK(jlist[0]["pm2_env"]["status"] == "stopped");
  json list = json::parse(fixture.run({"list", "--json"}).out);
  CHECK(list.size() == 3);
  CHECK(list[1]["status"] == "online");
}

TEST_CASE("pid and id print what scripts expect") {
  Fixture fixture;
  FakeDaemon daemon(fixture.socket(), answer_list);
  CHECK(fixture.run({"pid", "web"}).out == "4712\n4712\n");
  CHECK(fixture.run({"id", "web"}).out == "[ 0, 1 ]\n");
  Run unknown = fixture.run({"id", "nobody"});
  CHECK(unknown.out == "[]\n");
  CHECK(unknown.status == 0);
}

TEST_CASE("env prints sorted lines, bytes that are no text included") {
  Fixture fixture;
  FakeDaemon daemon(fixture.socket(), [](const json& request) {
    return FakeAnswer{
        {FakeDaemon::ok(request, {{"env", {{"B", "2"}, {"A", "1"}, {"X", {{"$hex", "ff41"}}}}}})}};
  });
  CHECK(fixture.run({"env", "0"}).out ==
        "A=1\nB=2\nX=\xff"
        "A\n");
  CHECK(json::parse(fixture.run({"env", "0", "--json"}).out)["B"] == "2");
}

TEST_CASE("progress goes to standard error, and the summary tells the number") {
  Fixture fixture;
  FakeDaemon daemon(fixture.socket(), [](const json& request) {
    json progress{{"app", "web"}, {"text", "web.0 stopped"}, {"done", 1}, {"total", 4}};
    return FakeAnswer{
        {FakeDaemon::event(request, "progress", progress), FakeDaemon::ok(request, {{"count", 4}})}};
  });
  Run run = fixture.run({"stop", "web", "--now"});
  CHECK(run.status == 0);
  CHECK(run.out.empty());
  CHECK(run.err == "web.0 stopped (1/4)\nstopped 4 instances\n");
  CHECK(daemon.requests()[0]["args"] == json{{"targets", {"web"}}, {"now", true}, {"wait", true}});
  CHECK(fixture.run({"stop", "web", "-s"}).err.empty());
  CHECK(json::parse(fixture.run({"stop", "web", "--json"}).out)["count"] == 4);
}

TEST_CASE("a failed reload exits with 1, says why and shows the last output, made harmless") {
  Fixture fixture;
  FakeDaemon daemon(fixture.socket(), [](const json& request) {
    return FakeAnswer{{FakeDaemon::failed(request, "failed", "web.0 exited with code 1",
                                          {{"log_tail", "boom\n\x1b[2Jx"}})}};
  });
  Run run = fixture.run({"reload", "web", "-s"});
  CHECK(run.status == 1);
  CHECK(contains(run.err, "error: web.0 exited with code 1\n"));
  CHECK(contains(run.err, "  | boom\n  | \\x1b[2Jx\n"));
}

TEST_CASE("error codes of the daemon become exit statuses") {
  Fixture fixture;
  for (const auto& [code, status] : {std::pair{"failed", 1},
                                     {"usage", 2},
                                     {"config", 3},
                                     {"not_found", 4},
                                     {"conflict", 6},
                                     {"denied", 7},
                                     {"protocol", 8},
                                     {"of the future", 1}}) {
    std::filesystem::remove(fixture.socket());
    FakeDaemon daemon(fixture.socket(), [code = std::string(code)](const json& request) {
      return FakeAnswer{{FakeDaemon::failed(request, code, "no")}};
    });
    INFO(code);
    CHECK(fixture.run({"restart", "web"}).status == status);
  }
}

TEST_CASE("control verbs send the arguments of the protocol") {
  Fixture fixture;
  FakeDaemon daemon(fixture.socket(), [](const json& request) {
    return FakeAnswer{{FakeDaemon::ok(request, json::object())}};
  });
  fixture.run({"scale", "web", "-1", "--no-wait"});
  fixture.run({"sendSignal", "SIGUSR1", "web", "api"});
  fixture.run({"restart", "web", "--update-env"});
  fixture.run({"save", "--force"});
  fixture.run({"flush"});
  fixture.run({"kill"});
  auto requests = daemon.requests();
  REQUIRE(requests.size() == 6);
  CHECK(requests[0]["args"] == json{{"target", "web"}, {"count", "-1"}, {"wait", false}});
  CHECK(requests[1]["args"] == json{{"signal", "SIGUSR1"}, {"targets", {"web", "api"}}});
  CHECK(requests[2]["args"]["inherited_env"]["A"] == "1");
  CHECK(requests[3]["args"] == json{{"force", true}});
  CHECK(requests[4]["args"] == json{{"targets", json::array()}});
  CHECK(requests[5]["op"] == "kill");
}

TEST_CASE("every verb sends what the daemon accepts") {
  Fixture fixture;
  fixture.folder.write("server",
                       "\x7f"
                       "ELF",
                       0755);
  FakeDaemon daemon(fixture.socket(), answer_list);
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"start", "./server"},
                                             {"start", "web", "--update-env", "--no-wait"},
                                             {"stop", "web", "--now"},
                                             {"restart", "all"},
                                             {"reload", "web", "-a"},
                                             {"delete", "web", "--now"},
                                             {"list"},
                                             {"list", "web"},
                                             {"jlist"},
                                             {"describe", "web"},
                                             {"logs"},
                                             {"logs", "web", "--out", "--nostream"},
                                             {"scale", "web", "+2"},
                                             {"sendSignal", "10", "web"},
                                             {"reset", "all"},
                                             {"flush"},
                                             {"env", "0"},
                                             {"pid"},
                                             {"id", "web"},
                                             {"ping"},
                                             {"kill"},
                                             {"save", "-f"},
                                             {"resurrect", "--no-wait"},
                                             {"doctor"}}) {
    INFO(words[0]);
    CHECK(fixture.run(words).status == 0);
  }
  CHECK(daemon.requests().size() > 24);
  check_protocol(daemon);
}

TEST_CASE("start sends the resolved app and waits for its outcome") {
  Fixture fixture;
  fixture.folder.write("server",
                       "\x7f"
                       "ELF",
                       0755);
  FakeDaemon daemon(fixture.socket(), [](const json& request) {
    if (request["op"] == "list") return FakeAnswer{{FakeDaemon::ok(request, {{"instances", json::array()}})}};
    json app{{"name", "server"}, {"namespace", "default"}, {"outcome", "started"}};
    return FakeAnswer{{FakeDaemon::ok(request, {{"apps", json::array({app})}})}};
  });
  Run run = fixture.run({"start", "./server", "-i", "2", "--", "-p", "1"});
  CHECK(run.status == 0);
  CHECK(contains(run.err, "server: started"));
  json request = daemon.requests().back();
  CHECK(request["op"] == "start");
  CHECK(request["args"]["mode"] == "new");
  CHECK(request["args"]["wait"] == true);
  CHECK(request["args"]["apps"][0]["script"] == fixture.folder.at("server"));
  CHECK(request["args"]["apps"][0]["args"] == json{"-p", "1"});
}

TEST_CASE("logs show the end of the file up to the offset, then the events, every byte once") {
  Fixture fixture;
  std::string path = fixture.folder.write("web.log", "one\ntwo\nthr");
  FakeDaemon daemon(fixture.socket(), [&](const json& request) {
    json source{{"id", 0}, {"name", "web"}, {"stream", "out"}, {"path", path}, {"offset", 10}};
    json log{{"instance", 0}, {"name", "web"}, {"stream", "out"}, {"text", "ree\nfour\n"}};
    return FakeAnswer{{FakeDaemon::event(request, "sources", {{"sources", json::array({source})}}),
                       FakeDaemon::event(request, "log", log),
                       FakeDaemon::event(request, "dropped", {{"lines", 120}}),
                       FakeDaemon::ok(request, json::object())}};
  });
  CHECK(fixture.run({"logs", "--lines", "2"}).out ==
        "0|web      | two\n0|web      | three\n0|web      | four\n");
  CHECK(fixture.run({"logs", "--lines", "0"}).out == "0|web      | ree\n0|web      | four\n");
  CHECK(fixture.run({"logs", "--raw", "--lines", "1"}).out == "three\nfour\n");
  CHECK(contains(fixture.run({"logs"}).err, "120 lines left out"));
}

TEST_CASE("raw logs send the apps' errors to standard error") {
  Fixture fixture;
  FakeDaemon daemon(fixture.socket(), [](const json& request) {
    json out{{"instance", 0}, {"name", "web"}, {"stream", "out"}, {"text", "{\"a\":1}\n"}};
    json err{{"instance", 0}, {"name", "web"}, {"stream", "err"}, {"text", "oops\n"}};
    return FakeAnswer{{FakeDaemon::event(request, "log", out), FakeDaemon::event(request, "log", err),
                       FakeDaemon::ok(request, json::object())}};
  });
  Run run = fixture.run({"logs", "--raw"});
  CHECK(run.out == "{\"a\":1}\n");
  CHECK(run.err == "oops\n");
}

TEST_CASE("logs ask for the wanted streams and targets") {
  Fixture fixture;
  FakeDaemon daemon(fixture.socket(), [](const json& request) {
    return FakeAnswer{{FakeDaemon::ok(request, json::object())}};
  });
  fixture.run({"logs", "web", "--err", "--nostream"});
  CHECK(daemon.requests()[0]["args"] == json{{"targets", {"web"}}, {"streams", {"err"}}, {"follow", false}});
}

TEST_CASE("a log file that cannot be read is a notice, not the end") {
  Fixture fixture;
  std::string good = fixture.folder.write("good.log", "fine\n");
  FakeDaemon daemon(fixture.socket(), [&](const json& request) {
    json bad{{"id", 0}, {"name", "a"}, {"stream", "out"}, {"path", fixture.folder.path()}, {"offset", 5}};
    json missing{{"id", 1}, {"name", "b"}, {"stream", "out"}, {"path", "/nowhere/x"}, {"offset", 5}};
    json fine{{"id", 2}, {"name", "c"}, {"stream", "out"}, {"path", good}, {"offset", 5}};
    return FakeAnswer{{FakeDaemon::event(request, "sources", {{"sources", {bad, missing, fine}}}),
                       FakeDaemon::ok(request, json::object())}};
  });
  Run run = fixture.run({"logs", "--nostream"});
  CHECK(run.status == 0);
  CHECK(contains(run.out, "| fine\n"));
  CHECK(contains(run.err, fixture.folder.path()));
}

TEST_CASE("followers end when the daemon dies") {
  Fixture fixture;
  FakeDaemon daemon(fixture.socket(), [](const json&) { return FakeAnswer{{}, true}; });
  Run run = fixture.run({"logs"});
  CHECK(run.status == 5);
  CHECK(contains(run.err, "connection to the daemon lost"));
}
