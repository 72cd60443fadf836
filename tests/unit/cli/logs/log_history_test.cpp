// What `logs` finds in the files of a log: the present one, and the rotated ones before it.
#include "cli/logs/log_history.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "common/date_format.h"
#include "tests/unit/cli/temp_folder.h"

using namespace clusterd::cli;

namespace {

constexpr std::int64_t kBegin = 1'790'000'000'000;

std::string stamp(int second) { return clusterd::iso_utc(kBegin + second * 1000); }

// "web__2026-01-31_12-00-NN.log": moved aside at the second NN.
std::string rotated(int second) {
  return "web__2026-01-31_12-00-" + std::string(second < 10 ? "0" : "") + std::to_string(second) + ".log";
}

std::string numbers(int from, int to) {
  std::string text;
  for (int i = from; i <= to; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

struct Fixture {
  Fixture() { source.path = folder.at("web.log"), source.next_rotated = rotated(50); }

  std::string write(const std::string& name, std::string_view text, int changed_second) {
    const std::string path = folder.write(name, text);
    const std::int64_t ms = kBegin + changed_second * 1000;
    const timespec times[2] = {{ms / 1000, ms % 1000 * 1'000'000}, {ms / 1000, ms % 1000 * 1'000'000}};
    REQUIRE(utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
    return path;
  }
  void present(std::string_view text) {
    write("web.log", text, 60);
    source.offset = static_cast<std::int64_t>(text.size());
  }
  void compress(const std::string& name, const std::string& program) const {
    REQUIRE(std::system((program + " -q " + folder.at(name)).c_str()) == 0);
    if (program == "zstd") std::filesystem::remove(folder.at(name));
  }
  std::string shown() {
    LogHistory history(options, kBegin + 60'000, [this](const std::string& note) { notes += note + "\n"; });
    history.add(source);
    std::string text;
    history.show([&](const LogSource&, const LineSource::Line& line) {
      if (!options.grep ||
          options.grep->found_in(std::string_view(line.text).substr(0, line.text.size() - 1)))
        text += line.text;
      return true;
    });
    return text;
  }
  std::string last(int lines) {
    options.lines = lines;
    return shown();
  }

  TempFolder folder;
  LogFileSource source;
  LogsOptions options;
  std::string notes;
};

}  // namespace

TEST_CASE_METHOD(Fixture, "the last lines go back into rotated files, whatever their form, newest first") {
  write(rotated(1), numbers(1, 10), 1);
  write(rotated(2), numbers(11, 20), 2);
  write(rotated(3), numbers(21, 30), 3);
  compress(rotated(1), "gzip");
  compress(rotated(2), "zstd");
  present(numbers(31, 33));
  CHECK(last(2) == numbers(32, 33));
  CHECK(last(3) == numbers(31, 33));
  CHECK(last(5) == numbers(29, 33));
  CHECK(last(13) == numbers(21, 33));
  CHECK(last(14) == numbers(20, 33));
  CHECK(last(27) == numbers(7, 33));
  CHECK(last(1000) == numbers(1, 33));
  CHECK(notes.empty());
}

TEST_CASE_METHOD(Fixture, "a log that has just been rotated has nothing but rotated files") {
  write(rotated(1), numbers(1, 30), 1);
  CHECK(last(3) == numbers(28, 30));  // no file at all
  present("");
  CHECK(last(3) == numbers(28, 30));
  write("web__notes.log", "no log\n", 2);
  write("webs__2026-01-31_12-00-02.log", "of another one\n", 2);
  CHECK(last(3) == numbers(28, 30));
}

TEST_CASE_METHOD(Fixture, "what a daemon of before does not say is not looked for") {
  write(rotated(1), numbers(1, 10), 1);
  present(numbers(11, 12));
  source.next_rotated.clear();
  CHECK(last(5) == numbers(11, 12));
}

TEST_CASE_METHOD(Fixture, "what was moved aside after the live events began is left to them") {
  write(rotated(49), numbers(1, 10), 49);
  present(numbers(11, 12));
  source.identity = FileTail::open(source.path)->facts()->identity;
  std::filesystem::rename(source.path, folder.at(rotated(50)));
  write(rotated(51), "line 13\n", 61);
  write("web.log", "line 14\n", 62);
  CHECK(last(4) == numbers(9, 12));
  compress(rotated(50), "gzip");  // its inode has gone, too
  CHECK(last(4) == numbers(9, 12));
  CHECK(last(2) == numbers(11, 12));
  source.offset = 8;  // the rest of it has come as events
  CHECK(last(2) == numbers(10, 11));
  CHECK(notes.empty());
}

TEST_CASE_METHOD(Fixture, "a clock that was put back does not hide files") {
  write("web__2026-01-31_12-59-59.log", numbers(1, 10), -300);
  present(numbers(11, 12));
  CHECK(last(4) == numbers(9, 12));
}

TEST_CASE_METHOD(Fixture, "a file that is being compressed comes once") {
  write(rotated(1), numbers(1, 10), 1);
  write(rotated(1) + ".gz.part", "half", 2);
  present(numbers(11, 12));
  CHECK(last(100) == numbers(1, 12));
  compress(rotated(1), "gzip");
  write(rotated(1), numbers(1, 10), 1);  // both are there for a moment
  CHECK(last(100) == numbers(1, 12));
}

TEST_CASE_METHOD(Fixture, "a damaged file gives what can be read, and a word") {
  const std::string program = GENERATE("gzip", "zstd");
  const std::string ending = program == "gzip" ? ".gz" : ".zst";
  write(rotated(1), numbers(1, 10), 1);
  write(rotated(2), numbers(11, 200'000), 2);
  compress(rotated(2), program);
  present(numbers(200'001, 200'002));
  const std::string path = folder.at(rotated(2) + ending);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  const std::string text = last(kLogLinesMax);
  CHECK(text.starts_with(numbers(1, 1000)));
  CHECK(text.ends_with("\n" + numbers(200'001, 200'002)));
  CHECK(notes == path + " is damaged: only what stands before that is shown\n");
  write(rotated(2) + ending, "no archive at all", 2);
  CHECK(last(5) == numbers(8, 10) + numbers(200'001, 200'002));
  write(rotated(2) + ending, "", 2);
  CHECK(last(5) == numbers(8, 10) + numbers(200'001, 200'002));
}

TEST_CASE_METHOD(Fixture, "more lines than are kept of the first pass are read in a second one") {
  const std::string all = numbers(1, 100'000);
  REQUIRE(all.size() > 4 * 256 * 1024);
  write(rotated(1), all, 1);
  compress(rotated(1), GENERATE("gzip", "zstd"));
  present("");
  CHECK(last(10) == numbers(99'991, 100'000));
  CHECK(last(90'000) == numbers(10'001, 100'000));
  CHECK(last(100'000) == all);
}

TEST_CASE_METHOD(Fixture, "lines that are looked for are counted across files") {
  write(rotated(1), numbers(1, 100), 1);
  write(rotated(2), numbers(101, 200), 2);
  compress(rotated(GENERATE(1, 2)), "gzip");
  present(numbers(201, 210));
  REQUIRE(set_log_grep(options, "^line [0-9]*7$"));
  CHECK(last(3) == "line 187\nline 197\nline 207\n");
  CHECK(last(13) == "line 87\nline 97\n" + last(11));
  CHECK(last(13).starts_with("line 87\nline 97\nline 107\n"));
  REQUIRE(set_log_grep(options, "^line 1$"));
  CHECK(last(1) == "line 1\n");
}

TEST_CASE_METHOD(Fixture, "what was written since goes back as far as that, by stamps") {
  const auto stamped = [](int from, int to) {
    std::string text;
    for (int i = from; i <= to; ++i) text += stamp(i) + " line " + std::to_string(i) + "\n    at f()\n";
    return text;
  };
  write(rotated(1), stamped(1, 10), 10);
  write(rotated(2), stamped(11, 20), 20);
  write(rotated(3), stamped(21, 30), 30);
  compress(rotated(1), "gzip");
  compress(rotated(2), "zstd");
  present(stamped(31, 33));
  for (const int second : {1, 5, 10, 11, 15, 21, 25, 31, 32}) {
    INFO(second);
    REQUIRE(set_log_since(options, stamp(second)));
    CHECK(shown() == stamped(second, 33));
  }
  REQUIRE(set_log_since(options, stamp(9)));
  CHECK(last(4) == stamped(32, 33));
  CHECK(last(44) == stamped(12, 33));
  CHECK(last(1000) == stamped(9, 33));
  CHECK(notes.empty());
}

TEST_CASE_METHOD(Fixture, "lines without stamps are known to be later than the file before them") {
  write(rotated(1), numbers(1, 30), 10);
  write(rotated(2), numbers(31, 60), 20);
  compress(rotated(GENERATE(1, 2)), "gzip");
  present(numbers(61, 62));
  source.marks = TimeMarks({{0, kBegin + 30'000}});
  REQUIRE(set_log_since(options, stamp(10)));
  CHECK(shown() == numbers(16, 62));  // when those of the first were written nobody knows
  CHECK(notes.find("nobody knows when its lines were written; the last 15 are shown") != std::string::npos);
}

TEST_CASE_METHOD(Fixture, "the daemon remembers when it wrote what of the file it moved aside last") {
  write(rotated(1), numbers(1, 9), 10);
  write(rotated(2), numbers(10, 19), 20);  // eight bytes a line
  if (GENERATE(false, true)) compress(rotated(2), "gzip");
  present(numbers(20, 21));
  source.marks = TimeMarks({{0, kBegin + 20'000}});
  source.rotated = {rotated(2),
                    TimeMarks({{0, kBegin + 11'000}, {16, kBegin + 15'000}, {64, kBegin + 18'000}})};
  const auto since = [&](int second) {
    REQUIRE(set_log_since(options, stamp(second)));
    return shown();
  };
  CHECK(since(20) == numbers(20, 21));
  CHECK(since(19) == numbers(20, 21));
  CHECK(since(18) == numbers(18, 21));
  CHECK(since(15) == numbers(12, 21));
  CHECK(since(11) == numbers(10, 21));
  CHECK(notes.empty());
}

TEST_CASE_METHOD(Fixture, "files of other names go before it, each once whatever it is called meanwhile") {
  for (const int number : {1, 2, 3})
    source.older.push_back(folder.at("web." + std::to_string(number) + ".log"));
  source.next_rotated.clear();
  present(numbers(21, 22));
  source.identity = FileTail::open(source.path)->facts()->identity;
  write("web.1.log", numbers(11, 20), 2);
  write("web.2.log", numbers(1, 10), 1);
  CHECK(last(100) == numbers(1, 22));
  CHECK(last(5) == numbers(18, 22));
  std::filesystem::rename(folder.at("web.2.log"), folder.at("web.3.log"));
  std::filesystem::rename(folder.at("web.1.log"), folder.at("web.2.log"));
  std::filesystem::rename(source.path, folder.at("web.1.log"));
  CHECK(last(100) == numbers(1, 22));
}

TEST_CASE_METHOD(Fixture, "a rotated file that ends within a line is not joined with the next") {
  write(rotated(1), "one\ntw", 1);
  present("three\n");
  CHECK(last(5) == "one\ntw\nthree\n");
}
