#include "daemon/system/home_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/system/temp_folder.h"

using namespace clusterd;
using clusterd::test::TempFolder;

namespace {

constexpr uid_t kNobody = 65534;

mode_t mode_of(const std::string& path) {
  struct stat status{};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

HomePaths paths_of(const std::string& home) { return home_paths(home, "").value(); }

}  // namespace

TEST_CASE("a home and its folders are made private, missing parents included") {
  const TempFolder folder;
  const HomePaths paths = paths_of(folder / "a/home");
  REQUIRE(prepare_home(paths));
  CHECK(mode_of(folder / "a") == 0700);
  for (const auto& path : {paths.home, paths.logs, paths.pids, paths.run}) CHECK(mode_of(path) == 0700);
  CHECK(prepare_home(paths));
}

TEST_CASE("an existing home is closed to others, its folders keep the mode their owner gave them") {
  const TempFolder folder;
  const HomePaths paths = paths_of(folder / "home");
  REQUIRE(prepare_home(paths));
  REQUIRE(::chmod(paths.home.c_str(), 0755) == 0);
  REQUIRE(::chmod(paths.logs.c_str(), 0750) == 0);
  REQUIRE(prepare_home(paths));
  CHECK(mode_of(paths.home) == 0700);
  CHECK(mode_of(paths.logs) == 0750);
}

TEST_CASE("a home may be a symbolic link and have a blank in its name") {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "real home");
  std::filesystem::create_directory_symlink(folder / "real home", folder / "home link");
  REQUIRE(prepare_home(paths_of(folder / "home link")));
  CHECK(std::filesystem::is_directory(folder / "real home/logs"));
}

TEST_CASE("something in the way of the home is named") {
  const TempFolder folder;
  test::write_file(folder / "file", "x");
  const auto prepared = prepare_home(paths_of(folder / "file/home"));
  REQUIRE_FALSE(prepared);
  CHECK(prepared.error().message.find((folder / "file") + " exists and is not a directory") !=
        std::string::npos);

  test::write_file(folder / "home/logs", "x");
  CHECK(prepare_home(paths_of(folder / "home")).error().message.find("home/logs exists and is not") !=
        std::string::npos);
}

TEST_CASE("root does not settle in the home of a user, nor in a folder of that home") {
  if (::geteuid() != 0) {
    WARN("needs root");
    return;
  }
  const TempFolder folder;
  const HomePaths paths = paths_of(folder / "home");
  REQUIRE(prepare_home(paths));
  REQUIRE(::chown(paths.run.c_str(), kNobody, kNobody) == 0);
  CHECK(prepare_home(paths).error().message.starts_with(paths.run + " belongs to nobody (uid 65534)"));

  REQUIRE(::chown(paths.home.c_str(), kNobody, kNobody) == 0);
  const auto prepared = prepare_home(paths);
  REQUIRE_FALSE(prepared);
  CHECK(prepared.error().code == ErrorCode::denied);
  CHECK(prepared.error().message.find("CLUSTERD_HOME") != std::string::npos);
}
