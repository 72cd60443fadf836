#include "daemon/system/trusted_open.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>

#include "tests/system/temp_folder.h"

namespace clusterd {
namespace {

constexpr int kFlags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC;
using test::TempFolder;

constexpr uid_t kNobody = 65534;

UniqueFd open_log(const std::string& path) { return trusted_open(path, kFlags, 0640, 0750); }

}  // namespace

TEST_CASE("a plain path is opened, missing folders are made") {
  const TempFolder folder;
  const std::string path = folder.path() + "/a//b/web.log";
  CHECK(open_log(path));
  CHECK(std::filesystem::is_regular_file(path));
  CHECK_FALSE(open_log(folder.path() + "/a/"));
}

TEST_CASE("links of our own are followed, relative and absolute, to files and to folders") {
  const TempFolder folder;
  std::filesystem::create_directory(folder.path() + "/real");
  std::filesystem::create_directory_symlink("real", folder.path() + "/relative");
  std::filesystem::create_directory_symlink(folder.path() + "/real", folder.path() + "/absolute");
  CHECK(open_log(folder.path() + "/relative/one.log"));
  CHECK(open_log(folder.path() + "/absolute/two.log"));
  std::filesystem::create_symlink("one.log", folder.path() + "/real/link.log");
  CHECK(open_log(folder.path() + "/real/link.log"));
  CHECK(std::filesystem::exists(folder.path() + "/real/two.log"));
}

TEST_CASE("a link of another user is refused, as the file and as a folder on the way") {
  if (geteuid() != 0) {
    WARN("not checked: making a link of another user needs root");
    return;
  }
  const TempFolder folder;
  std::filesystem::create_directory(folder.path() + "/victim");
  for (const char* name : {"/folder", "/file.log"}) {
    std::filesystem::create_symlink("victim", folder.path() + name);
    REQUIRE(lchown((folder.path() + name).c_str(), kNobody, kNobody) == 0);
  }
  CHECK_FALSE(open_log(folder.path() + "/folder/web.log"));
  CHECK(errno == EACCES);
  CHECK_FALSE(open_log(folder.path() + "/file.log"));
  CHECK(errno == EACCES);
  CHECK(std::filesystem::is_empty(folder.path() + "/victim"));
}

TEST_CASE("links in a circle end") {
  const TempFolder folder;
  std::filesystem::create_symlink("b", folder.path() + "/a");
  std::filesystem::create_symlink("a", folder.path() + "/b");
  CHECK_FALSE(open_log(folder.path() + "/a"));
  CHECK(errno == ELOOP);
}

}  // namespace clusterd
