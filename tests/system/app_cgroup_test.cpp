#include "daemon/system/app_cgroup.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <stdexcept>

#include "tests/system/temp_folder.h"

namespace clusterd {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const AppCgroup& cgroup) {
  const std::string link = "/proc/self/fd/" + std::to_string(cgroup.entrances().back());
  return fs::read_symlink(link).parent_path();
}

// What a daemon leaves behind that is killed, with its pid; a process that lives on in it, if `resident`.
struct Left {
  explicit Left(bool resident) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("pipe");
    pid = fork();
    if (pid == 0) leave(resident, ends[1]);
    close(ends[1]);
    if (read(ends[0], &resident_pid, sizeof resident_pid) != sizeof resident_pid) resident_pid = -1;
    close(ends[0]);
    waitpid(pid, nullptr, 0);
  }
  [[noreturn]] static void leave(bool resident, int out) {
    auto cgroup = AppCgroup::make("left", {std::nullopt, std::nullopt, 20});
    if (!cgroup) _exit(1);
    const pid_t lives = resident ? fork() : 0;
    if (resident && lives == 0) {
      const pid_t self = getpid();
      if (write(cgroup->entrances().back(), "0", 1) == 1 && write(out, &self, sizeof self) == sizeof self)
        pause();
      _exit(1);
    }
    if (!resident && write(out, &lives, sizeof lives) != sizeof lives) _exit(1);
    if (resident) close(out);
    _exit(0);
  }

  pid_t pid = 0;
  pid_t resident_pid = 0;
};

}  // namespace

TEST_CASE("a cgroup has its limits, an entrance, and is removed with its owner") {
  if (!AppCgroup::hindrance().empty()) {
    WARN("skipped: " << AppCgroup::hindrance());
    return;
  }
  fs::path folder;
  {
    auto cgroup = AppCgroup::make("test-1-1", {64U << 20, std::nullopt, 20});
    REQUIRE(cgroup);
    REQUIRE_FALSE(cgroup->entrances().empty());
    folder = folder_of(*cgroup);
    CHECK(test::file_content(folder / "pids.max") == "20\n");
  }
  CHECK_FALSE(fs::exists(folder));
}

TEST_CASE("what killed daemons have left behind is removed, unless somebody is in it") {
  if (!AppCgroup::hindrance().empty()) {
    WARN("skipped: " << AppCgroup::hindrance());
    return;
  }
  const Left empty(false);
  const Left inhabited(true);
  REQUIRE(inhabited.resident_pid > 0);
  auto own = AppCgroup::make("own", {std::nullopt, std::nullopt, 20});
  REQUIRE(own);
  const fs::path parent = folder_of(*own).parent_path();
  const fs::path first = parent / ("clusterd-" + std::to_string(empty.pid) + "-left");
  const fs::path second = parent / ("clusterd-" + std::to_string(inhabited.pid) + "-left");
  const fs::path of_the_living = parent / ("clusterd-" + std::to_string(getppid()) + "-left");
  const fs::path of_others = parent / "clusterd-others-1";
  REQUIRE(fs::is_directory(first));
  REQUIRE(fs::is_directory(second));
  fs::create_directory(of_the_living);
  fs::create_directory(of_others);

  AppCgroup::remove_leftovers();
  CHECK_FALSE(fs::exists(first));
  CHECK(fs::exists(second));
  CHECK(fs::exists(of_the_living));
  CHECK(fs::exists(of_others));
  rmdir(of_the_living.c_str());
  rmdir(of_others.c_str());

  kill(inhabited.resident_pid, SIGKILL);
  while (kill(inhabited.resident_pid, 0) == 0) usleep(1000);  // its parent is gone: the system reaps it
  AppCgroup::remove_leftovers();
  CHECK_FALSE(fs::exists(second));
}

}  // namespace clusterd
