#include "daemon/system/directories.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "tests/system/temp_folder.h"

using namespace clusterd;
using clusterd::test::TempFolder;

TEST_CASE("make_directories creates every missing element with the given mode") {
  const TempFolder folder;
  REQUIRE(make_directories(folder / "a/b/c", 0700));
  for (const char* name : {"a", "a/b", "a/b/c"}) {
    struct stat status{};
    REQUIRE(::stat((folder / name).c_str(), &status) == 0);
    CHECK(S_ISDIR(status.st_mode));
    CHECK((status.st_mode & 0777) == 0700);
  }
}

TEST_CASE("make_directories leaves existing folders as they are") {
  const TempFolder folder;
  REQUIRE(::mkdir((folder / "a").c_str(), 0755) == 0);
  REQUIRE(::chmod((folder / "a").c_str(), 0711) == 0);
  REQUIRE(make_directories(folder / "a", 0700));
  REQUIRE(make_directories(folder / "a//b/", 0700));
  struct stat status{};
  REQUIRE(::stat((folder / "a").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0711);
}

TEST_CASE("make_directories names the element that is in the way") {
  const TempFolder folder;
  test::write_file(folder / "a/file", "x");
  const auto made = make_directories(folder / "a/file/b/c", 0700);
  REQUIRE_FALSE(made);
  CHECK(made.error().code == ErrorCode::conflict);
  CHECK(made.error().message == (folder / "a/file") + " exists and is not a directory");
}

TEST_CASE("parent_directory works on text alone") {
  CHECK(parent_directory("/a/b/c") == "/a/b");
  CHECK(parent_directory("/a") == "/");
  CHECK(parent_directory("a") == ".");
}
