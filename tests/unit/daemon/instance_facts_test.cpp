// What an instance is given: its files and its environment.
#include <algorithm>
#include <catch2/catch.hpp>

#include "daemon/launch_environment.h"
#include "daemon/log_paths.h"

namespace clusterd {
namespace {

HomePaths home() {
  HomePaths paths;
  paths.logs = "/h/logs";
  paths.pids = "/h/pids";
  return paths;
}

AppSpec spec() {
  AppSpec result;
  result.name = "web";
  result.script = "/srv/web";
  return result;
}

std::string value_of(const std::vector<std::string>& environment, const std::string& name) {
  const auto found =
      std::ranges::find_if(environment, [&](const auto& one) { return one.starts_with(name + "="); });
  return found == environment.end() ? "(unset)" : found->substr(name.size() + 1);
}

std::vector<std::string> environment_of(const AppSpec& app, int slot, const ResolvedUser* user = nullptr) {
  LaunchOrder order;
  order.id = 7;
  order.slot = slot;
  order.generation = 3;
  order.spec = std::make_shared<const AppSpec>(app);
  return launch_environment(order, {"marker", "@notify", user});
}

}  // namespace

TEST_CASE("slot k always has the same files, whatever the id or the count") {
  AppSpec merged = spec();
  CHECK(instance_paths(home(), merged, 3, 9).out_file == "/h/logs/web-out.log");
  CHECK(instance_paths(home(), merged, 0, 9).error_file == "/h/logs/web-error.log");
  AppSpec counted = spec();
  counted.instances_given = true;
  CHECK(instance_paths(home(), counted, 3, 9).out_file == "/h/logs/web-out-3.log");
  counted.name_space = "staging";
  CHECK(instance_paths(home(), counted, 3, 9).out_file == "/h/logs/staging/web-out-3.log");
}

TEST_CASE("given files get the slot's number unless merged, devices stay what they are") {
  AppSpec app = spec();
  app.out_file = "/var/log/web.log";
  app.error_file = "/dev/null";
  CHECK(instance_paths(home(), app, 2, 0).out_file == "/var/log/web.log");
  CHECK(instance_paths(home(), app, 2, 0).error_file == "/dev/null");
  app.instances_given = true;
  CHECK(instance_paths(home(), app, 2, 0).out_file == "/var/log/web-2.log");
  app.out_file = "/dev/stdout";
  CHECK(instance_paths(home(), app, 2, 0).out_file == "/dev/stdout");
}

TEST_CASE("the pid file is per instance") {
  AppSpec app = spec();
  CHECK(instance_paths(home(), app, 1, 4).pid_file == "/h/pids/web-4.pid");
  app.pid_file = "/run/web.pid";
  CHECK(instance_paths(home(), app, 1, 4).pid_file == "/run/web.pid");
  app.instances_given = true;
  CHECK(instance_paths(home(), app, 1, 4).pid_file == "/run/web-1.pid");
}

TEST_CASE("the instance variable, the counted port and clusterd's own are added") {
  AppSpec app = spec();
  app.env = {{"PORT", "3000"}};
  app.increment_var = "PORT";
  const auto environment = environment_of(app, 2);
  CHECK(value_of(environment, "PORT") == "3002");
  CHECK(value_of(environment, "NODE_APP_INSTANCE") == "2");
  CHECK(value_of(environment, "pm_id") == "7");
  CHECK(value_of(environment, "name") == "web");
  CHECK(value_of(environment, "NOTIFY_SOCKET") == "@notify");
}

TEST_CASE("variables that look like settings arrive unchanged") {
  AppSpec app = spec();
  app.inherited_env = {{"name", "evil"}, {"status", "online"}, {"args", "--x"}, {"instances", "7"}};
  const auto environment = environment_of(app, 0);
  CHECK(value_of(environment, "name") == "evil");
  CHECK(value_of(environment, "status") == "online");
  CHECK(value_of(environment, "instances") == "7");
}

TEST_CASE("profile beats file beats shell") {
  AppSpec app = spec();
  app.inherited_env = {{"X", "shell"}, {"Y", "shell"}, {"Z", "shell"}};
  app.env = {{"X", "file"}, {"Y", "file"}};
  app.env_profiles = {{"production", {{"X", "profile"}}}};
  app.env_profile = "production";
  const auto environment = environment_of(app, 0);
  CHECK(value_of(environment, "X") == "profile");
  CHECK(value_of(environment, "Y") == "file");
  CHECK(value_of(environment, "Z") == "shell");
}

TEST_CASE("another user's HOME and names replace the shell's, not the file's") {
  ResolvedUser user;
  user.name = "app";
  user.home = "/home/app";
  user.shell = "/bin/sh";
  AppSpec app = spec();
  app.inherited_env = {{"HOME", "/root"}, {"USER", "root"}};
  app.env = {{"SHELL", "/bin/zsh"}};
  const auto environment = environment_of(app, 0, &user);
  CHECK(value_of(environment, "HOME") == "/home/app");
  CHECK(value_of(environment, "USER") == "app");
  CHECK(value_of(environment, "SHELL") == "/bin/zsh");
}

}  // namespace clusterd
