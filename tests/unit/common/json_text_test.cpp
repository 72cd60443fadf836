#include "common/json_text.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace clusterd;
using nlohmann::json;

TEST_CASE("any value is one line, whatever bytes are in it") {
  CHECK(to_line({{"text", "a\nb"}}) == R"({"text":"a\nb"})");
  CHECK(to_line("\xff") == "\"\xEF\xBF\xBD\"");
  CHECK(to_line(json::object({{"\xff", 1}})) == "{\"\xEF\xBF\xBD\":1}");
  CHECK(to_frame(json::array()) == "[]\n");
  const std::string line = to_line({{"all", std::string("\0\r\n\x7f\x1b", 5)}});
  CHECK(line.find('\n') == std::string::npos);
  CHECK(parse_line(line).value()["all"] == std::string("\0\r\n\x7f\x1b", 5));
}

TEST_CASE("text that is not exactly one JSON value is an error, never an exception") {
  for (const char* text : {"", " ", "{", "}", "{} {}", "{\"a\":}", "[1,]", "nul", "\"", "\"\xff\"", "1e999",
                           "// c\n1", "{\"a\":1", "\xEF\xBB\xBF", "'a'", "\"\\ud800\""}) {
    INFO(text);
    const auto value = parse_line(text);
    REQUIRE_FALSE(value);
    CHECK(value.error().code == ErrorCode::protocol);
    CHECK(value.error().message.find("json.exception") == std::string::npos);
  }
}

TEST_CASE("nesting is limited, in values, in broken text and at great depth") {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  CHECK(parse_line(nested(kJsonDepthMax)));
  CHECK_FALSE(parse_line(nested(kJsonDepthMax + 1)));
  CHECK_FALSE(parse_line(nested(1'000'000)));
  CHECK_FALSE(parse_line(std::string(1'000'000, '{')));
}

TEST_CASE("brackets in strings are no nesting") {
  CHECK(parse_line('"' + std::string(1000, '[') + '"'));
  CHECK(parse_line(R"({"a":"\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["})"));
  CHECK(is_nested_deeper_than("[[", 1));
  CHECK_FALSE(is_nested_deeper_than("[][][]", 1));
}
