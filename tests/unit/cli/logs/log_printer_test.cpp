#include "cli/log_printer.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace clusterd::cli;
using nlohmann::json;

namespace {
const LogSource kWeb{0, "web", LogStream::out};
const LogSource kApi{1, "api", LogStream::err};
}  // namespace

TEST_CASE("lines carry id and name") {
  LogPrinter printer(LogFormat::prefixed, {});
  CHECK(printer.print(kWeb, "hello\nworld\n") == "0|web      | hello\n0|web      | world\n");
}

TEST_CASE("instances that share a file are shown without a number") {
  LogPrinter printer(LogFormat::prefixed, {});
  CHECK(printer.print({std::nullopt, "web", LogStream::out}, "x\n") == "web        | x\n");
}

TEST_CASE("the rest of a line gets no second prefix") {
  LogPrinter printer(LogFormat::prefixed, {});
  CHECK(printer.print(kWeb, "hel") == "0|web      | hel");
  CHECK(printer.print(kWeb, "lo\n") == "lo\n");
}

TEST_CASE("another source never continues somebody's line") {
  LogPrinter printer(LogFormat::prefixed, {});
  CHECK(printer.print(kWeb, "hel") == "0|web      | hel");
  CHECK(printer.print(kApi, "x\n") == "\n1|api      | x\n");
  CHECK(printer.print(kWeb, "lo\n") == "0|web      | lo\n");
}

TEST_CASE("an open line is ended at the end") {
  LogPrinter printer(LogFormat::prefixed, {});
  printer.print(kWeb, "x");
  CHECK(printer.finish() == "\n");
  CHECK(printer.finish().empty());
}

TEST_CASE("raw output is byte by byte what the app wrote") {
  LogPrinter printer(LogFormat::raw, {});
  std::string bytes("\0\x1b[31m\xff\n", 8);
  CHECK(printer.print(kWeb, bytes) == bytes);
  CHECK(printer.print(kWeb, "{\"a\":1}") == "{\"a\":1}");
  CHECK(printer.finish().empty());
}

TEST_CASE("JSON output is one object per line, also across pieces and with bad bytes") {
  LogPrinter printer(LogFormat::json, {});
  std::string text = printer.print(kWeb, "a\nb");
  text += printer.print(kApi, "\xff\n");
  text += printer.print(kWeb, "c\n");
  text += printer.print(kWeb, "open");
  text += printer.finish();
  std::vector<json> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find('\n', begin);
    REQUIRE(end != std::string::npos);
    lines.push_back(json::parse(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  REQUIRE(lines.size() == 4);
  CHECK(lines[0] == json{{"message", "a"}, {"type", "out"}, {"app_name", "web"}, {"process_id", 0}});
  CHECK(lines[1]["message"] == "\xef\xbf\xbd");
  CHECK(lines[1]["type"] == "err");
  CHECK(lines[2]["message"] == "bc");
  CHECK(lines[3]["message"] == "open");
}

TEST_CASE("a line that never ends is not kept for ever") {
  LogPrinter printer(LogFormat::json, {});
  std::string shown;
  for (int i = 0; i < 20 && shown.empty(); ++i) shown = printer.print(kWeb, std::string(100'000, 'x'));
  CHECK_FALSE(shown.empty());
}

TEST_CASE("a hostile name stays harmless in the prefix") {
  LogPrinter printer(LogFormat::prefixed, {});
  CHECK(printer.print({0, "a\x1b[2J", LogStream::out}, "x\n").find('\x1b') == std::string::npos);
}

TEST_CASE("colours only where they are wanted") {
  LogPrinter printer(LogFormat::prefixed, {Style::Frame::box, Style::Colors::on, 80});
  CHECK(printer.print(kApi, "x\n").find("\x1b[31m|\x1b[0m x\n") != std::string::npos);
}
