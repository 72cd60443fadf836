#include "common/home_paths.h"

#include <catch2/catch.hpp>

using namespace clusterd;

TEST_CASE("everything lies below CLUSTERD_HOME, or below ~/.clusterd") {
  const auto by_user = home_paths("", "/home/u");
  REQUIRE(by_user);
  CHECK(by_user->home == "/home/u/.clusterd");
  CHECK(by_user->control_socket == "/home/u/.clusterd/control.sock");
  CHECK(by_user->lock == "/home/u/.clusterd/daemon.lock");
  CHECK(by_user->dump == "/home/u/.clusterd/dump.json");
  CHECK(by_user->state == "/home/u/.clusterd/state.json");
  CHECK(by_user->logs == "/home/u/.clusterd/logs");
  CHECK(by_user->pids == "/home/u/.clusterd/pids");
  CHECK(by_user->run == "/home/u/.clusterd/run");
  CHECK(home_paths("/var/lib/clusterd/", "/home/u").value().daemon_log == "/var/lib/clusterd/daemon.log");
  CHECK(home_paths("/a b", "").value().home == "/a b");
}

TEST_CASE("without any home, or with a relative one, the error names the variable") {
  CHECK(home_paths("", "").error().message.find("neither CLUSTERD_HOME nor HOME is set") == 0);
  CHECK(home_paths("rel", "/home/u").error().message.find("CLUSTERD_HOME has to be an absolute path") == 0);
  CHECK(home_paths("", "rel").error().message.find("HOME has to be") == 0);
}

TEST_CASE("a socket path the kernel would cut is refused, at exactly its limit") {
  const std::size_t folder_bytes_max = kSocketPathBytesMax - std::string("/control.sock").size();
  CHECK(home_paths("/" + std::string(folder_bytes_max - 1, 'x'), ""));
  const auto refused = home_paths("/" + std::string(folder_bytes_max, 'x'), "");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("is 108 bytes long and the system allows 107") != std::string::npos);
}
