#include "config/jsonc_syntax.h"

#include <catch2/catch.hpp>

using namespace clusterd;

namespace {
std::string blanked(std::string_view text) {
  const auto plain = blank_jsonc(text);
  REQUIRE(plain);
  CHECK(plain->size() == text.size());
  return *plain;
}
}  // namespace

TEST_CASE("places count lines and characters from 1") {
  const LineMap map("ab\nтx\n\nend");
  CHECK(map.place_of(0).line == 1);
  CHECK(map.place_of(1).column == 2);
  CHECK(map.place_of(3).line == 2);
  CHECK(map.place_of(5).column == 2);
  CHECK(map.place_of(7).line == 3);
  CHECK(map.place_of(8).line == 4);
  CHECK(map.place_of(1000).column == 4);
  CHECK(LineMap("").place_of(5).line == 1);
}

TEST_CASE("blanking moves no byte and keeps newlines") {
  CHECK(blanked("[1, // x\n2,/*\n*/]") == "[1,     \n2   \n  ]");
  CHECK(blanked("{\"a\":1,}") == "{\"a\":1 }");
  CHECK(blanked("[,]") == "[,]");
  CHECK(blanked("[1,,]") == "[1,,]");
  CHECK(blanked("\"// , ]\"") == "\"// , ]\"");
  CHECK(blanked("\"open") == "\"open");
  CHECK(blanked("\"\\") == "\"\\");
  CHECK(blanked("/") == "/");
}

TEST_CASE("an open comment is a fault at its beginning") {
  for (const char* text : {"[/*", "[/*/", "[/* *"}) CHECK(blank_jsonc(text).error().offset == 1);
}

TEST_CASE("the beginning of a string is found from its end") {
  CHECK(start_of_string(R"(["a\"b"])", 6) == 1);
  CHECK(start_of_string(R"(["a", "b\\"])", 10) == 6);
  CHECK(start_of_string("[1]", 1) == 1);
  CHECK(start_of_string("\"", 0) == 0);
  CHECK(start_of_string("", 7) == 7);
}

TEST_CASE("ill-formed UTF-8 is found where it begins") {
  CHECK_FALSE(first_ill_formed_utf8("тест"));
  CHECK(first_ill_formed_utf8("é\xC3") == 2);
}

TEST_CASE("a message the table does not know is still a sentence") {
  CHECK(explain_syntax_error("something new", 101).find("this is not JSON") == 0);
  CHECK(explain_syntax_error("whatever", 406) == "this number is too large");
}
