#include "daemon/system/exit_record.h"

#include <csignal>

#include <catch2/catch.hpp>

namespace clusterd {
namespace {

TEST_CASE("an exit record says how a process ended, in words") {
  constexpr int kCoreFlag = 0x80;
  CHECK(ExitRecord::from_wait_status(0) == ExitRecord{});
  CHECK(ExitRecord::from_wait_status(0).succeeded());
  CHECK(ExitRecord::from_wait_status(7 << 8).describe() == "exited with code 7");
  CHECK(ExitRecord::from_wait_status(255 << 8).code == 255);
  CHECK_FALSE(ExitRecord::from_wait_status(7 << 8).succeeded());
  CHECK(ExitRecord::from_wait_status(SIGKILL).describe() == "killed by SIGKILL");
  CHECK_FALSE(ExitRecord::from_wait_status(SIGKILL).succeeded());
  CHECK(ExitRecord::from_wait_status(SIGSEGV | kCoreFlag).describe() == "killed by SIGSEGV (core dumped)");
}

}  // namespace
}  // namespace clusterd
