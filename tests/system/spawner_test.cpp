// What a process gets from a launch, seen from inside real processes.
#include "daemon/system/spawner.h"

#include <grp.h>
#include <pwd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "daemon/system/listening_socket.h"
#include "launched.h"
#include "temp_folder.h"

namespace clusterd::test {
namespace {

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

nlohmann::json probe(LaunchPlan plan, const TempFolder& folder) {
  plan.argv.insert(plan.argv.begin(), {program_path("t-probe"), folder / "probe.json", "--exit", "0", "--"});
  Launched launched(std::move(plan));
  CHECK(launched.outcome() == LaunchChannel::State::executed);
  CHECK(launched.wait_status() == 0);
  auto seen = nlohmann::json::parse(file_content(folder / "probe.json"));
  CHECK(seen["pid"] == launched.pid());
  return seen;
}

TEST_CASE("arguments and environment arrive byte for byte") {
  const TempFolder folder;
  LaunchPlan plan;
  plan.argv = {"", " two  blanks ", "\xff\xfe", "new\nline", "--x=$HOME `id` \"'"};
  plan.environment = {"A=1", "EMPTY=", "BYTES=\xc3\x28", "no-equals-sign"};
  const auto seen = probe(plan, folder);
  const auto argv = seen["argv"].get<std::vector<std::string>>();
  REQUIRE(argv.size() >= 5);
  const std::vector<std::string> tail(argv.end() - 5, argv.end());
  CHECK(tail ==
        std::vector<std::string>{"", " two  blanks ", "\u00ff\u00fe", "new\nline", "--x=$HOME `id` \"'"});
  CHECK(seen["env"] == nlohmann::json({"A=1", "EMPTY=", "BYTES=\u00c3(", "no-equals-sign"}));
}

TEST_CASE("a launched process leads its own session and inherits no descriptor, signal state or umask") {
  const TempFolder folder;
  const UniqueFd leaky(dup(STDIN_FILENO));  // not close-on-exec, as a careless library would leave it
  const mode_t before = umask(0077);
  signal(SIGPIPE, SIG_IGN);
  const auto seen = probe({}, folder);
  signal(SIGPIPE, SIG_DFL);
  umask(before);
  CHECK(seen["sid"] == seen["pid"]);
  CHECK(seen["pgid"] == seen["pid"]);
  CHECK(seen["umask"] == 0022);
  CHECK(seen["stdin"] == 0);  // bytes until its end
  CHECK(seen["blocked"].get<std::string>().find_first_not_of('0') == std::string::npos);
  CHECK(seen["ignored"].get<std::string>().find_first_not_of('0') == std::string::npos);
  CHECK(seen["no_new_privs"] == 0);
  std::set<std::string> numbers;
  for (const auto& [number, target] : seen["fds"].items()) numbers.insert(number);
  CHECK(numbers == std::set<std::string>{"0", "1", "2"});
}

TEST_CASE("the working directory is entered and relative programs are found from there") {
  const TempFolder folder;
  write_file(folder / "run/me.sh", "#!/bin/sh\npwd\n");
  std::filesystem::permissions(folder / "run/me.sh", std::filesystem::perms::owner_all);
  LaunchPlan plan = program_plan({"run/me.sh"});
  plan.cwd = folder.path();
  Launched launched(plan);
  CHECK(launched.outcome() == LaunchChannel::State::executed);
  CHECK(launched.text() == folder.path() + "\n");
}

TEST_CASE("standard output and standard error are separate, and /dev/null where none is given") {
  Pipe out, err;
  LaunchPlan plan = shell_plan("echo out; echo err >&2");
  plan.out_fd = out.write_end.get();
  plan.err_fd = err.write_end.get();
  const auto both = spawn_launcher(launcher_path(), plan);
  REQUIRE(both);
  out.write_end.reset();
  err.write_end.reset();
  CHECK(read_text(out.read_end.get()) == "out\n");
  CHECK(read_text(err.read_end.get()) == "err\n");
  CHECK(waitpid(both->pid, nullptr, 0) == both->pid);

  plan = shell_plan("test /dev/fd/1 -ef /dev/null && test /dev/fd/2 -ef /dev/null");
  const auto none = spawn_launcher(launcher_path(), plan);
  REQUIRE(none);
  int status = -1;
  CHECK(waitpid(none->pid, &status, 0) == none->pid);
  CHECK(status == 0);
}

TEST_CASE("passed descriptors follow the sockets and their variables hold the numbers") {
  const int sockets = GENERATE(0, 2);
  Pipe first, second;
  LaunchPlan plan = shell_plan("echo one >&$FIRST_FD; echo two >&$SECOND_FD; echo $FIRST_FD $SECOND_FD");
  std::vector<UniqueFd> listeners;
  for (int i = 0; i < sockets; ++i) {
    auto fd = open_listening_socket({.family = AddressFamily::tcp4, .ip = {127, 0, 0, 1}, .path = {}});
    REQUIRE(fd);
    plan.sockets.push_back(fd->get());
    listeners.push_back(std::move(*fd));
  }
  plan.passed = {{first.write_end.get(), "FIRST_FD"}, {second.write_end.get(), "SECOND_FD"}};
  Launched launched(plan);
  first.write_end.reset();
  second.write_end.reset();
  CHECK(launched.text() == std::to_string(3 + sockets) + " " + std::to_string(4 + sockets) + "\n");
  CHECK(read_text(first.read_end.get()) == "one\n");
  CHECK(read_text(second.read_end.get()) == "two\n");
}

TEST_CASE("sockets stand from fd 3 on in the order of the plan, also more than one message carries") {
  const std::size_t count = GENERATE(1, 3, 250, 300, 600);
  std::vector<UniqueFd> sockets;
  LaunchPlan plan = program_plan({program_path("t-sys-sockets")});
  plan.environment.insert(plan.environment.end(), {"LISTEN_PID=1", "LISTEN_FDS=99", "LISTEN_FDNAMES=stale"});
  std::string ports;
  for (std::size_t i = 0; i < count; ++i) {
    auto fd = open_listening_socket({.family = AddressFamily::tcp4, .ip = {127, 0, 0, 1}, .path = {}});
    REQUIRE(fd);
    ports += std::to_string(local_address(fd->get())->port) + "\n";
    plan.sockets.push_back(fd->get());
    sockets.push_back(std::move(*fd));
  }
  plan.socket_names = {"web"};
  std::string names = "web";
  for (std::size_t i = 1; i < count; ++i) names += ":unknown";
  Launched launched(plan);
  CHECK(launched.outcome() == LaunchChannel::State::executed);
  CHECK(launched.text() == "fds=" + std::to_string(count) + " pid=1 names=" + names + "\n" + ports +
                               "open=" + std::to_string(count + 3) + "\n");
}

TEST_CASE("an environment near the kernel's limit is passed on whole") {
  LaunchPlan plan = shell_plan("echo ${#V0} ${#V14}");
  for (int i = 0; i < 15; ++i) {
    plan.environment.push_back("V" + std::to_string(i) + "=" + std::string(120'000, 'x'));
  }
  Launched launched(plan);
  CHECK(launched.outcome() == LaunchChannel::State::executed);
  CHECK(launched.text() == "120000 120000\n");
}

TEST_CASE("a program gets the soft limit of open files the daemon had, not the one it raised for itself") {
  LaunchPlan plan = shell_plan("ulimit -Sn; ulimit -Hn");
  plan.nofile_soft = 333;
  rlimit limit;
  REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  Launched launched(plan);
  CHECK(launched.text() == "333\n" + std::to_string(limit.rlim_max) + "\n");
}

TEST_CASE("user, group and supplementary groups are dropped to exactly what the plan says") {
  if (geteuid() != 0) {
    WARN("skipped: needs root");
    return;
  }
  LaunchPlan plan = shell_plan("id -u; id -g; id -G");
  plan.identity = Identity{65534, 65533, {65533, 40, 50}};
  Launched launched(plan);
  CHECK(launched.outcome() == LaunchChannel::State::executed);
  CHECK(launched.text() == "65534\n65533\n65533 40 50\n");
}

TEST_CASE("a launcher that is not installed is an error of the spawn and leaves nothing behind") {
  const std::size_t before = open_descriptors();
  const auto spawned = spawn_launcher("/nonexistent/clusterd-exec", shell_plan("true"));
  REQUIRE_FALSE(spawned);
  CHECK_THAT(spawned.error().message, Catch::Contains("/nonexistent/clusterd-exec"));
  CHECK(open_descriptors() == before);
  // A child that failed to execute may be there for a moment, but the reaper can have it.
  int status = 0;
  CHECK((waitpid(-1, &status, 0) > 0 || errno == ECHILD));
}

TEST_CASE("a hundred launches leave no descriptor behind") {
  const std::size_t before = open_descriptors();
  for (int i = 0; i < 100; ++i) {
    Launched launched(shell_plan("exit 3"));
    REQUIRE(WEXITSTATUS(launched.wait_status()) == 3);
    REQUIRE(launched.outcome() == LaunchChannel::State::executed);
  }
  CHECK(open_descriptors() == before);
}

}  // namespace
}  // namespace clusterd::test
