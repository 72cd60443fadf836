#include "config/app_spec.h"

#include <catch2/catch.hpp>
#include <csignal>

using namespace clusterd;

TEST_CASE("the environment is the shell's, overlaid by env, overlaid by the chosen profile") {
  AppSpec spec;
  spec.inherited_env = {{"A", "shell"}, {"B", "shell"}, {"C", "shell"}, {"D", "shell"}};
  spec.env = {{"B", "env"}, {"C", "env"}};
  spec.env_profiles = {{"production", {{"C", "production"}}}, {"test", {{"D", "test"}}}};
  spec.env_profile = "production";
  CHECK(effective_environment(spec) ==
        Environment{{"A", "shell"}, {"B", "env"}, {"C", "production"}, {"D", "shell"}});
  spec.env_profile = "unknown";
  CHECK(effective_environment(spec)["C"] == "env");
}

TEST_CASE("Node and its kin are stopped with SIGINT, everything else with SIGTERM") {
  AppSpec spec;
  for (const char* script :
       {"npm", "/usr/bin/node", "/opt/bun", "deno", "npx", "pnpm", "yarn", "tsx", "ts-node", "nodejs"}) {
    spec.script = script;
    CHECK(default_kill_signal(spec) == SIGINT);
  }
  for (const char* script : {"/srv/server", "/srv/node-server", "python3", "/srv/npm.sh", "node.js", ""}) {
    spec.script = script;
    CHECK(default_kill_signal(spec) == SIGTERM);
  }
}

TEST_CASE("the interpreter decides over the stop signal, the operator over both") {
  AppSpec spec;
  spec.script = "/srv/app.js";
  spec.interpreter = "/usr/bin/node";
  CHECK(kill_signal_of(spec) == SIGINT);
  spec.script = "/srv/node";
  spec.interpreter = "python3";
  CHECK(kill_signal_of(spec) == SIGTERM);
  spec.kill_signal = SIGQUIT;
  CHECK(kill_signal_of(spec) == SIGQUIT);
}

TEST_CASE("there is at least one instance, on any number of CPUs") {
  using Kind = InstanceCount::Kind;
  CHECK(resolve_instances({Kind::exactly, 4}, 2) == 4);
  CHECK(resolve_instances({Kind::all_cpus, 0}, 8) == 8);
  CHECK(resolve_instances({Kind::all_cpus, 0}, 0) == 1);
  CHECK(resolve_instances({Kind::all_cpus_minus, 1}, 8) == 7);
  CHECK(resolve_instances({Kind::all_cpus_minus, 1}, 1) == 1);
  CHECK(resolve_instances({Kind::all_cpus_minus, 10'000}, 2) == 1);
  CHECK(resolve_instances({Kind::all_cpus, 0}, 1'000'000) == kInstancesMax);
}

TEST_CASE("logs are merged unless instances were asked for, or it was said otherwise") {
  AppSpec spec;
  CHECK(logs_merged(spec));
  spec.instances_given = true;
  CHECK_FALSE(logs_merged(spec));
  spec.merge_logs = true;
  CHECK(logs_merged(spec));
}
