#include "common/path_text.h"

#include <catch2/catch.hpp>

using namespace clusterd;

TEST_CASE("joining keeps absolute paths and tidies the rest") {
  CHECK(join_path("/srv", "app") == "/srv/app");
  CHECK(join_path("/srv/", "./app//x/.") == "/srv/app/x");
  CHECK(join_path("/srv", "/opt/app") == "/opt/app");
  CHECK(join_path("/srv", ".") == "/srv");
  CHECK(join_path("/", "app") == "/app");
  CHECK(join_path("/", "/") == "/");
  CHECK(join_path("/srv", "") == "/srv");
  CHECK(join_path("/srv/a b", "тест prog") == "/srv/a b/тест prog");
}

TEST_CASE(".. stays, because a link before it would lead elsewhere") {
  CHECK(join_path("/srv/current", "../static") == "/srv/current/../static");
  CHECK(join_path("/srv", "..") == "/srv/..");
}

TEST_CASE("only a leading ~/ is the home folder") {
  CHECK(expand_home("~/x/y", "/home/u") == "/home/u/x/y");
  CHECK(expand_home("~", "/home/u") == "/home/u");
  CHECK(expand_home("~/", "/home/u") == "/home/u");
  CHECK(expand_home("~other/x", "/home/u") == "~other/x");
  CHECK(expand_home("/a/~/x", "/home/u") == "/a/~/x");
  CHECK(expand_home("a~", "/home/u") == "a~");
  CHECK(expand_home("~/x", "") == "~/x");
}

TEST_CASE("names of files are taken apart as expected") {
  CHECK(base_name("/srv/server.js") == "server.js");
  CHECK(base_name("server") == "server");
  CHECK(base_name("/srv/dir/") == "dir");
  CHECK(base_name("/").empty());
  CHECK(extension("/srv.d/server") == "");
  CHECK(extension("server.min.js") == ".js");
  CHECK(extension(".profile") == "");
  CHECK(extension("a.") == ".");
  CHECK(stem("/srv/server.js") == "server");
  CHECK(stem("server.min.js") == "server.min");
  CHECK(stem(".profile") == ".profile");
}
