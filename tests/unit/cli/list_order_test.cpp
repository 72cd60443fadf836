#include "cli/list_order.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/diff_view.h"
#include "views_fixture.h"

using namespace clusterd::cli;
using nlohmann::json;

TEST_CASE("instances are sorted by text or number, both ways, equal ones as they were") {
  std::vector<json> list{{{"name", "b"}, {"id", 0}, {"cpu", 1.5}},
                         {{"name", "a"}, {"id", 1}, {"cpu", nullptr}},
                         {{"name", "b"}, {"id", 2}, {"cpu", 10}}};
  const auto ids = [&](const char* field, bool descending) {
    std::vector<json> sorted = list;
    sort_instances(sorted, field, descending);
    std::vector<int> result;
    for (const json& one : sorted) result.push_back(one["id"]);
    return result;
  };
  CHECK(ids("name", false) == std::vector<int>{1, 0, 2});
  CHECK(ids("name", true) == std::vector<int>{0, 2, 1});
  CHECK(ids("cpu", true) == std::vector<int>{2, 0, 1});
  CHECK(ids("id", true) == std::vector<int>{2, 1, 0});
}

TEST_CASE("the mini list is a block of lines for each instance") {
  const std::string text = render_mini_list({instance_view(0, "web"), instance_view(1, "api")});
  CHECK(text.find("+--- web\n") == 0);
  CHECK(text.find("+--- api\n") != std::string::npos);
  CHECK(text.find("pm2 id : 1\n") != std::string::npos);
}

TEST_CASE("a diff names each app and each setting, and lets nothing reach the terminal") {
  const json apps = json::array(
      {{{"name", "web"},
        {"namespace", "default"},
        {"outcome", "reloaded"},
        {"changes",
         {{{"key", "args"}, {"from", nullptr}, {"to", {"\x1b[2J"}}},
          {{"key", "env.A"}, {"kind", "removed"}}}}},
       {{"name", "same"}, {"namespace", "n"}, {"outcome", "already_running"}, {"changes", json::array()}}});
  const std::string text = render_diff(apps, Style{});
  CHECK(text.find("~ web would be reloaded\n    args: (default) -> [") == 0);
  CHECK(text.find("    env.A removed\n= n/same is as the file says\n") != std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
}
