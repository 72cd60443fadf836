#include "cli/text.h"

#include <catch2/catch.hpp>

using namespace clusterd::cli;

TEST_CASE("control characters never reach the terminal") {
  CHECK(printable("a\x1b[31mb") == "a\\x1b[31mb");
  CHECK(printable("a\nb\tc\r") == "a\\x0ab\\x09c\\x0d");
  CHECK(printable("a\xc2\x9b") == "a\\u{9b}");  // C1: a terminal may read it as CSI
  CHECK(printable("\xe2\x80\xae"
                  "x") == "\\u{202e}x");  // reorders what follows
  CHECK(printable("\xff\xc3") == "\\xff\\xc3");
  CHECK(printable("тест 日本") == "тест 日本");
}

TEST_CASE("messages keep their line breaks and nothing else") {
  CHECK(printable_lines("a\n\tb\x07") == "a\n\tb\\x07");
}

TEST_CASE("width counts columns, not bytes") {
  CHECK(display_width("web") == 3);
  CHECK(display_width("тест") == 4);
  CHECK(display_width("日本") == 4);
  CHECK(display_width("e\xcc\x81") == 1);  // e with a combining acute accent
  CHECK(display_width("🚀") == 2);
}

TEST_CASE("cutting keeps within the width and never splits a character") {
  CHECK(shorten("server", 6) == "server");
  CHECK(shorten("server", 4) == "ser…");
  CHECK(shorten("日本語", 4) == "日…");  // half a wide character does not fit
  CHECK(shorten("server", 1) == "…");
  CHECK(shorten("server", 0).empty());
  for (std::size_t width = 0; width < 12; ++width)
    CHECK(display_width(shorten("тест日本🚀x", width)) <= width);
}

TEST_CASE("padding aligns by columns") {
  CHECK(pad("日", 4, Align::left) == "日  ");
  CHECK(pad("ab", 4, Align::right) == "  ab");
  CHECK(pad("abcdef", 4, Align::left) == "abcdef");
}
