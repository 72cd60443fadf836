#include "cli/describe_view.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/small_views.h"
#include "views_fixture.h"

using namespace clusterd::cli;
using nlohmann::json;

namespace {
bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
}  // namespace

TEST_CASE("describe shows settings, listeners and instances") {
  json view = instance_view(7, "web", "waiting restart");
  view["reason"] = "exited with code 1";
  view["exit"] = {{"code", 1}};
  json app{{"spec", {{"name", "web"}, {"args", {"a b", ""}}, {"future_key", 3}}},
           {"listeners", json::array({{{"address", "*:3000"}, {"source", "bind"}}})},
           {"generation", 3},
           {"instances", json::array({view})}};
  std::string text = render_describe(json::array({app}), {});
  CHECK(contains(text, "App web\n"));
  CHECK(contains(text, "\"a b\" \"\""));  // arguments stay distinguishable
  CHECK(contains(text, "future_key"));
  CHECK(contains(text, "*:3000"));
  CHECK(contains(text, "Instance 0 (id 7)\n"));
  CHECK(contains(text, "code 1"));
}

TEST_CASE("describe shows what came of the balance, for the app, each address and each instance") {
  json view = instance_view(7, "web");
  view["connections"] = {{"open", 3}, {"queued", 0}, {"total", 120}};
  json app{{"spec", {{"name", "web"}, {"balance", "auto"}}},
           {"balance", "least_conn"},
           {"balance_reason", "the kernel allows it"},
           {"listeners", json::array({{{"address", "unix:/run/x"},
                                       {"source", "declared"},
                                       {"balance", "shared"},
                                       {"balance_reason", "the kernel has no groups of unix sockets"}}})},
           {"instances", json::array({view})}};
  std::string text = render_describe(json::array({app}), {});
  CHECK(contains(text, "balance            least_conn (the kernel allows it)\n"));
  CHECK(contains(text, "declared, shared (the kernel has no groups of unix sockets)\n"));
  CHECK(contains(text, "connections        3 open, 120 total, 0 waiting\n"));
  app["spec"]["balance"] = "round_robin";
  app["balance"] = "random";
  CHECK(contains(render_describe(json::array({app}), {}), "random instead of round_robin (the kernel"));
  app.erase("balance");  // a daemon of an earlier version
  CHECK(contains(render_describe(json::array({app}), {}), "balance            round_robin\n"));
}

TEST_CASE("describe has the words PM2's users look for") {
  json app{{"spec", {{"name", "web"}}}, {"instances", json::array({instance_view(7, "web")})}};
  const std::string text = render_describe(json::array({app}), {});
  for (const char* line :
       {"version            1.2.3", "script path        /srv/web/server", "script args        --port 3000",
        "out log path       /l/web-out.log", "error log path     /l/web-error.log",
        "pid path           /p/web.pid", "interpreter        none", "exec cwd           /srv/web",
        "exec mode          cluster", "watch & reload     disabled",
        "created at         2026-05-28T20:26:40.000Z", "cron restart       0 4 * * *"}) {
    INFO(line << " in\n" << text);
    CHECK(contains(text, line));
  }
}

TEST_CASE("describe survives whatever the daemon sends") {
  for (const char* text : {"null", "[]", "[{}]", R"([{"spec":1,"listeners":{},"instances":[null]}])"}) {
    INFO(text);
    std::string shown = render_describe(json::parse(text), {});
    CHECK(shown.find('\x1b') == std::string::npos);
  }
}

TEST_CASE("doctor marks every check and shows the hint") {
  json checks =
      json::array({{{"name", "seccomp"}, {"ok", true}, {"detail", "there"}},
                   {{"name", "cgroup"}, {"ok", false}, {"detail", "read-only"}, {"hint", "delegate"}}});
  CHECK(render_doctor(checks, {}) == "ok    seccomp  there\nwarn  cgroup   read-only\n      delegate\n");
}
