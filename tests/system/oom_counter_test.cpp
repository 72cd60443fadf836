#include "daemon/system/oom_counter.h"

#include <unistd.h>

#include <catch2/catch.hpp>

namespace clusterd {

TEST_CASE("the number behind a key") {
  const std::string_view events = "low 0\noom 3\noom_kill 12\noom_group_kill 1\n";
  CHECK(flat_keyed_number(events, "oom_kill") == 12U);
  CHECK(flat_keyed_number(events, "oom") == 3U);
  CHECK_FALSE(flat_keyed_number(events, "high"));
  CHECK_FALSE(flat_keyed_number("oom_kill x\noom_kill \noom_kill", "oom_kill"));
  CHECK_FALSE(flat_keyed_number("", "oom_kill"));
}

TEST_CASE("the file that counts for a process") {
  const std::string_view unified = "25 30 0:23 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n";
  CHECK(oom_file("0::/user.slice/app\n", unified) == "/sys/fs/cgroup/user.slice/app/memory.events");
  const std::string_view hybrid =
      "40 30 0:40 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
      "41 30 0:41 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
  CHECK(oom_file("4:memory:/jobs/1\n1:cpu,cpuacct:/\n0::/\n", hybrid) ==
        "/sys/fs/cgroup/memory/jobs/1/memory.oom_control");
  const std::string_view container =
      "40 30 0:40 /docker/7 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";
  CHECK(oom_file("4:memory:/docker/7/x\n", container) == "/sys/fs/cgroup/memory/x/memory.oom_control");
  CHECK_FALSE(oom_file("", unified));
  CHECK_FALSE(oom_file("0::/x\n", ""));
}

TEST_CASE("nobody has starved while this test ran") {
  const OomCounter::Answer answer = OomCounter::of(getpid()).look();
  CHECK((answer == OomCounter::Answer::none || answer == OomCounter::Answer::unknown));
}

}  // namespace clusterd
