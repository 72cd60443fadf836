#include "daemon/system/usable_cpus.h"

#include <sched.h>

#include <catch2/catch.hpp>

#include "tests/system/temp_folder.h"

using namespace clusterd;
using clusterd::test::TempFolder;

namespace {

constexpr int kAffinity = 8;

// A machine whose /proc and /sys stand in a folder.
struct Machine {
  void file(const std::string& path, std::string_view content) const {
    test::write_file(root / path, content);
  }
  void in_cgroups(std::string_view membership) const { file("proc/self/cgroup", membership); }
  void mounts(std::string_view lines) const { file("proc/self/mountinfo", lines); }
  UsableCpus cpus() const { return usable_cpus_under(root.path(), kAffinity); }

  TempFolder root;
};

constexpr std::string_view kV2Mount =
    "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
    "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr std::string_view kV1Mount =
    "31 22 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
    "32 22 0:28 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n";

}  // namespace

TEST_CASE("without any cgroup file the affinity decides") {
  const Machine machine;
  CHECK(machine.cpus().count == kAffinity);
  CHECK(machine.cpus().reason == "CPU affinity");
  CHECK(usable_cpus_under(machine.root.path(), 0).count == 1);
}

TEST_CASE("a v2 quota is rounded up and named") {
  const Machine machine;
  machine.in_cgroups("0::/web\n");
  machine.mounts(kV2Mount);
  machine.file("sys/fs/cgroup/web/cpu.max", "150000 100000\n");
  CHECK(machine.cpus().count == 2);
  CHECK(machine.cpus().reason == "cgroup CPU quota 150000/100000 us in /sys/fs/cgroup/web/cpu.max");
}

TEST_CASE("half a CPU is one") {
  const Machine machine;
  machine.in_cgroups("0::/web\n");
  machine.mounts(kV2Mount);
  machine.file("sys/fs/cgroup/web/cpu.max", "50000 100000\n");
  CHECK(machine.cpus().count == 1);
}

TEST_CASE("no quota, and a quota above the affinity, change nothing") {
  const Machine machine;
  machine.in_cgroups("0::/web\n");
  machine.mounts(kV2Mount);
  machine.file("sys/fs/cgroup/web/cpu.max", GENERATE("max 100000\n", "1600000 100000\n", "", "garbage\n"));
  CHECK(machine.cpus().count == kAffinity);
  CHECK(machine.cpus().reason == "CPU affinity");
}

TEST_CASE("the tightest of all ancestors counts, even where the own cgroup has no file") {
  const Machine machine;
  machine.in_cgroups("0::/a/b/c\n");
  machine.mounts(kV2Mount);
  machine.file("sys/fs/cgroup/a/b/cpu.max", "600000 100000\n");
  machine.file("sys/fs/cgroup/a/cpu.max", "300000 100000\n");
  machine.file("sys/fs/cgroup/cpu.max", "500000 100000\n");
  CHECK(machine.cpus().count == 3);
  CHECK(machine.cpus().reason.ends_with("/sys/fs/cgroup/a/cpu.max"));
}

TEST_CASE("v1 quotas count, -1 is none, and other controllers are not asked") {
  const Machine machine;
  machine.in_cgroups("5:cpuset:/other\n4:cpu,cpuacct:/docker/x\n0::/\n");
  machine.mounts(kV1Mount);
  machine.file("sys/fs/cgroup/cpuset/other/cpu.cfs_quota_us", "100000\n");
  machine.file("sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_period_us", "100000\n");
  machine.file("sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_quota_us", "-1\n");
  CHECK(machine.cpus().count == kAffinity);

  machine.file("sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_period_us", "50000\n");
  machine.file("sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_quota_us", "200000\n");
  CHECK(machine.cpus().count == 4);
  CHECK(machine.cpus().reason ==
        "cgroup CPU quota 200000/50000 us in /sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_quota_us");
}

