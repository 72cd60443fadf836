#include "daemon/core/line_form.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace clusterd;
using Begin = LinePiece::Begin;
using End = LinePiece::End;

namespace {

LocalTime noon() {
  LocalTime time;
  time.year = 2026;
  time.month = 3;
  time.day = 1;
  time.hour = 15;
  time.minute = 4;
  time.second = 5;
  time.millisecond = 67;
  time.weekday = 0;
  time.offset_minutes = -150;
  time.epoch_ms = 1'772'386'445'067;
  return time;
}

std::string form(const LogSettings& log, const LinePiece& piece) {
  LineForm form(log, {"web \"1\"", 7, "err"});
  form.set_time(noon());
  std::string out;
  form.append(out, piece);
  return out;
}

}  // namespace

TEST_CASE("dates in the language of Moment.js") {
  CHECK(format_date("YYYY-MM-DDTHH:mm:ss.SSSZ", noon()) == "2026-03-01T15:04:05.067-02:30");
  CHECK(format_date("dddd ddd, Do MMMM MMM M D YY h:m:s A hh a ZZ", noon()) ==
        "Sunday Sun, 1st March Mar 3 1 26 3:4:5 PM 03 pm -0230");
  CHECK(format_date("[on the] X [DD", noon()) == "on the 1772386445 [01");
  CHECK(format_date("", noon()).empty());
  CHECK(iso_utc(1'772'386'445'067) == "2026-03-01T17:34:05.067Z");
}

TEST_CASE("a stamp stands before each line, once") {
  LogSettings log;
  log.date_format = "HH:mm";
  CHECK(form(log, {"text", Begin::fresh, End::newline}) == "15:04: text\n");
  CHECK(form(log, {"text", Begin::fresh, End::released}) == "15:04: text");
  CHECK(form(log, {"text", Begin::released, End::newline}) == "text\n");
  CHECK(form(log, {"text", Begin::fresh, End::cut}) == "15:04: text[...]\n");
  CHECK(form(log, {"text", Begin::cut, End::newline}) == "15:04: [...]text\n");
}

TEST_CASE("without a stamp nothing is added, wherever a line was cut") {
  const LogSettings log;
  CHECK(form(log, {"\xff\n", Begin::fresh, End::cut}) == "\xff\n");
  CHECK(form(log, {"text", Begin::cut, End::newline}) == "text\n");
}

TEST_CASE("`time` is a format of its own") {
  LogSettings log;
  log.time = true;
  CHECK(form(log, {"x", Begin::fresh, End::newline}) == "2026-03-01T15:04:05: x\n");
}

TEST_CASE("a JSON line is valid whatever was printed") {
  LogSettings log;
  log.type = LogType::json;
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  bytes += "\xe2\x82\xac \xf0\x9f\x98\x80 \xed\xa0\x80 \xe2\x82";
  const std::string line = form(log, {bytes, Begin::fresh, End::newline});
  CHECK(line.find('\n') == line.size() - 1);
  const auto parsed = nlohmann::json::parse(line);
  CHECK(parsed["app_name"] == "web \"1\"");
  CHECK(parsed["process_id"] == 7);
  CHECK(parsed["type"] == "err");
  CHECK(parsed["timestamp"] == "2026-03-01T17:34:05.067Z");
  CHECK_FALSE(parsed.contains("continued"));
  const auto message = parsed["message"].get<std::string>();
  CHECK(message.substr(0, 128) == bytes.substr(0, 128));
  CHECK(message.ends_with(
      "\xe2\x82\xac \xf0\x9f\x98\x80 \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd"));
}

TEST_CASE("a JSON line that goes on says so") {
  LogSettings log;
  log.type = LogType::json;
  CHECK(nlohmann::json::parse(form(log, {"x", Begin::fresh, End::cut}))["continued"] == true);
}
