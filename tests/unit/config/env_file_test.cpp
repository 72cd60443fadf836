#include "config/env_file.h"

#include <catch2/catch.hpp>

using namespace clusterd;

namespace {
Environment variables(std::string_view text) {
  auto parsed = parse_env_file(text, ".env");
  INFO(text);
  REQUIRE(parsed);
  return *parsed;
}
std::string fault(std::string_view text) {
  auto parsed = parse_env_file(text, ".env");
  INFO(text);
  REQUIRE_FALSE(parsed);
  CHECK(parsed.error().code == ErrorCode::config);
  return parsed.error().message;
}
}  // namespace

TEST_CASE("lines of NAME=value are variables") {
  CHECK(variables("A=1\nB = two words \nexport C=3\r\n\n# no\n  # no\nEMPTY=\nexport=4") ==
        Environment{{"A", "1"}, {"B", "two words"}, {"C", "3"}, {"EMPTY", ""}, {"export", "4"}});
  CHECK(variables("\xEF\xBB\xBF"
                  "A=1") == Environment{{"A", "1"}});
  CHECK(variables("A=1\nA=2") == Environment{{"A", "2"}});
}

TEST_CASE("a comment begins at a # behind a blank") {
  CHECK(variables("A=x # no\nB=a#b\nC=#no\nD='#' # no") ==
        Environment{{"A", "x"}, {"B", "a#b"}, {"C", ""}, {"D", "#"}});
}

TEST_CASE("nothing is expanded in an env file") {
  CHECK(variables("A=$HOME\nB=\"${HOME} \\$x\"\nC='`id`'\nD=100%") ==
        Environment{{"A", "$HOME"}, {"B", "${HOME} $x"}, {"C", "`id`"}, {"D", "100%"}});
}

TEST_CASE("quotes keep blanks and go over lines, double ones have escapes") {
  CHECK(
      variables("A=' x '\nB=\"l1\\nl2\"\nC=\"-----\nk\n-----\"\nD='\\n'\nE=\"a\\\nb\"\nF=\"\\d\"") ==
      Environment{
          {"A", " x "}, {"B", "l1\nl2"}, {"C", "-----\nk\n-----"}, {"D", "\\n"}, {"E", "ab"}, {"F", "\\d"}});
}

TEST_CASE("faults name the line and never a value") {
  CHECK(fault("A=1\nsecret") == ".env:2: expected NAME=value");
  CHECK(fault("1A=secret") == ".env:1: expected NAME=value");
  CHECK(fault("=x") == ".env:1: expected NAME=value");
  CHECK(fault("\nA=\"secret\n\n") == ".env:2: this quote is never closed");
  CHECK(fault("A='x' secret") == ".env:1: there is something behind the closing quote");
  CHECK(fault(std::string("A=a\0b", 5)) == ".env:1: contains a NUL character");
  CHECK(fault(std::string(kEnvFileBytesMax + 1, '\n')).find("limit") != std::string::npos);
}

TEST_CASE("every cut of a file is variables or an error, never a crash") {
  const std::string text = "export A = \"x\\\n\\ty\" # c\nB='z'\r\nC=a#b";
  for (std::size_t size = 0; size <= text.size(); ++size) (void)parse_env_file(text.substr(0, size), ".env");
}
