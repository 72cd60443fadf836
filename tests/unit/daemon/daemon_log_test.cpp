#include "daemon/daemon_log.h"

#include <spdlog/spdlog.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>

#include "tests/system/temp_folder.h"

using namespace clusterd;
using clusterd::test::file_content;
using clusterd::test::TempFolder;

namespace {

// Puts the default logger back, so that no other test writes into a removed folder.
struct DefaultLoggerGuard {
  std::shared_ptr<spdlog::logger> before = spdlog::default_logger();
  ~DefaultLoggerGuard() { spdlog::set_default_logger(before); }
};

}  // namespace

TEST_CASE("the daemon logs one line of keys and values with the time in UTC, at once") {
  const TempFolder folder;
  const DefaultLoggerGuard guard;
  REQUIRE(start_daemon_log(folder / "daemon.log", StderrLog::off));
  spdlog::info("web.0 started with pid {}", 42);
  const std::regex line(
      R"(time=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z level=info pid=\d+ msg="web\.0 started with pid 42"\n)");
  CHECK(std::regex_match(file_content(folder / "daemon.log"), line));
}

TEST_CASE("no message can forge a line of the daemon's log") {
  const TempFolder folder;
  const DefaultLoggerGuard guard;
  REQUIRE(start_daemon_log(folder / "daemon.log", StderrLog::off));
  spdlog::warn("a\"b\\c\nlevel=error \x1b[2J\x7f\xc3\xa9");
  const std::string text = file_content(folder / "daemon.log");
  CHECK(text.ends_with("msg=\"a\\\"b\\\\c\\nlevel=error \\x1b[2J\\x7f\xc3\xa9\"\n"));
  CHECK(std::count(text.begin(), text.end(), '\n') == 1);
}

TEST_CASE("the daemon's log is private and appended to by the next daemon") {
  const TempFolder folder;
  const DefaultLoggerGuard guard;
  REQUIRE(start_daemon_log(folder / "daemon.log", StderrLog::off));
  spdlog::info("first");
  REQUIRE(start_daemon_log(folder / "daemon.log", StderrLog::off));
  spdlog::info("second");
  const std::string text = file_content(folder / "daemon.log");
  CHECK(text.find("first") < text.find("second"));
  using std::filesystem::perms;
  CHECK(std::filesystem::status(folder / "daemon.log").permissions() ==
        (perms::owner_read | perms::owner_write));
}

TEST_CASE("the daemon's log cannot fill the disk, and rotated files are private too") {
  const TempFolder folder;
  const DefaultLoggerGuard guard;
  REQUIRE(start_daemon_log(folder / "daemon.log", StderrLog::off));
  const std::string long_message(1024 * 1024, 'x');
  for (int i = 0; i < 60; ++i) spdlog::info(long_message);
  std::uintmax_t bytes = 0;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    ++files;
    bytes += entry.file_size();
    using std::filesystem::perms;
    CHECK(entry.status().permissions() == (perms::owner_read | perms::owner_write));
  }
  CHECK(files == kDaemonLogFilesKept + 1);
  CHECK(bytes <= (kDaemonLogFilesKept + 1) * kDaemonLogBytesMax);
}

TEST_CASE("a log that cannot be opened is an error with its path") {
  const TempFolder folder;
  test::write_file(folder / "file", "x");
  const auto started = start_daemon_log(folder / "file/daemon.log", StderrLog::off);
  REQUIRE_FALSE(started);
  CHECK(started.error().message.find("file/daemon.log") != std::string::npos);
}
