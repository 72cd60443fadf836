// Trees of real processes that do their best to get lost: own groups, own sessions, double forks, dead
// leaders.
#include "daemon/system/process_tree.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "daemon/system/procfs.h"
#include "daemon/system/reaper.h"
#include "launched.h"
#include "temp_folder.h"

namespace clusterd::test {
namespace {

// Orphans come to this process while one of these lives; at its end nothing of them is left.
class Subreaper {
 public:
  Subreaper() { prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }
  ~Subreaper() {
    do {
      for (const pid_t pid : descendants(getpid())) kill(pid, SIGKILL);
    } while (waitpid(-1, nullptr, 0) > 0);
    prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
  }
};

// "role pid" lines.
std::map<std::string, pid_t> read_roles(std::istream& text, std::size_t count) {
  std::map<std::string, pid_t> roles;
  std::string role;
  pid_t pid = 0;
  while (roles.size() < count && text >> role >> pid) roles[role] = pid;
  return roles;
}

std::map<std::string, pid_t> read_roles(int fd, std::size_t count) {
  std::string lines;
  for (std::size_t i = 0; i < count; ++i) lines += read_text(fd, Until::line);
  std::istringstream text(lines);
  return read_roles(text, count);
}

bool contains(const std::vector<pid_t>& pids, pid_t pid) { return std::ranges::count(pids, pid) == 1; }

// Kills and buries until nothing of the instance is left.
void bury(const ProcessTag& tag) {
  for (auto left = adopted_of(tag, {}, own_children()); !left.empty(); left = adopted_of(tag, {}, own_children())) {
    for (const pid_t pid : left) CHECK(signal_process(pid, SIGKILL));
    reap_children();
  }
  reap_children();
}

TEST_CASE("descendants are found through groups and sessions of their own, parents first") {
  const Subreaper subreaper;
  Launched leader(
      shell_plan("echo shell $$\n"
                 "setsid sh -c 'echo session $$; sleep 1000 & echo grandchild $!; wait' &\n"
                 "sleep 1000 & echo child $!; wait"));
  auto roles = read_roles(leader.output(), 4);
  REQUIRE(roles.size() == 4);
  const auto found = descendants(leader.pid());
  CHECK_FALSE(contains(found, leader.pid()));
  CHECK(contains(found, roles["session"]));
  CHECK(contains(found, roles["grandchild"]));
  CHECK(contains(found, roles["child"]));
  CHECK(std::ranges::find(found, roles["session"]) < std::ranges::find(found, roles["grandchild"]));
  for (const pid_t pid : found) CHECK(signal_process(pid, SIGKILL));
}

TEST_CASE("orphans of a dead leader are found by session and by marker, with what they started since") {
  const Subreaper subreaper;
  LaunchPlan plan = shell_plan(
      "(sleep 1000 & echo same $!)\n"
      "(setsid sh -c 'echo own $$; sleep 1000 & echo below $!; wait' &)\n"
      "(env -i PATH=$PATH setsid sh -c 'echo stranger $$; exec sleep 1000' &)\n"
      "exit 9");
  plan.environment.push_back("CLUSTERD_INSTANCE=home:web:0:1");
  Launched leader(plan);
  auto roles = read_roles(leader.output(), 4);
  REQUIRE(roles.size() == 4);
  int status = 0;
  REQUIRE(waitpid(leader.pid(), &status, 0) == leader.pid());
  leader.reaped();

  const ProcessTag tag{leader.pid(), "home:web:0:1"};
  const auto found = adopted_of(tag, {}, own_children());
  CHECK(contains(found, roles["same"]));
  CHECK(contains(found, roles["own"]));
  CHECK(contains(found, roles["below"]));
  // Without session and marker nothing says whose it is, and a wrong guess would kill a stranger.
  CHECK_FALSE(contains(found, roles["stranger"]));
  CHECK(adopted_of({leader.pid(), "home:web:0:2"}, {}, own_children()) == std::vector<pid_t>{roles["same"]});
  CHECK(adopted_of({1, ""}, {}, own_children()).empty());

  bury(tag);
  CHECK_FALSE(read_process_stat(roles["same"]));
  CHECK(read_process_stat(roles["stranger"]));
}

TEST_CASE(
    "a live leader of another instance is nobody's leftover, though it is our child and bears the marker") {
  const Subreaper subreaper;
  LaunchPlan plan = shell_plan("exec sleep 1000");
  plan.environment.push_back("CLUSTERD_INSTANCE=home:web:0:1");
  Launched other(plan);
  REQUIRE(other.outcome() == LaunchChannel::State::executed);
  CHECK(adopted_of({1, "home:web:0:1"}, {other.pid()}, own_children()).empty());
  CHECK(adopted_of({1, "home:web:0:1"}, {}, own_children()) == std::vector<pid_t>{other.pid()});
  CHECK(adopted_of({1, "home:web:0:11"}, {}, own_children()).empty());
}

TEST_CASE("a zombie is not living") {
  Launched child(shell_plan("exit 0"));
  siginfo_t info{};
  REQUIRE(waitid(P_PID, static_cast<id_t>(child.pid()), &info, WEXITED | WNOWAIT) == 0);
  CHECK_FALSE(contains(descendants(getpid()), child.pid()));
}

TEST_CASE("a process that is gone can be signalled, whole groups cannot") {
  Launched child(shell_plan("exit 0"));
  child.wait_status();
  CHECK(signal_process(child.pid(), SIGKILL));
  for (const pid_t pid : {1, 0, -1, -getpid()}) CHECK_FALSE(signal_process(pid, SIGTERM));
}

TEST_CASE("the reaper returns every child once, unknown ones included") {
  const Subreaper subreaper;
  reap_children();
  Launched leader(shell_plan("(sh -c 'echo orphan $$; read line < /dev/null; exit 55' &) ; exit 4"));
  auto roles = read_roles(leader.output(), 1);
  REQUIRE(roles.size() == 1);
  std::map<pid_t, int> statuses;
  siginfo_t info{};
  while (statuses.size() < 2 && waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) == 0) {
    for (const Reaped& reaped : reap_children())
      CHECK(statuses.emplace(reaped.pid, reaped.wait_status).second);
  }
  leader.reaped();
  CHECK(WEXITSTATUS(statuses.at(leader.pid())) == 4);
  CHECK(WEXITSTATUS(statuses.at(roles["orphan"])) == 55);
  CHECK(reap_children().empty());
}

}  // namespace
}  // namespace clusterd::test
