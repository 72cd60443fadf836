#include "cli/caller.h"

#include <unistd.h>

#include <catch2/catch.hpp>

#include "temp_folder.h"

using namespace clusterd;
using namespace clusterd::cli;

namespace {

// Puts the working directory and PWD back.
struct Restore {
  std::string cwd = std::filesystem::current_path();
  std::string pwd = getenv("PWD") != nullptr ? getenv("PWD") : "";
  ~Restore() {
    [[maybe_unused]] int result = chdir(cwd.c_str());
    setenv("PWD", pwd.c_str(), 1);
  }
};

}  // namespace

TEST_CASE("a `current` link the user came through stays in the path") {
  Restore restore;
  TempFolder folder;
  std::filesystem::create_directory(folder.at("release-7"));
  std::filesystem::create_directory_symlink("release-7", folder.at("current"));
  REQUIRE(chdir(folder.at("current").c_str()) == 0);
  setenv("PWD", folder.at("current").c_str(), 1);
  CHECK(observe_caller().cwd == folder.at("current"));
}

TEST_CASE("a PWD that lies is not believed") {
  Restore restore;
  TempFolder folder;
  REQUIRE(chdir(folder.path().c_str()) == 0);
  for (const char* lie : {"/", "relative", "/no/such/folder", ""}) {
    setenv("PWD", lie, 1);
    INFO(lie);
    CHECK(std::filesystem::equivalent(observe_caller().cwd, folder.path()));
  }
}

TEST_CASE("variables meant for one process are not passed on, look-alikes are") {
  Environment inherited = inherited_environment({{"LISTEN_FDS", "1"},
                                                 {"NOTIFY_SOCKET", "/x"},
                                                 {"WATCHDOG_USEC", "1"},
                                                 {"NODE_CHANNEL_FD", "3"},
                                                 {"CLUSTERD_INSTANCE", "7"},
                                                 {"status", "online"},
                                                 {"args", "--x"},
                                                 {"LISTEN", "3000"}});
  CHECK(inherited == Environment{{"status", "online"}, {"args", "--x"}, {"LISTEN", "3000"}});
}
