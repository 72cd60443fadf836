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

TEST_CASE("a passed descriptor needs a good variable, which replaces one of the same name") {
  LaunchPlan plan;
  plan.argv = {"/bin/true"};
  plan.sockets = {7, 8};
  plan.environment = {"READY_FD=99", "READY_FD_OLD=1"};
  plan.passed = {{9, "READY_FD"}, {10, "CHANNEL"}};
  const auto bytes = encode(plan);
  REQUIRE(bytes);
  CHECK(bytes->find(std::string("READY_FD=5\0CHANNEL=6", 20)) != std::string::npos);
  CHECK(bytes->find("READY_FD=99") == std::string::npos);
  CHECK(bytes->find("READY_FD_OLD=1") != std::string::npos);

  plan.passed = {{9, ""}};
  CHECK_FALSE(encode(plan));
  plan.passed = {{9, "A=B"}};
  CHECK_FALSE(encode(plan));
  plan.passed.assign(kLaunchPassedMax, {9, "A"});
  CHECK(encode(plan));
  plan.passed.push_back({9, "A"});
  CHECK_FALSE(encode(plan));
}

}  // namespace
}  // namespace clusterd
