#include "daemon/system/tree_watch.h"

#include <poll.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/system/temp_folder.h"

namespace fs = std::filesystem;

namespace clusterd {
namespace {

struct Fixture {
  test::TempFolder folder;
  std::string root = folder.path() + "/tree";
  TreeWatch watch = TreeWatch::create().value();

  Fixture() { fs::create_directory(root); }

  void begin(const std::vector<std::string>& roots) {
    watch.add(1, roots, [](const std::string& path) { return path.find("/skip") == std::string::npos; });
    scan();
  }
  void begin() { begin({root}); }
  void scan() {
    while (watch.scan(std::chrono::microseconds{1'000})) {
    }
  }
  void write(const std::string& path) { std::ofstream(path) << "x"; }

  // What has been reported until this path was, itself included.
  std::vector<std::string> until(const std::string& path) {
    std::vector<std::string> seen;
    while (std::ranges::find(seen, path) == seen.end()) {
      pollfd ready{watch.fd(), POLLIN, 0};
      REQUIRE(poll(&ready, 1, 5'000) == 1);
      for (const TreeWatch::Change& change : watch.read()) seen.push_back(change.path);
      scan();
    }
    return seen;
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a file that is written is one change, when it is closed") {
  begin();
  {
    std::ofstream file(root + "/a");
    file << "x" << std::flush;
    CHECK(watch.read().empty());
  }
  CHECK(until(root + "/a") == std::vector<std::string>{root + "/a"});
}

TEST_CASE_METHOD(Fixture, "an editor's save, a removal and a link are seen") {
  begin();
  write(folder.path() + "/new");
  fs::rename(folder.path() + "/new", root + "/a");
  until(root + "/a");
  fs::remove(root + "/a");
  until(root + "/a");
  fs::create_symlink("/nowhere", root + "/l");
  until(root + "/l");
}

TEST_CASE_METHOD(Fixture, "folders that come later are watched, with what they hold") {
  begin();
  fs::create_directories(root + "/x/y/z");
  until(root + "/x");
  scan();
  CHECK(watch.state(1).folders == 4);
  write(root + "/x/y/z/deep");
  until(root + "/x/y/z/deep");
}

TEST_CASE_METHOD(Fixture, "a folder that is moved away is not watched, moved back it is under its new name") {
  fs::create_directories(root + "/x/y");
  begin();
  CHECK(watch.state(1).folders == 3);
  fs::rename(root + "/x", folder.path() + "/away");
  until(root + "/x");
  CHECK(watch.state(1).folders == 1);
  write(folder.path() + "/away/y/unseen");
  fs::rename(folder.path() + "/away", root + "/back");
  const std::vector<std::string> seen = until(root + "/back");
  CHECK(seen == std::vector<std::string>{root + "/back"});
  write(root + "/back/y/seen");
  until(root + "/back/y/seen");
}

TEST_CASE_METHOD(Fixture, "what is not entered is not watched") {
  fs::create_directories(root + "/skip/deep");
  begin();
  CHECK(watch.state(1).folders == 1);
}

TEST_CASE_METHOD(Fixture, "a single file stays watched when it is replaced") {
  const std::string file = root + "/server";
  write(file);
  begin({file});
  for (int i = 0; i < 2; ++i) {
    write(root + "/other");
    fs::rename(root + "/other", file);
    until(file);
  }
}

TEST_CASE_METHOD(Fixture, "a link that is switched leads to the new tree") {
  fs::create_directories(root + "/one");
  fs::create_directories(root + "/two");
  fs::create_directory_symlink(root + "/one", root + "/current");
  begin({root + "/current"});
  write(root + "/current/a");
  until(root + "/current/a");
  fs::create_directory_symlink(root + "/two", root + "/next");
  fs::rename(root + "/next", root + "/current");
  until(root + "/current");
  write(root + "/one/unseen");
  write(root + "/two/seen");
  const std::vector<std::string> seen = until(root + "/current/seen");
  CHECK(std::ranges::find(seen, root + "/current/unseen") == seen.end());
}

TEST_CASE_METHOD(Fixture, "two owners of one folder both hear, and one may go") {
  begin();
  watch.add(2, {root}, [](const std::string&) { return true; });
  scan();
  write(root + "/a");
  const auto both = until(root + "/a");
  CHECK(std::ranges::count(both, root + "/a") == 2);
  watch.remove(1);
  write(root + "/b");
  const auto one = until(root + "/b");
  CHECK(std::ranges::count(one, root + "/b") == 1);
}

TEST_CASE_METHOD(Fixture, "a large tree is read in slices") {
  for (int i = 0; i < 300; ++i) fs::create_directories(root + "/" + std::to_string(i) + "/a");
  watch.add(1, {root}, [](const std::string&) { return true; });
  int slices = 1;
  while (watch.scan(std::chrono::microseconds{0})) ++slices;
  CHECK(slices > 100);
  CHECK(watch.state(1).folders == 601);
  CHECK(watch.state(1).complete);
  CHECK(watch.state(1).fault.empty());
}

TEST_CASE("kernel file systems are left alone") {
  TreeWatch watch = TreeWatch::create().value();
  watch.add(1, {"/proc"}, [](const std::string&) { return true; });
  while (watch.scan(std::chrono::microseconds{1'000})) {
  }
  CHECK(watch.state(1).folders == 0);
}

}  // namespace clusterd
