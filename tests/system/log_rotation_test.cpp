// The part of LogFile that moves files aside, and what is done to them afterwards.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <future>

#include "daemon/system/compressor.h"
#include "daemon/system/log_file.h"
#include "tests/system/temp_folder.h"

using namespace clusterd;
using namespace std::chrono_literals;
using clusterd::test::file_content;
using clusterd::test::TempFolder;

namespace {

// A log whose files are moved to "1", "2" ...
struct Fixture {
  explicit Fixture(std::uint64_t size_max) : log(folder / "web.log", {}), writer(log.add_writer()) {
    log.set_rotation(size_max, [this](MonotonicTime) {
      ++asked;
      if (!possible) return false;
      REQUIRE(log.move_to(std::to_string(++moved)));
      return true;
    });
  }
  void write(std::string_view bytes, MonotonicTime now = 0s) { log.write(writer, bytes, now); }
  std::string old(int number) const { return file_content(folder / std::to_string(number)); }
  std::string current() const { return file_content(folder / "web.log"); }

  TempFolder folder;
  LogFile log;
  LogFile::Writer writer;
  bool possible = true;
  int asked = 0;
  int moved = 0;
};

std::string output_of(const std::string& command) {
  std::FILE* pipe = ::popen(command.c_str(), "r");
  std::string text;
  for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  ::pclose(pipe);
  return text;
}

}  // namespace

TEST_CASE("files are as large as they may be, and end with a line") {
  Fixture f(10);
  f.write("one\ntwo\nthree\nfour\nfi");
  CHECK(f.old(1) == "one\ntwo\n");
  CHECK(f.old(2) == "three\n");
  CHECK(f.current() == "four\nfi");
  f.write("ve\nsix\n");
  CHECK(f.old(3) == "four\nfive\n");
  CHECK(f.current() == "six\n");
}

TEST_CASE("when the file that was moved aside last was written is remembered") {
  Fixture f(10);
  CHECK(f.log.last_rotated().name.empty());
  f.write("one\n", 1ms);
  f.write("two\n", 2ms);
  f.write("three\n", 3ms);
  CHECK(f.log.last_rotated().name == "1");
  CHECK(f.log.last_rotated().marks == std::vector<TimeMark>{{0, 1ms}, {4, 2ms}});
  CHECK(f.log.time_marks() == std::vector<TimeMark>{{0, 3ms}});
}

TEST_CASE("a line that is longer than the limit has a file of its own") {
  Fixture f(4);
  f.write("a\nthis is long\nb\n");
  CHECK(f.old(1) == "a\n");
  CHECK(f.old(2) == "this is long\n");
  CHECK(f.current() == "b\n");
}

TEST_CASE("whatever is printed is in the files, once and in order") {
  constexpr std::size_t kLineMax = 110;
  Fixture f(1000);
  std::string printed;
  for (int i = 0; i < 3000; ++i) printed += "line " + std::to_string(i) + std::string(i % 97, 'x') + "\n";
  for (std::size_t at = 0, step = 1; at < printed.size(); at += step, step = step * 7 % 4001)
    f.write(std::string_view(printed).substr(at, step));
  std::string kept;
  for (int i = 1; i <= f.moved; ++i) {
    const std::string part = f.old(i);
    CHECK(part.size() <= 1000 + kLineMax);  // the rest of a line whose beginning was there already
    CHECK(part.ends_with('\n'));
    kept += part;
  }
  CHECK(f.moved > 50);
  CHECK(kept + f.current() == printed);
}

TEST_CASE("asked to rotate, a file waits for the end of its line, and an empty one stays") {
  Fixture f(0);
  f.log.rotate_soon(0s);
  f.write("unfin");
  f.log.rotate_soon(0s);
  CHECK(f.moved == 0);
  f.write("ished\nnext\n");
  CHECK(f.old(1) == "unfinished\n");
  CHECK(f.current() == "next\n");
  f.log.rotate_soon(0s);
  CHECK(f.old(2) == "next\n");
  f.log.rotate_soon(0s);
  CHECK(f.moved == 2);
}

