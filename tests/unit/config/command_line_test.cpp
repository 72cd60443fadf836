#include "config/command_line.h"

#include <catch2/catch.hpp>

using namespace clusterd;
using Words = std::vector<std::string>;

namespace {
Words split(std::string_view text) {
  const auto words = split_command_line(text);
  INFO(text);
  REQUIRE(words);
  return *words;
}
}  // namespace

TEST_CASE("blanks separate, however many") {
  CHECK(split("").empty());
  CHECK(split(" \t\n ").empty());
  CHECK(split("  a  b\tc\nd ") == Words{"a", "b", "c", "d"});
}

TEST_CASE("quotes keep blanks and make empty arguments") {
  CHECK(split(R"(--t="a b" '' "" 'x"y' "it's")") == Words{"--t=a b", "", "", "x\"y", "it's"});
  CHECK(split("a'b'\"c\"d") == Words{"abcd"});
  CHECK(split("''''") == Words{""});
}

TEST_CASE("a backslash escapes as in sh") {
  CHECK(split(R"(a\ b \' \" \\ \n)") == Words{"a b", "'", "\"", "\\", "n"});
  CHECK(split(R"("\" \\ \$ \` \n \a")") == Words{R"(" \ $ ` \n \a)"});
  CHECK(split(R"('\' x)") == Words{"\\", "x"});
  CHECK(split("a\\\nb") == Words{"ab"});
  CHECK(split("\"a\\\nb\"") == Words{"ab"});
}

TEST_CASE("nothing is expanded") {
  CHECK(split("$HOME ${HOME} `id` $(id) ~ * ; | && # 100% $$") ==
        Words{"$HOME", "${HOME}", "`id`", "$(id)", "~", "*", ";", "|", "&&", "#", "100%", "$$"});
}

TEST_CASE("an open end is an error, not a guess") {
  CHECK(split_command_line("a 'b").error().message.find("single quote") != std::string::npos);
  CHECK(split_command_line("a \"b").error().message.find("double quote") != std::string::npos);
  CHECK_FALSE(split_command_line("\"a\\\""));
  CHECK_FALSE(split_command_line("\"a\\"));
  CHECK(split_command_line("a\\").error().message.find("backslash") != std::string::npos);
  CHECK(split_command_line("a\\").error().code == ErrorCode::config);
}
