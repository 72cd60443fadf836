#include "cli/balance_view.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "views_fixture.h"

using namespace clusterd::cli;
using nlohmann::json;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

json counted(int slot, json open, json total, const char* status = "online") {
  json view = instance_view(slot, "web", status);
  view["slot"] = slot;
  if (view["pid"].is_number()) view["pid"] = 4712 + slot;
  view["connections"] = {{"open", std::move(open)}, {"queued", 0}, {"total", std::move(total)}};
  return view;
}

json app_of(std::vector<json> instances) {
  return {
      {"name", "web"},
      {"namespace", "default"},
      {"spec", {{"name", "web"}, {"exec_mode", "cluster"}}},
      {"balance", "least_conn"},
      {"balance_reason", "the kernel allows it"},
      {"listeners",
       json::array(
           {{{"address", "*:3000"}, {"balance", "least_conn"}, {"balance_reason", "the kernel allows it"}}})},
      {"instances", json(std::move(instances))}};
}

std::string shown(const json& app, const Style& style = {}) {
  return render_balance(json::array({app}), style);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::stringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("max over mean is 1 for an even spread and the number of instances for the worst") {
  CHECK(max_over_mean({5, 5, 5}) == Approx(1));
  CHECK(max_over_mean({9, 0, 0}) == Approx(3));
  CHECK(max_over_mean({3, 1}) == Approx(1.5));
  CHECK_FALSE(max_over_mean({}));
  CHECK_FALSE(max_over_mean({0, 0}));
}

TEST_CASE(
    "one row an instance: pid, open with a bar, total with its share; then the balance and how even it is") {
  const auto lines = lines_of(shown(app_of({counted(0, 4, 60), counted(1, 2, 40), counted(2, 0, 0)})));
  REQUIRE(lines.size() == 5);
  CHECK(contains(lines[1], "web.0  4712"));
  CHECK(contains(lines[1], "4 " + std::string(30, '#')));
  CHECK(contains(lines[1], "60 (60%)"));
  CHECK(contains(lines[2], "2 " + std::string(15, '#') + "  "));
  CHECK_FALSE(contains(lines[3], "#"));
  CHECK(contains(lines[3], "0 (0%)"));
  CHECK(lines[4] == "least_conn (the kernel allows it); max/mean 2.00 of open, 1.80 of total");
}

TEST_CASE("whoever has a connection has a bar, however short") {
  CHECK(contains(shown(app_of({counted(0, 10'000, 1), counted(1, 1, 1)})), "1 #  "));
}

TEST_CASE("one that leaves is shown, but is no part of the ratios") {
  json leaving = counted(0, 30, 300, "stopping");
  leaving["pid"] = 99;
  const std::string text = shown(app_of({leaving, counted(0, 2, 10), counted(1, 2, 10)}));
  CHECK(contains(text, "99 "));
  CHECK(contains(text, "max/mean 1.00 of open, 1.00 of total"));
}

TEST_CASE("a stopped instance has dashes") {
  json stopped = instance_view(1, "web", "stopped");
  stopped["slot"] = 1;
  const std::string text = shown(app_of({counted(0, 1, 1), stopped}));
  CHECK(contains(text, "web.1  -"));
}

TEST_CASE("on a terminal bars are blocks in the colour of the status, and no line is too wide") {
  const json app = app_of({counted(0, 7, 100), counted(1, 3, 100, "launching")});
  const std::string colored = shown(app, {Style::Frame::box, Style::Colors::on, 100});
  CHECK(contains(colored, "█"));
  CHECK(contains(colored, "\x1b[32m   7 █"));
  CHECK(contains(colored, "\x1b[34m   3 █"));
  for (std::size_t width = 24; width < 120; ++width) {
    auto lines = lines_of(shown(app, {Style::Frame::box, Style::Colors::off, width}));
    lines.pop_back();  // a sentence may wrap
    for (const std::string& line : lines) {
      INFO("width " << width << ": " << line);
      CHECK(display_width(line) <= width);
    }
  }
}

TEST_CASE("without totals it says who counts them") {
  json app = app_of({counted(0, 3, nullptr), counted(1, 1, nullptr)});
  app["listeners"][0]["balance"] = "random";
  app["listeners"][0]["balance_reason"] = "the in-kernel balancer is not usable: needs CAP_BPF";
  CHECK(contains(shown(app),
                 "random (the in-kernel balancer is not usable: needs CAP_BPF); max/mean 1.50 of open, - "
                 "of total (only the in-kernel balancer counts totals)\n"));
}

TEST_CASE("addresses with different balances are named") {
  json app = app_of({counted(0, 3, 3)});
  app["listeners"].push_back({{"address", "unix:/run/x"}, {"balance", "shared"}, {"balance_reason", "unix"}});
  CHECK(contains(shown(app),
                 "*:3000: least_conn (the kernel allows it); unix:/run/x: shared (unix); max/mean"));
}

TEST_CASE("where nothing is counted it says so and why") {
  json app = app_of({instance_view(0, "web")});
  CHECK(shown(app) == "web: nothing is counted: connections of Unix sockets cannot be counted\n");
  app["listeners"] = json::array();
  CHECK(contains(shown(app), "it has bound no TCP port"));
  app["spec"]["exec_mode"] = "fork";
  CHECK(contains(shown(app), "exec_mode \"fork\" leaves the sockets to the program"));
  app["instances"][0]["pid"] = nullptr;
  CHECK(contains(shown(app), "no instance is running"));
}

TEST_CASE("the JSON document has the counts and how even they are") {
  const json list = balance_json(json::array({app_of({counted(0, 3, 20), counted(1, 1, 20)})}));
  REQUIRE(list.size() == 1);
  CHECK(list[0]["name"] == "web");
  CHECK(list[0]["balance"] == "least_conn");
  CHECK(list[0]["max_over_mean"] == json{{"open", 1.5}, {"total", 1.0}});
  CHECK(list[0]["instances"][1]["connections"]["total"] == 20);
  CHECK(list[0]["instances"][1]["pid"] == 4713);
}

TEST_CASE("balance survives whatever the daemon sends") {
  for (
      const char* text :
      {"null", "[]", "[{}]", "[1]", R"([{"spec":1,"listeners":{},"instances":[null,{"connections":[]}]}])",
       R"([{"instances":[{"status":"online","connections":{"open":-5,"total":"x"}}],"listeners":[null]}])"}) {
    INFO(text);
    CHECK(render_balance(json::parse(text), {}).find('\x1b') == std::string::npos);
    CHECK(balance_json(json::parse(text)).is_array());
  }
}