TEST_CASE("a file that cannot be moved grows on, and is tried again after a while") {
  Fixture f(4);
  f.possible = false;
  for (int i = 0; i < 10; ++i) f.write("line\n");
  CHECK(f.asked == 1);
  CHECK(f.current().size() == 50);
  f.possible = true;
  f.write("new\n", kRotationRetryInterval);
  CHECK(f.old(1).size() == 50);
  CHECK(f.current() == "new\n");
}

TEST_CASE("no file is overwritten, and no link is moved") {
  Fixture f(0);
  f.write("x\n");
  test::write_file(f.folder / "taken", "old");
  const auto taken = f.log.move_to("taken");
  REQUIRE_FALSE(taken);
  CHECK(taken.error().code == ErrorCode::conflict);
  CHECK(file_content(f.folder / "taken") == "old");

  test::write_file(f.folder / "real.log", "");
  std::filesystem::create_symlink(f.folder / "real.log", f.folder / "link.log");
  LogFile linked(f.folder / "link.log", {});
  const auto moved = linked.move_to("free");
  REQUIRE_FALSE(moved);
  CHECK(moved.error().message.find("symbolic link") != std::string::npos);
}

TEST_CASE("the budget of all files is a limit for each") {
  const TempFolder folder;
  std::vector<std::string> notices;
  LogFile log(folder / "web.log", [&](const std::string& sentence) { notices.push_back(sentence); });
  LogBudget budget;
  log.set_budget(&budget);
  const auto writer = log.add_writer();
  log.write(writer, "free\n", 0s);
  budget.set(6);
  log.write(writer, "four\n", 0s);
  log.write(writer, "five\n", 1s);
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].find("max_total_log_size") != std::string::npos);
  budget.set(100);
  log.write(writer, "six\n", 5s);
  CHECK(file_content(folder / "web.log") == "free\nfour\nsix\n");
  CHECK(notices.size() == 2);

  budget.set(0);
  log.write(writer, "no room\n", 6s);
  REQUIRE(log.truncate());
  log.write(writer, "again\n", 6s);
  CHECK(file_content(folder / "web.log") == "again\n");
}

TEST_CASE("a compressed file has the bytes, the mode and the time of the original") {
  using How = LogRotation::Compression;
  const auto how = GENERATE(How::gzip, How::zstd);
  const TempFolder folder;
  const std::string path = folder / "web__x.log";
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "line " + std::to_string(i) + "\n";
  test::write_file(path, text);
  REQUIRE(::chmod(path.c_str(), 0640) == 0);
  const timespec times[2] = {{1000, 0}, {2000, 500'000'000}};
  REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);

  std::promise<std::string> trouble;
  Compressor compressor([&](const Compressor::Job&, const std::string& said) { trouble.set_value(said); });
  compressor.submit({std::filesystem::path(path).parent_path(), "web__x.log", how});
  CHECK(trouble.get_future().get().empty());

  const std::string result = path + (how == How::gzip ? ".gz" : ".zst");
  struct stat facts{};
  REQUIRE(::stat(result.c_str(), &facts) == 0);
  CHECK((facts.st_mode & 07777) == 0640);
  CHECK(facts.st_mtim.tv_sec == 2000);
  CHECK(static_cast<std::size_t>(facts.st_size) < text.size() / 2);
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK_FALSE(std::filesystem::exists(result + ".part"));
  if (how == How::gzip) CHECK(output_of("zcat " + result) == text);
}

TEST_CASE("what cannot be compressed stays as it is") {
  const TempFolder folder;
  test::write_file(folder / "web__x.log", "text");
  std::filesystem::create_directory(folder / "web__x.log.gz");
  const Compressor::Job job{std::filesystem::path(folder / "x").parent_path(), "web__x.log",
                            LogRotation::Compression::gzip};
  CHECK_FALSE(compress_file(job, {}).empty());
  CHECK(file_content(folder / "web__x.log") == "text");
  CHECK_FALSE(std::filesystem::exists(folder / "web__x.log.gz.part"));

  std::stop_source stop;
  stop.request_stop();
  std::filesystem::remove(folder / "web__x.log.gz");
  CHECK_FALSE(compress_file(job, stop.get_token()).empty());
  CHECK(file_content(folder / "web__x.log") == "text");
}
