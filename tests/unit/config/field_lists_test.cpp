#include "config/field_lists.h"

#include <catch2/catch.hpp>

#include "tests/unit/config/app_file_fixture.h"

using namespace clusterd;
using Texts = std::vector<std::string>;

TEST_CASE_METHOD(AppFileFixture, "arguments of an array stay as they are, those of a string are split") {
  CHECK(app_with(R"("args": ["--t=a b", "", "x\"y", 3, 1.5, -0.0])").args ==
        Texts{"--t=a b", "", "x\"y", "3", "1.5", "0"});
  CHECK(app_with(R"("args": "--t='a b' '' x")").args == Texts{"--t=a b", "", "x"});
  CHECK(app_with(R"("args": [])").args.empty());
}

TEST_CASE_METHOD(AppFileFixture, "environment values of other types become text") {
  CHECK(app_with(
            R"("env": {"S": "", "N": 3000, "F": 1.5, "W": 3e3, "B": true, "O": {"a": [1]},
                              "L": [1, "x"], "BIG": 18446744073709551615})")
            .env == Environment{{"S", ""},
                                {"N", "3000"},
                                {"F", "1.5"},
                                {"W", "3000"},
                                {"B", "true"},
                                {"O", R"({"a":[1]})"},
                                {"L", R"([1,"x"])"},
                                {"BIG", "18446744073709551615"}});
}

TEST_CASE_METHOD(AppFileFixture, "the number of listening addresses is limited") {
  const auto list = [](int count) {
    std::string text = "\"listen\": [";
    for (int i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + std::to_string(3000 + i);
    return text + "]";
  };
  CHECK(app_with(list(512)).listen.size() == kListenAddressesMax);
  CHECK(error_with(list(513)).ends_with("has 513 addresses; the limit is 512"));
}

TEST_CASE_METHOD(AppFileFixture, "every wrong member of a list is reported") {
  CHECK(
      errors(
          R"({"name": "x", "script": "/x", "stop_exit_codes": [1, "a", 2, 300], "listen": [80, null, "x"]})")
          .size() == 4);
}
