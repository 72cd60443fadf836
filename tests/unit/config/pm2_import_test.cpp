#include "config/pm2_import.h"

#include <catch2/catch.hpp>

#include "app_file_fixture.h"

using namespace clusterd;
using nlohmann::json;

namespace {

// As PM2 7 writes it; `more` goes into the record itself.
json record(const std::string& name, int id, const json& more = json::object()) {
  const std::string number = std::to_string(id);
  json fields{{"name", name},
              {"namespace", "default"},
              {"pm_exec_path", "/srv/" + name + ".js"},
              {"pm_cwd", "/srv"},
              {"exec_interpreter", "node"},
              {"exec_mode", "fork_mode"},
              {"instances", 1},
              {"status", "online"},
              {"autorestart", true},
              {"autostart", true},
              {"merge_logs", true},
              {"watch", false},
              {"vizion", true},
              {"pmx", true},
              {"automation", true},
              {"treekill", true},
              {"username", "root"},
              {"windowsHide", true},
              {"kill_retry_time", 100},
              {"instance_var", "NODE_APP_INSTANCE"},
              {"NODE_APP_INSTANCE", 0},
              {"node_args", json::array()},
              {"pm_out_log_path", "/home/u/.pm2/logs/" + name + "-out.log"},
              {"pm_err_log_path", "/home/u/.pm2/logs/" + name + "-error.log"},
              {"pm_pid_path", "/home/u/.pm2/pids/" + name + "-" + number + ".pid"},
              {"unique_id", "0a"},
              {"axm_monitor", {{"x", 1}}},
              {"env", {{"PM2_HOME", "/home/u/.pm2"}, {"unique_id", "0a"}, {name, "{}"}, {"PWD", "/srv"}}}};
  for (const auto& [key, value] : more.items()) {
    if (key == "env") {
      fields["env"].update(value);
    } else {
      fields[key] = value;
    }
  }
  return {{"pid", 100 + id}, {"name", name}, {"pm_id", id}, {"pm2_env", fields}};
}

Pm2Import import(const json& records) {
  auto result = import_pm2(records, {"/home/u/.pm2", "", {{"PATH", "/bin"}}});
  REQUIRE(result);
  // Whatever comes out is read by the parser of app files.
  AppFileFixture fixture;
  fixture.apps(ecosystem_text(*result));
  return std::move(*result);
}

json only(const json& more) {
  auto result = import(json::array({record("web", 3, more)}));
  REQUIRE(result.apps.size() == 1);
  return result.apps.front();
}

}  // namespace

TEST_CASE("a plain fork app of PM2 becomes the few keys that matter") {
  const auto result = import(json::array({record("web", 3)}));
  CHECK(result.notices.empty());
  REQUIRE(result.apps.size() == 1);
  CHECK(result.apps[0] ==
        json{{"name", "web"}, {"script", "/srv/web.js"}, {"cwd", "/srv"}, {"interpreter", "node"}});
}

TEST_CASE("instances of one name are one app") {
  const json mode{{"exec_mode", "cluster_mode"}, {"instances", 2}, {"merge_logs", nullptr}};
  const auto result = import(json::array({record("web", 1, mode), record("api", 2), record("web", 5, mode)}));
  REQUIRE(result.apps.size() == 2);
  CHECK(result.apps[0]["instances"] == 2);
  CHECK(result.apps[0]["exec_mode"] == "cluster");
  CHECK_FALSE(result.apps[1].contains("instances"));
}

TEST_CASE("PM2's ids are kept with the app they belong to, whatever it is called here") {
  const auto result = import(json::array({record("web", 3), record("a/b", 4), record("web", 5)}));
  REQUIRE(result.apps.size() == 2);
  CHECK(result.ids == std::vector<std::vector<int>>{{3, 5}, {4}});
}

TEST_CASE("the apps of another user stay his") {
  const auto records = json::array({record("web", 3), record("job", 4, {{"uid", "www-data"}})});
  const auto result = import_pm2(records, {"/home/u/.pm2", "1000", {}});
  REQUIRE(result);
  CHECK(result->apps.at(0).at("uid") == "1000");
  CHECK(result->apps.at(1).at("uid") == "www-data");
}

