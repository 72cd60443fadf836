#include "cli/pm2_json.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "views_fixture.h"

using namespace clusterd::cli;
using nlohmann::json;

TEST_CASE("jlist has the keys PM2's users script against") {
  json list = pm2_list(json::array({instance_view(4, "web")}));
  REQUIRE(list.size() == 1);
  const json& item = list[0];
  CHECK(item["pid"] == 4712);
  CHECK(item["name"] == "web");
  CHECK(item["pm_id"] == 4);
  CHECK(item["monit"] == json{{"memory", 52428800}, {"cpu", 0.4}});
  const json& env = item["pm2_env"];
  CHECK(env["status"] == "online");
  CHECK(env["restart_time"] == 3);
  CHECK(env["pm_uptime"] == 1790000000000);
  CHECK(env["exec_mode"] == "cluster_mode");
  CHECK(env["exec_interpreter"] == "none");
  CHECK(env["pm_exec_path"] == "/srv/web/server");
  CHECK(env["version"] == "1.2.3");
  CHECK(env["cron_restart"] == "0 4 * * *");
  CHECK(env["max_memory_restart"] == 104857600);
  CHECK(env["args"] == json{"--port", "3000"});
  for (const char* key :
       {"created_at", "unstable_restarts", "exit_code", "instances", "namespace", "pm_cwd", "pm_out_log_path",
        "pm_err_log_path", "pm_pid_path", "watch", "autorestart", "username", "NODE_APP_INSTANCE"}) {
    INFO(key);
    CHECK(env.contains(key));
  }
  CHECK_FALSE(env.contains("env"));
}

TEST_CASE("the path of the program is where it was found, its version that of its package") {
  json view = instance_view(4, "web");
  view["script"] = "sleep";
  view["exec_path"] = "/usr/bin/sleep";
  view["version"] = nullptr;
  const json env = pm2_list(json::array({view}))[0]["pm2_env"];
  CHECK(env["pm_exec_path"] == "/usr/bin/sleep");
  CHECK(env["version"] == "N/A");
  view.erase("exec_path");  // a daemon of an earlier version
  CHECK(pm2_list(json::array({view}))[0]["pm2_env"]["pm_exec_path"] == "sleep");
}

TEST_CASE("what PM2 has no key for stands under a key of its own") {
  json view = instance_view(4, "web");
  view["connections"] = {{"open", 3}, {"queued", 0}, {"total", 120}};
  CHECK(pm2_list(json::array({view}))[0]["clusterd"]["connections"]["open"] == 3);
  CHECK(pm2_list(json::array({instance_view(4, "web")}))[0]["clusterd"]["connections"].is_null());
}

TEST_CASE("a process that is not there has pid 0, as in PM2") {
  CHECK(pm2_list(json::array({instance_view(0, "web", "stopped")}))[0]["pid"] == 0);
}

TEST_CASE("exit codes of signals follow the shell's rule") {
  json view = instance_view(0, "web", "stopped");
  view["exit"] = {{"signal", "SIGSEGV"}};
  CHECK(pm2_list(json::array({view}))[0]["pm2_env"]["exit_code"] == 139);
  view["exit"] = {{"code", 3}};
  CHECK(pm2_list(json::array({view}))[0]["pm2_env"]["exit_code"] == 3);
  view["mode"] = "fork";
  CHECK(pm2_list(json::array({view}))[0]["pm2_env"]["exec_mode"] == "fork_mode");
}

TEST_CASE("an empty list is an empty array") {
  CHECK(pm2_list(json::array()).dump() == "[]");
  CHECK(pm2_list(nullptr).dump() == "[]");
}
