#include "common/utf8.h"

#include <catch2/catch.hpp>

using namespace clusterd;
using namespace std::string_view_literals;

TEST_CASE("well-formed text of all lengths is accepted") {
  for (const auto text : {""sv, "a"sv, "\0"sv, "é"sv, "€"sv, "😀"sv, "\x7f"sv, "\xC2\x80"sv, "\xED\x9F\xBF"sv,
                          "\xEE\x80\x80"sv, "\xF4\x8F\xBF\xBF"sv, "тест prog"sv}) {
    CHECK(is_valid_utf8(text));
  }
}

TEST_CASE("ill-formed bytes are recognised: overlong, surrogate, truncated, too large, stray") {
  for (const auto text :
       {"\xC0\x80"sv, "\xC1\xBF"sv, "\xE0\x80\x80"sv, "\xE0\x9F\xBF"sv, "\xED\xA0\x80"sv,
        "\xF0\x80\x80\x80"sv, "\xF4\x90\x80\x80"sv, "\xF5\x80\x80\x80"sv, "\xFF"sv, "\x80"sv, "\xC3"sv,
        "\xE2\x82"sv, "\xF0\x9F\x98"sv, "a\xC3(b"sv, "\xC3\xC3\xA9"sv}) {
    CHECK_FALSE(is_valid_utf8(text));
  }
}

TEST_CASE("a code point comes with its size") {
  const auto euro = first_code_point("€x");
  REQUIRE(euro);
  CHECK(euro->value == 0x20AC);
  CHECK(euro->size_bytes == 3);
  CHECK_FALSE(first_code_point(""));
}

TEST_CASE("characters that garble a terminal or hide are unprintable") {
  for (const char32_t value : {0x00, 0x0A, 0x1B, 0x7F, 0x85, 0x9B, 0x200B, 0x202E, 0x2028, 0x2066, 0xFEFF}) {
    CHECK(is_unprintable(value));
  }
  for (const char32_t value : {U' ', U'a', U'~', U'é', U'😀', U'\u00A0'}) CHECK_FALSE(is_unprintable(value));
}
