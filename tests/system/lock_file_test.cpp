#include "daemon/system/lock_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <optional>

#include "tests/system/temp_folder.h"

using namespace clusterd;
using clusterd::test::file_content;
using clusterd::test::TempFolder;

TEST_CASE("the lock file is private and says who holds it") {
  const TempFolder folder;
  const auto lock = HomeLock::take(folder / "daemon.lock");
  REQUIRE(lock);
  const std::string holder = file_content(folder / "daemon.lock");
  CHECK(holder.starts_with("pid=" + std::to_string(::getpid()) + "\nboot_id="));
  CHECK(holder.find("\nhost=") != std::string::npos);
  CHECK(holder.ends_with('\n'));
  struct stat status{};
  REQUIRE(::stat((folder / "daemon.lock").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
}

TEST_CASE("a second daemon is refused with the pid of the first, and changes nothing") {
  const TempFolder folder;
  const std::string path = folder / "daemon.lock";
  const auto first = HomeLock::take(path);
  REQUIRE(first);
  const std::string before = file_content(path);
  const auto second = HomeLock::take(path);
  REQUIRE_FALSE(second);
  CHECK(second.error().code == ErrorCode::conflict);
  CHECK(second.error().message ==
        "another clusterd daemon uses this home: pid " + std::to_string(::getpid()) + " (lock " + path + ")");
  CHECK(file_content(path) == before);
}

TEST_CASE("a holder on another host is named") {
  const TempFolder folder;
  const std::string path = folder / "daemon.lock";
  test::write_file(path, "pid=77\nboot_id=x\nhost=some-other-host.invalid\n");
  const UniqueFd held(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  REQUIRE(::flock(held.get(), LOCK_EX | LOCK_NB) == 0);
  CHECK(HomeLock::take(path).error().message.find("pid 77 on host some-other-host.invalid") !=
        std::string::npos);
}

TEST_CASE("a lock file nobody holds means nothing, whatever is in it") {
  const TempFolder folder;
  const std::string path = folder / "daemon.lock";
  test::write_file(path, std::string(5'000, 'x'));
  REQUIRE(HomeLock::take(path));
  CHECK(file_content(path).size() < 200);
}

TEST_CASE("the lock ends with its object, moves with it, and its file stays") {
  const TempFolder folder;
  const std::string path = folder / "daemon.lock";
  {
    auto lock = HomeLock::take(path);
    REQUIRE(lock);
    const HomeLock moved = std::move(*lock);
    CHECK_FALSE(HomeLock::take(path));
  }
  CHECK(std::filesystem::exists(path));
  CHECK(HomeLock::take(path));
}

TEST_CASE("the lock of a killed daemon is free") {
  const TempFolder folder;
  const std::string path = folder / "daemon.lock";
  int taken[2];
  REQUIRE(::pipe(taken) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = HomeLock::take(path);
    if (!lock || ::write(taken[1], "x", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  ::close(taken[1]);
  char byte = 0;
  REQUIRE(::read(taken[0], &byte, 1) == 1);
  const auto refused = HomeLock::take(path);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(taken[0]);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("pid " + std::to_string(child)) != std::string::npos);
  CHECK(HomeLock::take(path));
}

TEST_CASE("a lock on a file that was removed does not keep the home, and a new one cannot be doubled") {
  const TempFolder folder;
  const std::string path = folder / "daemon.lock";
  const auto stale = HomeLock::take(path);
  REQUIRE(stale);
  REQUIRE(::unlink(path.c_str()) == 0);
  const auto fresh = HomeLock::take(path);
  REQUIRE(fresh);
  CHECK_FALSE(HomeLock::take(path));
}

TEST_CASE("a lock that cannot be made says where") {
  const TempFolder folder;
  CHECK(HomeLock::take(folder / "missing/daemon.lock").error().message.find("missing/daemon.lock") !=
        std::string::npos);
}
