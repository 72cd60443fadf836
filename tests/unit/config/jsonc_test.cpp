#include "config/jsonc.h"

#include <catch2/catch.hpp>

using namespace clusterd;
using nlohmann::json;
using namespace std::string_literals;

namespace {

JsoncDocument parsed(std::string_view text) {
  const auto document = parse_jsonc(text, "f.json");
  INFO(text);
  INFO((document ? "" : document.error().message));
  REQUIRE(document);
  return *document;
}

std::string fault(std::string_view text) {
  const auto document = parse_jsonc(text, "f.json");
  INFO(text.substr(0, 200));
  REQUIRE_FALSE(document);
  CHECK(document.error().code == ErrorCode::config);
  CHECK(document.error().message.find("json.exception") == std::string::npos);
  return document.error().message;
}

}  // namespace

TEST_CASE("plain JSON of every type is read") {
  const char* text = R"({"a": [1, -2, 3.5, true, false, null, "x\u00e9\n"], "b": {"c": {}}, "": []})";
  CHECK(parsed(text).root == json::parse(text));
  CHECK(parsed("5").root == 5);
  CHECK(parsed(" \"x\" ").root == "x");
}

TEST_CASE("comments and one trailing comma are allowed") {
  CHECK(parsed("// a\n{ /* b */ \"k\" /* c */ : 1, // d\n}").root == json{{"k", 1}});
  CHECK(parsed("[1, 2, /* x */ ]").root == json{1, 2});
  CHECK(parsed("{\"a\": [[1,],],}").root == json::parse(R"({"a":[[1]]})"));
  CHECK(parsed("[1]// end without newline").root == json{1});
  CHECK(parsed("/**/[1]/***/").root == json{1});
}

TEST_CASE("what looks like a comment or a trailing comma in a string is text") {
  CHECK(parsed(R"({"url": "http://x/*y*/,]", "q": "\"// z", "b": "\\"})").root ==
        json::parse(R"({"url": "http://x/*y*/,]", "q": "\"// z", "b": "\\"})"));
}

TEST_CASE("commas without a value before them are errors") {
  for (const char* text : {"[,]", "{,}", "[1,,]", "[1,,2]", ",", "[,1]", "{\"a\":1,,}", "{\"a\":,}", "[1],"})
    fault(text);
}

TEST_CASE("every value knows its line") {
  const auto document =
      parsed("{\n  \"a\": 1,\n  \"b\": [\n    10\n    ,\n    {\n      \"c/d~\":\n 7}\n  ]\n}\n");
  CHECK(document.lines.at("") == 1);
  CHECK(document.lines.at("/a") == 2);
  CHECK(document.lines.at("/b") == 3);
  CHECK(document.lines.at("/b/0") == 4);
  CHECK(document.lines.at("/b/1") == 6);
  CHECK(document.lines.at("/b/1/c~1d~0") == 7);
  CHECK(document.line_of("/b/1/missing/deep") == 6);
  CHECK(document.line_of("/nowhere") == 1);
}

TEST_CASE("lines are right behind comments, CRLF and a byte-order mark") {
  CHECK(parsed("\xEF\xBB\xBF// one\r\n/* two\r\nthree */\r\n[\r\n5\r\n]").lines.at("/0") == 5);
  CHECK(parsed("\n\n12").lines.at("") == 3);
  CHECK(parsed("\n12\n\n").lines.at("") == 2);
}

TEST_CASE("syntax errors give line, column and what to do") {
  CHECK(fault("{\n  \"a\": 1\n  \"b\": 2\n}") ==
        "f.json:3:3: a comma is missing before this, or a bracket is not closed");
  CHECK(fault("{\"a\": 1") == "f.json:1:7: the file ends inside an object; is a closing } missing?");
  CHECK(fault("[1, 2").ends_with("is a closing ] missing?"));
  CHECK(fault("{\"a\" 1}").ends_with("a colon (:) is missing between a key and its value"));
  CHECK(fault("{'a': 1}").ends_with("strings and keys stand in double quotes (\"), not single ones"));
  CHECK(fault("{a: 1}").ends_with("a key stands in double quotes: \"name\": …"));
  CHECK(fault("{\"a\": yes}").ends_with("the words are true, false and null"));
  CHECK(fault("{\"a\": \"x}\n").find("f.json:1:") == 0);
  CHECK(fault("{} {}").ends_with("one file is one JSON value"));
  CHECK(fault("[\"a\\x\"]").find("a backslash in a string") != std::string::npos);
  CHECK(fault("[\"a\tb\"]").find("write \\n for a newline and \\t for a tab") != std::string::npos);
  CHECK(fault("[01]").find("f.json:1:") == 0);
  CHECK(fault("[1e999]").ends_with("this number is too large"));
  CHECK(fault("[\n/* x").ends_with("f.json:2:1: this comment is never closed"));
  CHECK(fault("[\"\\ud800\"]").find("come in pairs") != std::string::npos);
}

TEST_CASE("columns count characters, not bytes") { CHECK(fault("[\"тест\" x]").find("f.json:1:9:") == 0); }

TEST_CASE("a key that stands twice is an error at its second place") {
  CHECK(fault("{\n\"a\": 1,\n\"b\": 2,\n\"a\": 3}") ==
        "f.json:4:1: the key \"a\" stands twice in this object; remove one");
  CHECK(parsed(R"([{"a":1},{"a":2},{"b":{"a":3},"a":4}])").root.size() == 3);
}

TEST_CASE("depth is limited in a deep file, a deeper one and the deepest that fits") {
  CHECK(parse_jsonc(std::string(64, '[') + std::string(64, ']'), "f"));
  CHECK(fault(std::string(65, '[') + std::string(65, ']')).ends_with("nested deeper than 64 levels"));
  CHECK(fault(std::string(100'000, '[')).ends_with("nested deeper than 64 levels"));
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  CHECK(fault(objects).ends_with("nested deeper than 64 levels"));
}

TEST_CASE("files that are something else are named as what they are") {
  CHECK(fault("").find("the file is empty") != std::string::npos);
  CHECK(fault("\xEF\xBB\xBF \n").find("the file is empty") != std::string::npos);
  CHECK(fault("\xFF\xFE{\0"s).ends_with("the file is UTF-16; save it as UTF-8"));
  CHECK(fault("\xFE\xFF\0{"s).ends_with("the file is UTF-16; save it as UTF-8"));
  CHECK(fault("{\0}\0"s).ends_with("the file is UTF-16; save it as UTF-8"));
  CHECK(fault("module.exports = { apps: [] }").find("this is JavaScript") != std::string::npos);
  CHECK(fault("[\n\"\xff\"]") == "f.json:2:2: this is not UTF-8; save the file as UTF-8");
  CHECK(fault("// only a comment").find("f.json:1:") == 0);
}

TEST_CASE("a file beyond the limit is refused before it is read") {
  std::string large = "[\"" + std::string(kConfigFileBytesMax - 4, 'x') + "\"]";
  CHECK(parse_jsonc(large, "f"));
  large += ' ';
  CHECK(fault(large).find("8 MiB") != std::string::npos);
}

TEST_CASE("every cut of a file is an error or a value, never a crash") {
  const std::string text =
      "\xEF\xBB\xBF// c\n{\"a\": [1, \"x\\u00e9\", {\"b\": null,},], /* d */ \"e\": -1.5e3}";
  int values = 0;
  for (std::size_t size = 0; size <= text.size(); ++size) {
    if (parse_jsonc(text.substr(0, size), "f")) ++values;
  }
  CHECK(values == 1);
}
