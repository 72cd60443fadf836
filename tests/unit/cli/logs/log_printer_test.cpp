#include "cli/logs/log_printer.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace clusterd;
using namespace clusterd::cli;
using nlohmann::json;

namespace {

const LogSource kWeb{0, "web", LogStream::out};
const LogSource kApi{1, "api", LogStream::err};

struct Shown {
  LogsOptions options;
  std::string out;
  LogPrinter printer;

  explicit Shown(LogFormat format, LogsOptions wanted = {}, Style style = {})
      : options(std::move(wanted)),
        printer(format, options, style, [this](LogStream, std::string_view text) { out += text; }) {}
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;

  // What one more piece adds.
  std::string print(const LogSource& source, std::string_view text, WallMs at = std::nullopt) {
    out.clear();
    printer.print(source, at, text);
    return out;
  }
  std::string finish() {
    out.clear();
    printer.finish();
    return out;
  }
};

LogsOptions with(Result<> (*set)(LogsOptions&, const std::string&), const std::string& text) {
  LogsOptions options;
  REQUIRE(set(options, text));
  return options;
}

}  // namespace

TEST_CASE("lines carry id and name") {
  Shown shown(LogFormat::prefixed);
  CHECK(shown.print(kWeb, "hello\nworld\n") == "0|web      | hello\n0|web      | world\n");
}

TEST_CASE("instances that share a file are shown without a number") {
  Shown shown(LogFormat::prefixed);
  CHECK(shown.print({std::nullopt, "web", LogStream::out}, "x\n") == "web        | x\n");
}

TEST_CASE("the rest of a line gets no second prefix") {
  Shown shown(LogFormat::prefixed);
  CHECK(shown.print(kWeb, "hel") == "0|web      | hel");
  CHECK(shown.print(kWeb, "lo\n") == "lo\n");
}

TEST_CASE("another source never continues somebody's line") {
  Shown shown(LogFormat::prefixed);
  CHECK(shown.print(kWeb, "hel") == "0|web      | hel");
  CHECK(shown.print(kApi, "x\n") == "\n1|api      | x\n");
  CHECK(shown.print(kWeb, "lo\n") == "0|web      | lo\n");
}

TEST_CASE("an open line is ended at the end") {
  Shown shown(LogFormat::prefixed);
  shown.print(kWeb, "x");
  CHECK(shown.finish() == "\n");
  CHECK(shown.finish().empty());
}

TEST_CASE("raw output is byte by byte what the app wrote") {
  Shown shown(LogFormat::raw);
  std::string bytes("\0\x1b[31m\xff\n", 8);
  CHECK(shown.print(kWeb, bytes) == bytes);
  CHECK(shown.print(kWeb, "{\"a\":1}") == "{\"a\":1}");
  CHECK(shown.finish().empty());
}

TEST_CASE("JSON output is one object per line, also across pieces and with bad bytes") {
  Shown shown(LogFormat::json);
  std::string text = shown.print(kWeb, "a\nb");
  text += shown.print(kApi, "\xff\n");
  text += shown.print(kWeb, "c\n");
  text += shown.print(kWeb, "open");
  text += shown.finish();
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

TEST_CASE("JSON has the time where it is known") {
  Shown shown(LogFormat::json, with(set_log_timestamp, "x"));
  CHECK(json::parse(shown.print(kWeb, "a\n", 1'790'000'000'123))["timestamp"] == "1790000000123");
}

TEST_CASE("a line that never ends is not kept for ever") {
  Shown shown(LogFormat::json);
  std::string text;
  for (int i = 0; i < 20 && text.empty(); ++i) text = shown.print(kWeb, std::string(100'000, 'x'));
  CHECK_FALSE(text.empty());
}

TEST_CASE("a hostile name stays harmless in the prefix") {
  Shown shown(LogFormat::prefixed);
  CHECK(shown.print({0, "a\x1b[2J", LogStream::out}, "x\n").find('\x1b') == std::string::npos);
}

TEST_CASE("colours only where they are wanted") {
  Shown shown(LogFormat::prefixed, {}, {Style::Frame::box, Style::Colors::on, 80});
  CHECK(shown.print(kApi, "x\n").find("\x1b[31m|\x1b[0m x\n") != std::string::npos);
}

TEST_CASE("a filter shows whole lines or none") {
  Shown shown(LogFormat::prefixed, with(set_log_grep, "err(or)?$"));
  CHECK(shown.print(kWeb, "fine\nan er").empty());
  CHECK(shown.print(kWeb, "ror\nerror it was\n") == "0|web      | an error\n");
}

TEST_CASE("a highlight stands out where colours are on") {
  Shown plain(LogFormat::raw, with(set_log_highlight, "o"));
  CHECK(plain.print(kWeb, "foo\n") == "foo\n");
  Shown colored(LogFormat::raw, with(set_log_highlight, "o"), {Style::Frame::box, Style::Colors::on, 80});
  CHECK(colored.print(kWeb, "fo\n") == "f\x1b[7mo\x1b[27m\n");
}

TEST_CASE("a time before each line keeps its place where it is not known") {
  Shown shown(LogFormat::prefixed, with(set_log_timestamp, "x"));
  CHECK(shown.print(kWeb, "a\n", 1'790'000'000'123) == "1790000000123 0|web      | a\n");
  Shown fixed(LogFormat::prefixed, with(set_log_timestamp, "HH:mm"));
  CHECK(fixed.print(kWeb, "a\n") == "      0|web      | a\n");
}

TEST_CASE("a template is filled in for each line") {
  Shown shown(LogFormat::templated,
              with(set_log_format, "{{{app}.{slot}}} {namespace} {id} {type}: {message}"));
  CHECK(shown.print({3, "web", LogStream::err, 2, "blue"}, "x\ny\n") ==
        "{web.2} blue 3 error: x\n{web.2} blue 3 error: y\n");
  Shown standard(LogFormat::templated, with(set_log_format, ""));
  CHECK(standard.print(kWeb, "x\n") == "timestamp=- app=web id=0 type=out message=x\n");
  LogsOptions options;
  CHECK_FALSE(set_log_format(options, "{mesage}"));
  CHECK_FALSE(set_log_format(options, "{message"));
}
