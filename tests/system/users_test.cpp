#include "daemon/system/users.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace clusterd {
namespace {

TEST_CASE("a user is found by name and by number, with login group, groups, home and shell") {
  const passwd* entry = getpwnam("nobody");
  REQUIRE(entry);
  const passwd expected = *entry;
  const std::string home = entry->pw_dir;
  for (const std::string& text : std::vector<std::string>{"nobody", std::to_string(expected.pw_uid)}) {
    const auto user = resolve_user(text, "");
    REQUIRE(user);
    CHECK(user->identity.uid == expected.pw_uid);
    CHECK(user->identity.gid == expected.pw_gid);
    CHECK(std::ranges::count(user->identity.groups, expected.pw_gid) == 1);
    CHECK(user->name == "nobody");
    CHECK(user->home == home);
    CHECK_FALSE(user->shell.empty());
  }
}

TEST_CASE("gid overrides the login group, by name and by number") {
  const group* entry = getgrnam("daemon");
  REQUIRE(entry);
  const gid_t gid = entry->gr_gid;
  CHECK(resolve_user("nobody", "daemon")->identity.gid == gid);
  CHECK(resolve_user("nobody", std::to_string(gid))->identity.gid == gid);
  CHECK(resolve_user("", "daemon")->identity.uid == geteuid());
}

TEST_CASE("a number without an entry works with a gid and has no further groups") {
  const auto user = resolve_user("3999999", "3999998");
  REQUIRE(user);
  CHECK(user->identity == Identity{3999999, 3999998, {}});
  CHECK(user->name == "3999999");
  CHECK(user->home == "/");
  const auto without_group = resolve_user("3999999", "");
  REQUIRE_FALSE(without_group);
  CHECK(without_group.error().code == ErrorCode::config);
  CHECK_THAT(without_group.error().message, Catch::Contains("gid"));
}

TEST_CASE("unknown names, negative and oversized numbers are configuration errors that name the text") {
  for (const std::string& text :
       std::vector<std::string>{"no-such-user-here", "-1", "4294967295", "99999999999", "1x", "0x10"}) {
    const auto user = resolve_user(text, "0");
    REQUIRE_FALSE(user);
    CHECK(user.error().code == ErrorCode::config);
    CHECK_THAT(user.error().message, Catch::Contains("'" + text + "'"));
    const auto group = resolve_user("0", text);
    REQUIRE_FALSE(group);
    CHECK_THAT(group.error().message, Catch::Contains("'" + text + "'"));
  }
}

TEST_CASE("user_name gives the name, or the number where there is none") {
  CHECK(user_name(0) == "root");
  CHECK(user_name(3999999) == "3999999");
}

}  // namespace
}  // namespace clusterd
