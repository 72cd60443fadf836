#include "daemon/system/launch_plan.h"

#include <catch2/catch.hpp>

namespace clusterd {
namespace {

TEST_CASE("a plan that cannot be executed at all is refused before a process exists") {
  LaunchPlan plan;
  CHECK_FALSE(encode(plan));
  plan.argv = {""};
  CHECK_FALSE(encode(plan));
  plan.argv = {"/bin/true"};
  CHECK(encode(plan));
  plan.argv = {"/bin/true", std::string("a\0b", 3)};
  CHECK_FALSE(encode(plan));
  plan.argv = {"/bin/true"};
  plan.environment = {std::string("A=\0", 3)};
  CHECK_FALSE(encode(plan));
}

TEST_CASE("limits of a plan hold at the limit and not beyond") {
  LaunchPlan plan;
  plan.argv = {"/bin/true"};
  plan.sockets.assign(kLaunchSocketsMax, 0);
  CHECK(encode(plan));
  plan.sockets.push_back(0);
  CHECK_FALSE(encode(plan));

  plan.sockets.clear();
  const std::size_t overhead = encode(plan)->size() + 1;
  plan.environment = {std::string(kLaunchPlanBytesMax - overhead, 'x')};
  CHECK(encode(plan));
  plan.environment[0] += 'x';
  CHECK_FALSE(encode(plan));
}

TEST_CASE("socket names that would break LISTEN_FDNAMES become unknown") {
  LaunchPlan plan;
  plan.argv = {"/bin/true"};
  plan.sockets = {7, 8, 9, 10, 11};
  plan.socket_names = {"web", "a:b", "with blank", ""};
  CHECK(encode(plan)->find("LISTEN_FDNAMES=web:unknown:unknown:unknown:unknown") != std::string::npos);
}

}  // namespace
}  // namespace clusterd
