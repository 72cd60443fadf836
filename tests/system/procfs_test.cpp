#include "daemon/system/procfs.h"

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>

namespace clusterd {
namespace {

std::string stat_line(const std::string& command) {
  return "42 (" + command +
         ") S 7 42 41 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 3 0 99 1000 2000 18446744073709551615\n";
}

TEST_CASE("a command with parentheses, blanks and newlines does not shift the fields behind it") {
  for (const char* command : {"node", "a b", ") R 1 1 1", "((", "x\ny) (z"}) {
    const auto stat = parse_process_stat(stat_line(command));
    REQUIRE(stat);
    CHECK(stat->pid == 42);
    CHECK(stat->command == command);
    CHECK(stat->state == 'S');
    CHECK(stat->parent == 7);
    CHECK(stat->session == 41);
    CHECK(stat->threads == 3);
  }
}

TEST_CASE("a stat line that is cut off gives nothing") {
  const std::string line = stat_line("node");
  CHECK_FALSE(parse_process_stat(line.substr(0, 50)));
  for (const char* text : {"", "42", "42 (", "42 )(", "42 (x)", "42 (x) S"})
    CHECK_FALSE(parse_process_stat(text));
}

TEST_CASE("a zombie counts as living only while other threads of it run") {
  ProcessStat stat{.command = {}, .state = 'Z', .threads = 1};
  CHECK_FALSE(stat.living());
  stat.threads = 2;
  CHECK(stat.living());
}

TEST_CASE("this process is found with its own facts") {
  const auto stat = read_process_stat(getpid());
  REQUIRE(stat);
  CHECK(stat->parent == getppid());
  CHECK(stat->session == getsid(0));
  const auto status = read_task_status(getpid());
  REQUIRE(status);
  CHECK(status->process == getpid());
  const auto pids = all_processes();
  CHECK(std::ranges::count(pids, getpid()) == 1);
  CHECK_FALSE(read_process_stat(-1));
  CHECK_FALSE(read_task_status(0));
}

}  // namespace
}  // namespace clusterd
