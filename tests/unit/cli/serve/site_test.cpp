// What of a folder an HTTP client sees.
#include "cli/serve/site.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "cli/serve/media_type.h"
#include "tests/unit/cli/temp_folder.h"

namespace clusterd::serve {
namespace {

std::string path_of(std::string_view target) {
  bool malformed = false;
  const auto path = public_path(target, malformed);
  if (malformed) return "(malformed)";
  return path ? path->path + (path->folder ? "/" : "") : "(hidden)";
}

struct Folder {
  Folder() {
    temp.write("secret.txt", "no");
    temp.write("site/docs/index.html", "docs");
    temp.write("site/docs/a b.txt", "spaced");
    temp.write("site/.env", "no");
    temp.write("site/.well-known/security.txt", "yes");
    std::filesystem::create_directories(temp.at("site/empty"));
    std::filesystem::create_symlink("../secret.txt", temp.at("site/out.txt"));
    std::filesystem::create_symlink(temp.at("secret.txt"), temp.at("site/absolute.txt"));
    std::filesystem::create_symlink("docs/index.html", temp.at("site/in.html"));
  }
  Lookup::Kind kind(std::string_view target) const { return site.find(target).kind; }

  TempFolder temp;
  std::string index = temp.write("site/index.html", "home");
  Site site = std::move(Site::open(temp.at("site")).value());
};

using Kind = Lookup::Kind;

}  // namespace

TEST_CASE("a target is a path without escapes, queries and detours") {
  CHECK(path_of("/") == "/");
  CHECK(path_of("/a/b.html?x=1#y") == "a/b.html");
  CHECK(path_of("//a///b/") == "a/b/");
  CHECK(path_of("/a/./b") == "a/b");
  CHECK(path_of("/a%20b%2Fc") == "a b/c");
  CHECK(path_of("/.well-known/x") == ".well-known/x");
}

TEST_CASE("what begins with a dot is not there, however it is written") {
  CHECK(path_of("/../x") == "(hidden)");
  CHECK(path_of("/a/%2e%2e/x") == "(hidden)");
  CHECK(path_of("/a%2f..%2fx") == "(hidden)");
  CHECK(path_of("/.git/config") == "(hidden)");
}

TEST_CASE("nonsense is told from what is not there") {
  CHECK(path_of("") == "(malformed)");
  CHECK(path_of("http://other/") == "(malformed)");
  CHECK(path_of("/%") == "(malformed)");
  CHECK(path_of("/%4") == "(malformed)");
  CHECK(path_of("/%zz") == "(malformed)");
  CHECK(path_of("/a%00b") == "(malformed)");
}

TEST_CASE("files are found, folders are their index, links stay inside") {
  const Folder folder;
  CHECK(folder.site.find("/").file.path == "index.html");
  CHECK(folder.site.find("/docs/").file.path == "docs/index.html");
  CHECK(folder.site.find("/docs/a%20b.txt").file.size == 6);
  CHECK(folder.kind("/in.html") == Kind::file);
  CHECK(folder.kind("/.well-known/security.txt") == Kind::file);
  CHECK(folder.kind("/docs") == Kind::folder_without_slash);
  CHECK(folder.kind("/empty/") == Kind::missing);
  CHECK(folder.kind("/index.html/") == Kind::missing);
  CHECK(folder.kind("/.env") == Kind::missing);
  CHECK(folder.kind("/out.txt") == Kind::missing);
  CHECK(folder.kind("/absolute.txt") == Kind::missing);
  CHECK(folder.kind("/%zz") == Kind::malformed);
}

TEST_CASE("a folder that is not there is an error that names it") {
  const auto site = Site::open("/nowhere/at/all");
  REQUIRE_FALSE(site);
  CHECK(site.error().message.contains("/nowhere/at/all"));
}

TEST_CASE("the ending says what a file is") {
  CHECK(media_type("a/index.HTML") == "text/html; charset=utf-8");
  CHECK(media_type("app.min.js") == "text/javascript; charset=utf-8");
  CHECK(media_type("font.woff2") == "font/woff2");
  CHECK(media_type("folder.html/README") == "application/octet-stream");
}

}  // namespace clusterd::serve
