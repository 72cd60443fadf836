#include "cli/logs/timed_lines.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "cli/logs/line_search.h"
#include "cli/logs/log_history.h"
#include "common/date_format.h"
#include "tests/unit/cli/temp_folder.h"

using namespace clusterd::cli;

namespace {

std::string stamp(int second) { return clusterd::iso_utc(1'790'000'000'000 + second * 1000); }

void set_changed(const std::string& path, std::int64_t wall_ms) {
  const timespec time{wall_ms / 1000, wall_ms % 1000 * 1'000'000};
  const timespec times[2] = {time, time};
  REQUIRE(utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
}

std::unique_ptr<LineSource> lines_of(const std::string& path, TimeMarks marks = {}) {
  auto file = FileTail::open(path);
  REQUIRE(file);
  const auto facts = file->facts();
  return std::make_unique<TimedLines>(std::make_unique<FileRange>(std::move(*file), 0, facts->size), 0,
                                      std::move(marks), facts->changed_wall_ms);
}

std::string merged(std::vector<std::unique_ptr<LineSource>> files) {
  std::string text;
  merge_lines(files, [&](std::size_t, const LineSource::Line& line) {
    text += line.text;
    return true;
  });
  return text;
}

template <typename... Files>
std::vector<std::unique_ptr<LineSource>> list(Files... files) {
  std::vector<std::unique_ptr<LineSource>> result;
  (result.push_back(std::move(files)), ...);
  return result;
}

}  // namespace

TEST_CASE("stamped lines of several files come in the order of time, a stack trace with its line") {
  TempFolder folder;
  const std::string a =
      folder.write("a", stamp(1) + " a1\n" + stamp(4) + " a4\n    at f()\n" + stamp(6) + " a6\n");
  const std::string b = folder.write("b", stamp(2) + " b2\n" + stamp(5) + " b5\n");
  CHECK(merged(list(lines_of(a), lines_of(b))) == stamp(1) + " a1\n" + stamp(2) + " b2\n" + stamp(4) +
                                                      " a4\n    at f()\n" + stamp(5) + " b5\n" + stamp(6) +
                                                      " a6\n");
}

TEST_CASE("a file without times is one piece, at the time it was last written") {
  TempFolder folder;
  const std::string plain = folder.write("plain", "p1\np2\n");
  set_changed(plain, 1'790'000'003'000);
  const std::string stamped = folder.write("stamped", stamp(1) + " s1\n" + stamp(5) + " s5\n");
  CHECK(merged(list(lines_of(plain), lines_of(stamped))) == stamp(1) + " s1\np1\np2\n" + stamp(5) + " s5\n");
}

TEST_CASE("the daemon's marks give lines without stamps their place") {
  TempFolder folder;
  const std::string a = folder.write("a", "a1\na2\na3\n");
  const std::string b = folder.write("b", "b1\nb2\n");
  CHECK(merged(list(lines_of(a, TimeMarks({{0, 10}, {3, 30}, {6, 50}})),
                    lines_of(b, TimeMarks({{0, 20}, {3, 40}})))) == "a1\nb1\na2\nb2\na3\n");
}

TEST_CASE("a file's own order counts, whatever its stamps say; the last line may have no end") {
  TempFolder folder;
  const std::string a = folder.write("a", stamp(5) + " first\n" + stamp(1) + " second");
  CHECK(merged(list(lines_of(a))) == stamp(5) + " first\n" + stamp(1) + " second");
}

TEST_CASE("lines longer than a block are whole") {
  TempFolder folder;
  const std::string text = "x" + std::string(100'000, 'y') + "\nz\n";
  CHECK(merged(list(lines_of(folder.write("a", text)))) == text);
}

TEST_CASE("the time of a line: stamps, logfmt, JSON") {
  const std::int64_t time = 1'790'000'000'000;
  CHECK(line_time("2026-09-21T14:13:20Z hello") == time);
  CHECK(line_time("[2026-09-21 14:13:20.000+00:00] hello") == time);
  CHECK(line_time("time=2026-09-21T14:13:20.000Z level=info") == time);
  CHECK(line_time(R"({"level":30,"time":1790000000000,"msg":"x"})") == time);
  CHECK(line_time(R"({"message":"x","timestamp": "2026-09-21T14:13:20Z"})") == time);
  CHECK(line_time(R"({"ts":1790000000,"x":1})") == time);
  CHECK_FALSE(line_time("hello 2026-09-21T14:13:20Z"));
  CHECK_FALSE(line_time(""));
  CHECK_FALSE(line_time("{"));
  CHECK_FALSE(line_time(R"({"time":"soon"})"));
}

TEST_CASE("marks: what is before the first one is not known") {
  const TimeMarks marks({{100, 1000}, {200, 2000}});
  CHECK_FALSE(marks.time_at(99));
  CHECK(marks.time_at(100) == 1000);
  CHECK(marks.time_at(199) == 1000);
  CHECK(marks.time_at(5000) == 2000);
  CHECK_FALSE(marks.offset_since(999));
  CHECK(marks.offset_since(1000) == 100);
  CHECK(marks.offset_since(1001) == 200);
  CHECK(marks.offset_since(2001) > 1'000'000);
}

TEST_CASE("the part since an instant is found by halving, between lines without stamps, too") {
  TempFolder folder;
  std::string text;
  std::vector<std::int64_t> begins;
  for (int second = 0; second < 20'000; ++second) {
    begins.push_back(static_cast<std::int64_t>(text.size()));
    text += stamp(second) + " line\n";
    if (second % 7 == 0) text += "    at somewhere\n    at somewhere else\n";
  }
  const auto file = FileTail::open(folder.write("log", text));
  REQUIRE(file);
  const auto size = static_cast<std::int64_t>(text.size());
  for (const int second : {0, 1, 7, 8, 9'999, 12'345, 19'998, 19'999}) {
    INFO(second);
    CHECK(offset_since(*file, size, 1'790'000'000'000 + second * 1000) ==
          begins[static_cast<std::size_t>(second)]);
  }
  CHECK(offset_since(*file, size, 1'700'000'000'000) == 0);
  CHECK(offset_since(*file, size, 1'799'000'000'000) == size);
  const auto plain = FileTail::open(folder.write("plain", "a\nb\n"));
  CHECK_FALSE(offset_since(*plain, 4, 0));
}

TEST_CASE("history since: a file that was last written before is left out, one without times is said") {
  TempFolder folder;
  const std::string old = folder.write("old", "o\n");
  set_changed(old, 1'000);
  const std::string fresh = folder.write("fresh", "f1\nf2\n");
  set_changed(fresh, 3'600'000);
  LogsOptions options;
  REQUIRE(set_log_since(options, "10m"));
  REQUIRE(set_log_lines(options, "1"));
  std::string notes;
  LogHistory history(options, 3'600'000, [&](const std::string& note) { notes += note; });
  for (const std::string& path : {old, fresh}) {
    LogFileSource source;
    source.path = path;
    source.offset = 100;
    history.add(std::move(source));
  }
  std::string text;
  history.show([&](const LogSource&, const LineSource::Line& line) {
    text += line.text;
    return true;
  });
  CHECK(text == "f2\n");
  CHECK(notes.find(fresh + ": nobody knows when") != std::string::npos);
}
