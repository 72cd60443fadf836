#include "cli/daemon_launcher.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "temp_folder.h"

using namespace clusterd;
using namespace clusterd::cli;

namespace {

constexpr std::chrono::milliseconds kDeadline{10'000};

struct Fixture {
  TempFolder folder;
  HomePaths paths = *home_paths(folder.at("home"), "");
  Caller caller{
      folder.path(), folder.path(), {{"PATH", "/usr/bin:/bin"}, {"NOTIFY_SOCKET", "/x"}, {"A", "1"}}, false};

  Fixture() { mkdir(paths.home.c_str(), 0700); }

  Result<> launch(const std::string& body, std::chrono::milliseconds timeout = kDeadline) {
    std::string program = folder.write("clusterd-daemon", "#!/bin/sh\n" + body, 0755);
    return launch_daemon(program, paths, caller, timeout);
  }
  std::string content(const std::string& name) {
    std::stringstream text;
    text << std::ifstream(folder.at(name)).rdbuf();
    return text.str();
  }
};

}  // namespace

TEST_CASE("a daemon that reports ready is a success") {
  Fixture fixture;
  CHECK(fixture.launch("echo ok >&3\n"));
}

TEST_CASE("the daemon gets its home, a clean world and nothing of ours") {
  Fixture fixture;
  int leaked = dup(0);  // a descriptor without close-on-exec, as a careless parent leaves them
  std::string folder = fixture.folder.path();
  REQUIRE(fixture.launch("{ echo \"$@\"; pwd; env; ls -l /proc/$$/fd; cut -d' ' -f1,6 /proc/$$/stat; } > '" +
                         folder + "/seen'; echo ok >&3\n"));
  close(leaked);
  std::string seen = fixture.content("seen");
  CHECK(seen.starts_with("--home " + fixture.paths.home + " --ready-fd 3\n/\n"));
  CHECK(seen.find("A=1") != std::string::npos);
  CHECK(seen.find("NOTIFY_SOCKET") == std::string::npos);
  CHECK(seen.find(" 0 -> /dev/null") != std::string::npos);
  CHECK(seen.find(" 2 -> /dev/null") != std::string::npos);
  CHECK(seen.find(" " + std::to_string(leaked) + " -> /dev/") == std::string::npos);
  std::stringstream last(seen.substr(seen.rfind('\n', seen.size() - 2) + 1));
  pid_t pid = 0, session = 0;
  last >> pid >> session;
  CHECK(pid > 0);
  CHECK(session == pid);  // closing the terminal does not reach it
}

TEST_CASE("what the daemon says about its failure reaches the user") {
  Fixture fixture;
  auto launched = fixture.launch("echo 'the lock is held by pid 12' >&3\n");
  REQUIRE_FALSE(launched);
  CHECK(launched.error().code == ErrorCode::no_daemon);
  CHECK(launched.error().message.find("the lock is held by pid 12") != std::string::npos);
}

TEST_CASE("a daemon that dies in silence is an error that names the log") {
  Fixture fixture;
  auto launched = fixture.launch("exit 1\n");
  REQUIRE_FALSE(launched);
  CHECK(launched.error().message.find("daemon.log") != std::string::npos);
}

TEST_CASE("a daemon that never gets ready is given up in time") {
  Fixture fixture;
  std::string fifo = fixture.folder.at("fifo");
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  auto launched = fixture.launch("read line < '" + fifo + "'\n", std::chrono::milliseconds(50));
  std::ofstream(fifo) << "end\n";  // lets the script go
  REQUIRE_FALSE(launched);
  CHECK(launched.error().message.find("did not become ready") != std::string::npos);
}

TEST_CASE("a program that cannot be executed is named") {
  Fixture fixture;
  auto launched = launch_daemon(fixture.folder.write("x", "", 0644), fixture.paths, fixture.caller);
  REQUIRE_FALSE(launched);
  CHECK(launched.error().code == ErrorCode::denied);
}

TEST_CASE("a home of another user is refused and left untouched") {
  if (geteuid() != 0) return;  // needs to give a folder away
  Fixture fixture;
  REQUIRE(chown(fixture.paths.home.c_str(), 65534, 65534) == 0);
  auto reached = connect_or_launch(fixture.paths, fixture.caller);
  REQUIRE_FALSE(reached);
  CHECK(reached.error().code == ErrorCode::denied);
  CHECK(std::filesystem::is_empty(fixture.paths.home));
}

TEST_CASE("root makes no default home in the folder of another user") {
  if (geteuid() != 0) return;
  Fixture fixture;
  fixture.caller.is_root = true;
  std::filesystem::remove(fixture.paths.home);
  REQUIRE(chown(fixture.folder.path().c_str(), 65534, 65534) == 0);
  auto reached = connect_or_launch(fixture.paths, fixture.caller);
  REQUIRE_FALSE(reached);
  CHECK(reached.error().code == ErrorCode::denied);
  CHECK_FALSE(std::filesystem::exists(fixture.paths.home));
}

TEST_CASE("a home that is no folder is refused") {
  Fixture fixture;
  std::filesystem::remove(fixture.paths.home);
  fixture.folder.write("home", "");
  auto reached = connect_or_launch(fixture.paths, fixture.caller);
  REQUIRE_FALSE(reached);
  CHECK(reached.error().message.find("not a folder") != std::string::npos);
}
