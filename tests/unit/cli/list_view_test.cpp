#include "cli/list_view.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "views_fixture.h"

using namespace clusterd::cli;
using nlohmann::json;

namespace {

constexpr Style kPlain{};

Style box(std::size_t width, Style::Colors colors = Style::Colors::off) {
  return {Style::Frame::box, colors, width};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::stringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the table has the columns PM2's users know, in their order") {
  std::string header = lines_of(render_list(json::array({instance_view(0, "web")}), box(200)))[1];
  std::size_t last = 0;
  for (const char* title : {"id", "name", "namespace", "version", "mode", "pid", "uptime", "↺", "status",
                            "cpu", "mem", "conn", "user", "watching"}) {
    std::size_t at = header.find(title, last);
    INFO(title);
    REQUIRE(at != std::string::npos);
    last = at + 1;
  }
}

TEST_CASE("piped output is one plain line per instance without frames or colours") {
  std::string text =
      render_list(json::array({instance_view(0, "web"), instance_view(1, "api", "stopped")}), kPlain);
  CHECK(lines_of(text).size() == 3);
  CHECK_FALSE(contains(text, "│"));
  CHECK_FALSE(contains(text, "\x1b"));
  CHECK(contains(text, "50.0mb"));
  CHECK(contains(text, "0.4%"));
  CHECK(contains(text, "3m"));
}

TEST_CASE("columns of plain output are aligned") {
  auto lines =
      lines_of(render_list(json::array({instance_view(0, "a"), instance_view(10, "тест-日本")}), kPlain));
  auto column = [](const std::string& line) { return display_width(line.substr(0, line.find("default"))); };
  CHECK(column(lines[1]) == column(lines[2]));
  CHECK(display_width(lines[0].substr(0, lines[0].find("namespace"))) == column(lines[1]));
}

TEST_CASE("no line is wider than the terminal, whatever its width") {
  json views = json::array(
      {instance_view(0, std::string(90, 'n')), instance_view(1, "日本語日本語日本語日本語", "errored")});
  for (std::size_t width = 36; width < 180; ++width) {
    for (const std::string& line :
         lines_of(render_table({}, {}, box(width)) + render_list(views, box(width)))) {
      INFO("width " << width << ": " << line);
      bool is_reason = contains(line, ": errored");  // a sentence may wrap, the table may not
      if (!is_reason) CHECK(display_width(line) <= width);
    }
  }
}

TEST_CASE("columns go in a fixed order, name and status stay to the end") {
  json views = json::array({instance_view(0, "web")});
  std::string wide = render_list(views, box(200));
  auto width = display_width(lines_of(wide)[0]);
  CHECK_FALSE(contains(render_list(views, box(width - 1)), "user"));
  CHECK(contains(render_list(views, box(width - 1)), "watching"));
  std::string narrow = render_list(views, box(30));
  CHECK(contains(narrow, "web"));
  CHECK(contains(narrow, "online"));
  CHECK_FALSE(contains(narrow, "uptime"));
}

TEST_CASE("open connections have a column, with a dash where nobody knows") {
  json view = instance_view(0, "web");
  CHECK(contains(lines_of(render_list(json::array({view}), kPlain))[1], "50.0mb  -     alice"));
  view["connections"] = {{"open", 3}, {"queued", 0}, {"total", 120}};
  CHECK(contains(lines_of(render_list(json::array({view}), kPlain))[1], "50.0mb  3     alice"));
}

TEST_CASE("a terminal of 80 columns has what it had before there were connections to show") {
  const std::string text = render_list(json::array({instance_view(0, "a-longer-name")}), box(80));
  for (const char* title : {"id", "name", "pid", "uptime", "↺", "status", "cpu", "mem"}) {
    INFO(title);
    CHECK(contains(text, title));
  }
}

TEST_CASE("statuses have their colours, and none without colours") {
  auto with_status = [](const char* status, Style::Colors colors) {
    return render_list(json::array({instance_view(0, "web", status)}), box(200, colors));
  };
  CHECK(contains(with_status("online", Style::Colors::on), "\x1b[32monline"));
  CHECK(contains(with_status("launching", Style::Colors::on), "\x1b[34mlaunching"));
  CHECK(contains(with_status("stopping", Style::Colors::on), "\x1b[34mstopping"));
  CHECK(contains(with_status("waiting restart", Style::Colors::on), "\x1b[33mwaiting restart"));
  CHECK(contains(with_status("errored", Style::Colors::on), "\x1b[31merrored"));
  CHECK_FALSE(contains(with_status("errored", Style::Colors::off), "\x1b"));
}

TEST_CASE("a name cannot control the terminal") {
  std::string text = render_list(json::array({instance_view(0, "a\x1b]0;x\x07\nb")}), kPlain);
  CHECK(lines_of(text).size() == 2);
  CHECK_FALSE(contains(text, "\x1b"));
}

TEST_CASE("an app that waits for a restart says why and when") {
  json view = instance_view(0, "web", "waiting restart");
  view["reason"] = "exited with code 1";
  view["next_start_ms"] = 2345;
  CHECK(contains(render_list(json::array({view}), kPlain),
                 "web.0: exited with code 1; next start in 2.3 s, restart 4\n"));
}

TEST_CASE("one line per app in trouble, however many instances") {
  json views = json::array();
  for (int i = 0; i < 5; ++i) {
    views.push_back(instance_view(i, "web", "errored"));
    views.back()["slot"] = i;
    views.back()["reason"] = "permission denied";
  }
  CHECK(render_troubles(views, kPlain) == "web.0: permission denied (and 4 more)\n");
  CHECK(render_troubles(json::array({instance_view(0, "web")}), kPlain).empty());
}

TEST_CASE("instances are sorted by name and id") {
  json views = json::array({instance_view(7, "web"), instance_view(2, "web"), instance_view(3, "api")});
  auto sorted = sorted_instances(views);
  CHECK(sorted[0]["id"] == 3);
  CHECK(sorted[1]["id"] == 2);
  CHECK(sorted[2]["id"] == 7);
}

TEST_CASE("without a process the uptime is 0 and nothing is measured") {
  json view = instance_view(0, "web", "stopped");
  CHECK(uptime_text(view) == "0");
  CHECK(cpu_text(view) == "0%");
  view["pid"] = 1;
  view["cpu"] = nullptr;
  CHECK(cpu_text(view) == "-");
}

TEST_CASE("views of another daemon version are shown as far as they go") {
  for (const char* text : {R"([{}])", R"([{"id":"x","name":3,"status":null,"memory":-1,"uptime_ms":"a"}])",
                           R"([1,null])", R"({"a":1})", "null", R"([{"name":"a","id":1e300}])"}) {
    INFO(text);
    CHECK_FALSE(render_list(json::parse(text), kPlain).empty());
  }
}
