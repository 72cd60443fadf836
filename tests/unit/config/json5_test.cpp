#include "config/json5.h"

#include <catch2/catch.hpp>

using namespace clusterd;
using nlohmann::json;

namespace {
json value(std::string_view text) {
  auto document = parse_json5(text, "f.json5");
  INFO((document ? std::string() : document.error().message));
  INFO(text);
  REQUIRE(document);
  return document->root;
}
std::string fault(std::string_view text) {
  auto document = parse_json5(text, "f.json5");
  INFO(text);
  REQUIRE_FALSE(document);
  return document.error().message;
}
}  // namespace

TEST_CASE("what JSON5 has beyond JSON is read") {
  CHECK(value(R"({a: 1, $b_2: 'x', "c": "y", тест: null, })") ==
        json{{"a", 1}, {"$b_2", "x"}, {"c", "y"}, {"тест", nullptr}});
  CHECK(value("[0x1F, +1, -0x10, .5, 5., -.25, 1e3]") == json{31, 1, -16, 0.5, 5, -0.25, 1000.0});
  CHECK(value(R"(['it\'s', 'say "hi"', "it's", '\x41\v\0', 'a\
b', "\q"])") == json{"it's", "say \"hi\"", "it's", std::string("A\v\0", 3), "ab", "q"});
  CHECK(value("// c\n{ /* true: */ true /* x */ : false, b // y\n : true }") ==
        json{{"true", false}, {"b", true}});
}

TEST_CASE("strict JSON and JSON with comments are JSON5, too") {
  CHECK(value("{\"a\": [1, 2.5e-3, \"\\u0041 // no\", true], /* c */ \"b\": {}}") ==
        json::parse(R"({"a": [1, 0.0025, "A // no", true], "b": {}})"));
}

TEST_CASE("lines stay right behind strings that go on") {
  auto document = parse_json5("{\n a: 'x\\\ny\\\nz',\n b: 1}", "f.json5");
  REQUIRE(document);
  CHECK(document->line_of("/a") == 2);
  CHECK(document->line_of("/b") == 5);
}

TEST_CASE("faults have a place and say what to do") {
  CHECK(fault("{a: 'x\n}").find("f.json5:1:5: a string is never closed; add the missing '") == 0);
  CHECK(fault("[1,\n Infinity]") == "f.json5:2:2: Infinity is no value for an app");
  CHECK(fault("[-NaN]").find("NaN is no value") != std::string::npos);
  CHECK(fault("[0xZZ]").find("hexadecimal") != std::string::npos);
  CHECK(fault("{a: 1, a: 2}").find("stands twice") != std::string::npos);
  CHECK(fault("{a: b}").find("f.json5:1:") == 0);
  CHECK(fault("").find("empty") != std::string::npos);
  CHECK(fault("{} /*").find("never closed") != std::string::npos);
}

TEST_CASE("every cut of a JSON5 file is an error or a value, never a crash") {
  const std::string text = "/* x */ {a: 'b\\x41\\\nc', \"d\": [+1, .5, 0xff, -Infinity], e: true} // end";
  for (std::size_t size = 0; size <= text.size(); ++size) (void)parse_json5(text.substr(0, size), "f");
}
