#include "config/node_role.h"

#include <catch2/catch.hpp>

namespace clusterd {
namespace {

AppSpec node_app(std::string interpreter = "node", std::string script = "/srv/app.js") {
  AppSpec spec;
  spec.interpreter = std::move(interpreter);
  spec.script = std::move(script);
  return spec;
}

TEST_CASE("a worker is who was asked for with a number of instances or the mode cluster") {
  AppSpec spec = node_app();
  CHECK(node_role_of(spec) == NodeRole::child);
  spec.instances_given = true;
  CHECK(node_role_of(spec) == NodeRole::worker);
  spec.exec_mode = ExecMode::fork;
  CHECK(node_role_of(spec) == NodeRole::child);
  spec = node_app();
  spec.exec_mode_given = true;
  CHECK(node_role_of(spec) == NodeRole::worker);
}

TEST_CASE("only Node itself has a channel, not the tools that are written in it") {
  for (const char* program : {"node", "/usr/bin/node", "nodejs", "/opt/node/bin/nodejs"}) {
    CHECK(node_role_of(node_app(program)) == NodeRole::child);
  }
  for (const char* program : {"tsx", "ts-node", "bun", "deno", "python3", "/usr/bin/node20-wrapper", ""}) {
    INFO(program);
    CHECK(node_role_of(node_app(program)) == NodeRole::none);
  }
  for (const char* program : {"npm", "/usr/bin/npm", "yarn", "pnpm", "npx"}) {
    AppSpec spec = node_app("", program);
    spec.by_node = true;
    CHECK(node_role_of(spec) == NodeRole::none);
  }
}

TEST_CASE("a script whose first line names Node is a Node program") {
  AppSpec spec = node_app("", "/srv/server");
  CHECK(node_role_of(spec) == NodeRole::none);
  spec.by_node = true;
  CHECK(node_role_of(spec) == NodeRole::child);
}

TEST_CASE("Node without a script is no worker: it would leave the variables to its children") {
  AppSpec spec = node_app("", "node");
  spec.instances_given = true;
  CHECK(node_role_of(spec) == NodeRole::child);
  spec.args = {"--import", "tsx", "server.ts"};
  CHECK(node_role_of(spec) == NodeRole::worker);
  spec.args = {"-e", "code"};
  CHECK(node_role_of(spec) == NodeRole::child);
}

}  // namespace
}  // namespace clusterd