TEST_CASE("the environment is that of the app alone") {
  const auto app = only({{"env",
                          {{"PORT", 3000},
                           {"SECRET", "a b"},
                           {"PATH", "/bin"},
                           {"SHLVL", "1"},
                           {"npm_package_name", "x"},
                           {"PM2_USAGE", "CLI"},
                           {"OBJECT", {{"a", 1}}},
                           {"NOTHING", nullptr}}},
                         {"PORT", 3000},
                         {"SECRET", "a b"},
                         {"env_staging", {{"LEVEL", 1}}}});
  CHECK(app["env"] == json{{"PORT", "3000"}, {"SECRET", "a b"}, {"OBJECT", R"({"a":1})"}});
  CHECK(app["env_staging"] == json{{"LEVEL", "1"}});
}

TEST_CASE("a PATH other than that of the caller stays") {
  CHECK(only({{"env", {{"PATH", "/opt/node/bin:/bin"}}}})["env"]["PATH"] == "/opt/node/bin:/bin");
}

TEST_CASE("settings that both have keep their values") {
  const json same{{"args", {"x y", "z"}},        {"max_memory_restart", 314572800U},
                  {"cron_restart", "0 4 * * *"}, {"stop_exit_codes", {0, 3}},
                  {"restart_delay", 50},         {"kill_timeout", 3000},
                  {"listen_timeout", 8000},      {"wait_ready", true},
                  {"autorestart", false},        {"ignore_watch", {"tmp"}}};
  const json app = only(same);
  for (const auto& [key, value] : same.items()) {
    INFO(key);
    CHECK(app[key] == value);
  }
  CHECK(only({{"node_args", {"--inspect"}}})["interpreter_args"] == json{"--inspect"});
  CHECK(only({{"uid", 33}})["uid"] == "33");
}

TEST_CASE("log files of one's own lose the id that PM2 put into their names") {
  const json app = only({{"merge_logs", nullptr},
                         {"pm_out_log_path", "/var/log/web-3.log"},
                         {"pm_err_log_path", "/home/u/.pm2/logs/web-error-3.log"}});
  CHECK(app["out_file"] == "/var/log/web.log");
  CHECK_FALSE(app.contains("error_file"));
  CHECK_FALSE(only({{"env", {{"PM2_HOME", "/other"}}}, {"pm_out_log_path", "/other/logs/web-out.log"}})
                  .contains("out_file"));
  CHECK(only({{"pm_out_log_path", "/var/log/web-3.log"}})["out_file"] == "/var/log/web-3.log");
}

TEST_CASE("what is stopped in PM2 stays down, and that is said") {
  const auto result = import(json::array({record("web", 3, {{"status", "stopped"}})}));
  CHECK(result.apps[0]["autostart"] == false);
  REQUIRE(result.notices.size() == 1);
  CHECK(result.notices[0].starts_with("web: status is stopped"));
}

TEST_CASE("what cannot be carried over is named") {
  const auto notices = [](const json& more) { return import(json::array({record("web", 3, more)})).notices; };
  const std::vector<std::pair<json, std::string>> cases{
      {{{"cron_restart", "sometimes"}}, "web: cron_restart is left out"},
      {{{"post_update", {"npm install"}}}, "web: post_update ignored"},
      {{{"frobnicate", 1}}, "web: frobnicate is left out"},
      {{{"exec_interpreter", "none"}, {"node_args", {"-x"}}}, "web: node_args is left out"},
      {{{"args", {"${socket.x}"}}}, "web: args is left out"},
      {{{"env", {{"A", "${socket.x}"}}}, {"A", "${socket.x}"}}, "web: env.A is left out"}};
  for (const auto& [more, begin] : cases) {
    INFO(begin);
    const auto said = notices(more);
    REQUIRE(said.size() == 1);
    CHECK(said[0].starts_with(begin));
  }
}

TEST_CASE("names that are none here get another one") {
  const auto result = import(json::array({record("a/b", 1, {{"pm_exec_path", "/srv/x"}}), record("web", 2),
                                          record("web", 3, {{"pm_exec_path", "/srv/other.js"}}),
                                          record("rotate", 4, {{"pmx_module", true}})}));
  REQUIRE(result.apps.size() == 3);
  CHECK(result.apps[0]["name"] == "a-b");
  CHECK(result.apps[2]["name"] == "web-2");
  CHECK(result.notices.size() == 3);
}

TEST_CASE("a dump has flat records, whose ids stand in the names of pid files") {
  const auto result = import(json::array({record("web", 7)["pm2_env"]}));
}

TEST_CASE("nonsense in place of PM2's list is an error") {
  for (const json& wrong : {json(1), json::object(), json::array({1})}) {
    CHECK(import_pm2(wrong, {}).error().code == ErrorCode::config);
  }
  CHECK(import(json::array({json::object(), {{"name", 3}, {"pm_exec_path", 1}}})).apps.empty());
}
