#include "cli/yaml_file.h"

#include <catch2/catch.hpp>

using namespace clusterd;
using namespace clusterd::cli;
using nlohmann::json;

namespace {
JsoncDocument parsed(std::string_view text) {
  auto document = parse_yaml(text, "f.yaml");
  INFO((document ? std::string() : document.error().message));
  REQUIRE(document);
  return *document;
}
std::string fault(std::string_view text) {
  auto document = parse_yaml(text, "f.yaml");
  INFO(text);
  REQUIRE_FALSE(document);
  CHECK(document.error().code == ErrorCode::config);
  return document.error().message;
}
}  // namespace

TEST_CASE("words of YAML mean what they mean in version 1.2") {
  CHECK(parsed("[true, False, yes, on, null, ~, 12, -3, 0, '12', \"true\", 1.10, 007, 0x1F, 1e3, "
               "99999999999999999999]")
            .root == json{true, false, "yes", "on", nullptr, nullptr, 12, -3, 0, "12", "true", "1.10", "007",
                          "0x1F", "1e3", "99999999999999999999"});
  CHECK(parsed("a:\nb: ''\nc: |\n  x\n  y\n").root == json{{"a", nullptr}, {"b", ""}, {"c", "x\ny\n"}});
}

TEST_CASE("anchors and merge keys are followed, and what is written out is stronger") {
  CHECK(parsed("x: &x {a: 1, b: 2}\ny: {<<: *x, b: 3}\n").root["y"] == json{{"a", 1}, {"b", 3}});
  CHECK(parsed("x: &x {a: 1}\nz: &z {a: 2, c: 4}\ny: {<<: [*x, *z]}\n").root["y"] ==
        json{{"a", 1}, {"c", 4}});
  CHECK(fault("a: {<<: 3}").find("<< takes a map") != std::string::npos);
}

TEST_CASE("lines are those of the keys and items") {
  const JsoncDocument document = parsed("apps:\n  - name: a\n    env:\n      B: 1\n  - name: c\n");
  CHECK(document.line_of("/apps/0/env/B") == 4);
  CHECK(document.line_of("/apps/1") == 5);
  CHECK(document.line_of("/apps") == 1);
}

TEST_CASE("faults have their place") {
  CHECK(fault("a: 1\na: 2").find("f.yaml:2:1: the key \"a\" stands twice") == 0);
  CHECK(fault("a: 'x").find("f.yaml:") == 0);
  CHECK(fault("").find("empty") != std::string::npos);
  CHECK(fault("a: 1\n---\nb: 2\n").find("2 documents") != std::string::npos);
  CHECK(fault("? [a]\n: b").find("a key has to be a word") != std::string::npos);
  CHECK(fault("a: \xff").find("UTF-8") != std::string::npos);
  CHECK(fault("a: *nobody").find("f.yaml:1") == 0);
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "[";
  for (int i = 0; i < 100; ++i) deep += "]";
  CHECK(fault(deep).find("deeper") != std::string::npos);
}

TEST_CASE("aliases cannot multiply without end") {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 8; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += before + (j < 9 ? ", " : "]\n");
  }
  CHECK(fault(bomb).find("values, aliases counted") != std::string::npos);
}

TEST_CASE("every cut of a YAML file is an error or a value, never a crash") {
  const std::string text = "apps:\n  - &a {name: 'x', env: {A: \"b\\n\", <<: {c: 1}}}\n  - *a\n# end\n";
  for (std::size_t size = 0; size <= text.size(); ++size) (void)parse_yaml(text.substr(0, size), "f");
}
