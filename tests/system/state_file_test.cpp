#include "daemon/system/state_file.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <random>
#include <set>

#include "tests/system/temp_folder.h"

using namespace clusterd;
using clusterd::test::file_content;
using clusterd::test::TempFolder;

namespace {

constexpr std::size_t kBytesMax = 1024 * 1024;

std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

// Whole contents are recognisable: one character throughout, closed by a newline.
std::string content_number(int number) {
  return std::string(20'000 + static_cast<std::size_t>(number) % 7 * 10'000,
                     static_cast<char>('a' + number % 26)) +
         "\n";
}

bool is_whole(const std::string& content) {
  return content.size() > 1 && content.back() == '\n' &&
         content.find_first_not_of(content[0]) == content.size() - 1;
}

void check_nothing_is_torn(const std::string& path) {
  const auto content = read_whole(path, kBytesMax);
  REQUIRE(content);
  REQUIRE(is_whole(*content));
  if (std::filesystem::exists(backup_path(path))) REQUIRE(is_whole(file_content(backup_path(path))));
}

// Runs one write in a child that is killed at the n-th stop before or after a system call. False: it got
// through to its end.
bool kill_write_at_stop(const std::string& path, const std::string& bytes, int n) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    ::raise(SIGSTOP);
    ::_exit(write_atomically(path, bytes) ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  for (int stop = 0; stop < n && WIFSTOPPED(status); ++stop) {
    ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    ::waitpid(child, &status, 0);
  }
  if (!WIFSTOPPED(status)) {
    REQUIRE(WIFEXITED(status));
    REQUIRE(WEXITSTATUS(status) == 0);
    return false;
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  return true;
}

}  // namespace

TEST_CASE("a state file is private, replaced as a whole, and its predecessor is kept") {
  const TempFolder folder;
  const std::string path = folder / "dump.json";
  REQUIRE(write_atomically(path, "one"));
  CHECK(names_in(folder.path()) == std::set<std::string>{"dump.json"});
  REQUIRE(write_atomically(path, "two"));
  REQUIRE(write_atomically(path, "three"));
  CHECK(read_whole(path, kBytesMax) == "three");
  CHECK(file_content(backup_path(path)) == "two");
  CHECK(names_in(folder.path()) == std::set<std::string>{"dump.json", "dump.json.bak"});
  struct stat status{};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0600);
}

TEST_CASE("the mode of a state file does not depend on the umask") {
  const TempFolder folder;
  const mode_t before = ::umask(0777);
  const auto written = write_atomically(folder / "pid", "1\n", 0644);
  ::umask(before);
  REQUIRE(written);
  struct stat status{};
  REQUIRE(::stat((folder / "pid").c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0644);
}

TEST_CASE("an interrupted write leaves a whole old or new file at every system call") {
  const TempFolder folder;
  const std::string path = folder / "state.json";
  REQUIRE(write_atomically(path, content_number(0)));
  REQUIRE(write_atomically(path, content_number(1)));

  int stops = 0;
  while (kill_write_at_stop(path, content_number(stops + 2), stops + 1)) {
    ++stops;
    check_nothing_is_torn(path);
    REQUIRE(stops < 1'000);
  }
  CHECK(stops > 10);
  CHECK(file_content(path) == content_number(stops + 2));
  CHECK(names_in(folder.path()) == std::set<std::string>{"state.json", "state.json.bak"});
}

TEST_CASE("a writer killed at any moment of a loop of writes leaves a whole file") {
  const TempFolder folder;
  const std::string path = folder / "state.json";
  REQUIRE(write_atomically(path, content_number(0)));
  std::mt19937 random(5);
  for (int round = 0; round < 20; ++round) {
    int progress[2];
    REQUIRE(::pipe(progress) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
      for (int number = 0; write_atomically(path, content_number(number)); ++number) {
        if (::write(progress[1], ".", 1) != 1) break;
      }
      ::_exit(1);
    }
    ::close(progress[1]);
    char byte = 0;
    for (auto writes = 1 + random() % 5; writes > 0; --writes) REQUIRE(::read(progress[0], &byte, 1) == 1);
    for (auto turns = random() % 20'000; turns > 0; --turns) ::getppid();
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(progress[0]);
    CHECK(WIFSIGNALED(status));
    check_nothing_is_torn(path);
  }
}

TEST_CASE("a write that fails leaves the old file and nothing else") {
  const TempFolder folder;
  const std::string path = folder / "state.json";
  REQUIRE(write_atomically(path, "old"));
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  rlimit tight = before;
  tight.rlim_cur = 1'000;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &tight) == 0);
  const auto written = write_atomically(path, content_number(0));
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  REQUIRE_FALSE(written);
  CHECK(written.error().message ==
        "cannot save " + path + " (writing); what was saved before is still there: File too large");
  CHECK(file_content(path) == "old");
  CHECK(names_in(folder.path()) == std::set<std::string>{"state.json"});
}

TEST_CASE("a write into a missing folder, or over a folder, is an error") {
  const TempFolder folder;
  CHECK(write_atomically(folder / "missing/state.json", "x").error().code == ErrorCode::not_found);
  std::filesystem::create_directory(folder / "state.json");
  CHECK_FALSE(write_atomically(folder / "state.json", "x"));
  CHECK(names_in(folder.path()) == std::set<std::string>{"state.json"});
}

TEST_CASE("reading tells a missing file from an unreadable and from a too long one") {
  const TempFolder folder;
  CHECK(read_whole(folder / "missing", kBytesMax).error().code == ErrorCode::not_found);
  CHECK(read_whole(folder.path(), kBytesMax).error().message.ends_with("not a regular file"));

  REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
  CHECK(read_whole(folder / "fifo", kBytesMax).error().message.ends_with("not a regular file"));

  test::write_file(folder / "long", std::string(100'001, 'x'));
  CHECK(read_whole(folder / "long", 100'001)->size() == 100'001);
  CHECK(read_whole(folder / "long", 100'000).error().message.ends_with("the limit of 100000 bytes"));
}

TEST_CASE("a broken file is set aside under a free name and nothing is overwritten") {
  const TempFolder folder;
  const std::string path = folder / "dump.json";
  for (int n = 1; n <= 3; ++n) {
    test::write_file(path, "broken " + std::to_string(n));
    CHECK(set_aside(path) == path + ".broken-" + std::to_string(n));
  }
  CHECK(file_content(path + ".broken-1") == "broken 1");
  CHECK(file_content(path + ".broken-3") == "broken 3");
  CHECK(set_aside(path).error().code == ErrorCode::not_found);
}