TEST_CASE("on a hybrid machine the tighter hierarchy counts") {
  const Machine machine;
  machine.in_cgroups("4:cpu,cpuacct:/x\n0::/y\n");
  machine.mounts(std::string(kV1Mount) +
                 "33 22 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate\n");
  machine.file("sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us", "100000\n");
  machine.file("sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us", "400000\n");
  machine.file("sys/fs/cgroup/unified/y/cpu.max", "200000 100000\n");
  CHECK(machine.cpus().count == 2);
  machine.file("sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us", "100000\n");
  CHECK(machine.cpus().count == 1);
}

TEST_CASE("inside a container the mount shows a subtree of the hierarchy") {
  const Machine machine;
  machine.mounts("30 22 0:26 /docker/x /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  machine.file("sys/fs/cgroup/cpu.max", "300000 100000\n");
  machine.file("sys/fs/cgroup/web/cpu.max", "200000 100000\n");

  machine.in_cgroups("0::/docker/x/web\n");
  CHECK(machine.cpus().count == 2);
  machine.in_cgroups("0::/docker/x\n");
  CHECK(machine.cpus().count == 3);
  machine.in_cgroups("0::/docker/xyz\n");  // a sibling that merely begins alike
  CHECK(machine.cpus().count == 3);
}

TEST_CASE("a cgroup outside the own cgroup namespace falls back to the mount point") {
  const Machine machine;
  machine.mounts(kV2Mount);
  machine.in_cgroups("0::/../other\n");
  machine.file("sys/fs/cgroup/cpu.max", "200000 100000\n");
  CHECK(machine.cpus().count == 2);
}

TEST_CASE("cpu.max is read exactly or not at all") {
  CHECK(parse_cpu_max("150000 100000\n") == CpuQuota{150'000, 100'000});
  CHECK(parse_cpu_max("1 1") == CpuQuota{1, 1});
  for (const char* text : {"", "max", "max 100000\n", "0 100000\n", "-5 100000\n", "100000 0\n", "100000\n",
                           "1e5 100000\n", "99999999999999999999 100000\n", "100000 100000 7\n"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_cpu_max(text));
  }
}

TEST_CASE("the v1 files are read exactly or not at all") {
  CHECK(parse_cfs_quota("50000\n", "100000\n") == CpuQuota{50'000, 100'000});
  CHECK_FALSE(parse_cfs_quota("-1\n", "100000\n"));
  CHECK_FALSE(parse_cfs_quota("", "100000\n"));
  CHECK_FALSE(parse_cfs_quota("50000\n", ""));
}

TEST_CASE("CPUs of a quota are rounded up and never less than one") {
  CHECK(cpus_of({1, 1'000'000}) == 1);
  CHECK(cpus_of({100'000, 100'000}) == 1);
  CHECK(cpus_of({100'001, 100'000}) == 2);
  CHECK(cpus_of({9'223'372'036'854'775'807LL, 1}) == 2'147'483'647);
}

TEST_CASE("a cgroup path may contain colons, a mount point blanks") {
  CHECK(parse_cgroup_membership("0::/a:b\n").v2_path == "/a:b");
  CHECK(parse_cgroup_membership("7:cpuset:/x\nnonsense\n::\n").v1_cpu_path == std::nullopt);
  const auto mounts =
      parse_cgroup_mounts("1 2 0:1 /a\\040b /mnt/c\\134d rw - cgroup2 x rw\n1 2\n - cgroup2\n");
  REQUIRE(mounts.v2);
  CHECK(mounts.v2->root == "/a b");
  CHECK(mounts.v2->mount_point == "/mnt/c\\d");
}

TEST_CASE("the affinity of this process limits") {
  cpu_set_t before;
  REQUIRE(::sched_getaffinity(0, sizeof before, &before) == 0);
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  REQUIRE(::sched_setaffinity(0, sizeof one, &one) == 0);
  const int count = usable_cpus().count;
  REQUIRE(::sched_setaffinity(0, sizeof before, &before) == 0);
  CHECK(count == 1);
  CHECK(usable_cpus().count <= CPU_COUNT(&before));
}
