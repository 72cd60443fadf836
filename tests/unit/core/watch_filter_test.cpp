#include "daemon/core/watch_filter.h"

#include <catch2/catch.hpp>

namespace clusterd {

TEST_CASE("globs") {
  CHECK(matches_glob("*.js", "a.js"));
  CHECK_FALSE(matches_glob("*.js", "src/a.js"));
  CHECK(matches_glob("**/*.js", "src/deep/a.js"));
  CHECK(matches_glob("**/*.js", "a.js"));
  CHECK(matches_glob("src/**", "src/deep/a.js"));
  CHECK(matches_glob("src/**/a.js", "src/a.js"));
  CHECK(matches_glob("src/**/a.js", "src/x/y/a.js"));
  CHECK_FALSE(matches_glob("src/*/a.js", "src/x/y/a.js"));
  CHECK_FALSE(matches_glob("**/a.js", "xa.js"));
  CHECK(matches_glob("**/a*.js", "x/y/ab.js"));
  CHECK(matches_glob("a?c", "abc"));
  CHECK_FALSE(matches_glob("a?c", "a/c"));
  CHECK(matches_glob("[a-c]x", "bx"));
  CHECK_FALSE(matches_glob("[!a-c]x", "bx"));
  CHECK(matches_glob("*a*b*c", "xxaxxbxxc"));
  CHECK_FALSE(matches_glob("*a*b*c", "xxaxxbxx"));
  CHECK(matches_glob("", ""));
  CHECK_FALSE(matches_glob("", "x"));
  CHECK(matches_glob("**", "a/b/c"));
  CHECK(matches_glob("[x", "[x"));
}

TEST_CASE("everything below the folder counts but what nobody wants") {
  const WatchFilter filter({"/srv/app"}, std::nullopt, {"/srv/app/logs/web-out.log", "/srv/app/.home/"});
  CHECK(filter.roots() == std::vector<std::string>{"/srv/app"});
  CHECK(filter.counts("/srv/app/server.js"));
  CHECK(filter.counts("/srv/app/src/deep/x"));
  CHECK_FALSE(filter.counts("/srv/other/x"));
  CHECK_FALSE(filter.counts("/srv/application"));
  CHECK_FALSE(filter.counts("/srv/app/node_modules/x/index.js"));
  CHECK_FALSE(filter.enters("/srv/app/node_modules"));
  CHECK_FALSE(filter.enters("/srv/app/src/.git"));
  CHECK_FALSE(filter.counts("/srv/app/.server.js.swp"));
  CHECK_FALSE(filter.counts("/srv/app/logs/web-out.log"));
  CHECK_FALSE(filter.counts("/srv/app/logs/web-out.log.1.gz"));
  CHECK(filter.counts("/srv/app/logs/other.log"));
  CHECK(filter.enters("/srv/app"));
}

TEST_CASE("what is to be ignored, by name, path and glob") {
  const std::vector<std::string> ignored{"tmp", "*.log", "data/cache", "./build/", "gen/**", "/srv/app/abs"};
  const WatchFilter filter({"/srv/app"}, ignored, {});
  CHECK_FALSE(filter.counts("/srv/app/src/tmp/x"));
  CHECK_FALSE(filter.counts("/srv/app/src/x.log"));
  CHECK_FALSE(filter.enters("/srv/app/data/cache"));
  CHECK_FALSE(filter.counts("/srv/app/data/cache/x"));
  CHECK(filter.counts("/srv/app/data/other"));
  CHECK_FALSE(filter.counts("/srv/app/build"));
  CHECK_FALSE(filter.counts("/srv/app/gen/a/b"));
  CHECK_FALSE(filter.counts("/srv/app/abs/x"));
  CHECK(filter.counts("/srv/app/.env"));  // said otherwise
  CHECK_FALSE(filter.counts("/srv/app/.git/HEAD"));
}

TEST_CASE("files and globs can be watched") {
  const WatchFilter filter({"/srv/app/server.js", "/srv/app/conf/*.json"}, std::nullopt, {});
  CHECK(filter.roots() == std::vector<std::string>{"/srv/app/server.js", "/srv/app/conf"});
  CHECK(filter.counts("/srv/app/server.js"));
  CHECK(filter.counts("/srv/app/conf/a.json"));
  CHECK_FALSE(filter.counts("/srv/app/conf/a.txt"));
  CHECK_FALSE(filter.counts("/srv/app/other.js"));
}

TEST_CASE("a folder that is named is watched whatever its name is") {
  const WatchFilter filter({"/srv/app/node_modules/mine"}, std::nullopt, {});
  CHECK(filter.counts("/srv/app/node_modules/mine/index.js"));
}

}  // namespace clusterd
