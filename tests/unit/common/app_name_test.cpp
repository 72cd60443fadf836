#include "common/app_name.h"

#include <catch2/catch.hpp>
#include <string>

using namespace clusterd;
using namespace std::string_literals;

TEST_CASE("names people use are good names") {
  for (const auto& name : {"web"s, "1-x"s, "01"s, "1e3"s, "my app"s, "тест"s, "😀"s, "a.b"s, "a_b:c"s, "ALL"s,
                           "0"s, std::string(128, 'x')}) {
    INFO(name);
    CHECK(check_app_name(name));
    CHECK(check_namespace(name));
  }
}

TEST_CASE("names that could leave the log folder, look like options or garble the screen are refused") {
  for (const auto& name :
       {""s, "all"s, "-x"s, "--help"s, "."s, ".."s, ".hidden"s, "a/b"s, "/x/"s, "../../etc/x"s, "a\nb"s,
        "a\x1b[2J"s, "a\0b"s, "\x7f"s, "a\u0085"s, "a\u202Eb"s, "\xff"s, "a\xC3"s, std::string(129, 'x')}) {
    INFO(name);
    const auto checked = check_app_name(name);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().code == ErrorCode::config);
    CHECK_FALSE(check_namespace(name));
  }
}

TEST_CASE("the reason says which rule was broken") {
  CHECK(check_app_name("a/b").error().message == "the name contains '/', and it becomes part of file names");
  CHECK(check_namespace("").error().message == "the namespace is empty");
  CHECK(check_app_name(std::string(300, 'x')).error().message ==
        "the name is 300 bytes long; the limit is 128");
}
