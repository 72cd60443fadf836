#include "daemon/program_book.h"

#include <boost/asio/executor_work_guard.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "tests/system/temp_folder.h"

using namespace clusterd;
using clusterd::test::TempFolder;

namespace {

void write(const std::string& path, const std::string& text, bool executable = false) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path) << text;
  if (executable) std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

AppSpec app_of(const std::string& script, const std::string& cwd = "/") {
  AppSpec spec;
  spec.name = "web";
  spec.script = script;
  spec.cwd = cwd;
  return spec;
}

}  // namespace

TEST_CASE("the version is that of the nearest package.json that has one") {
  TempFolder folder;
  const std::string root = folder.path();
  write(root + "/package.json", R"({"version":"1.2.3"})");
  write(root + "/dist/package.json", R"({"type":"module"})");
  CHECK(look_at_program(app_of(root + "/dist/deep/server.js")).version == "1.2.3");
  write(root + "/dist/package.json", R"({"version":"2.0.0"})");
  CHECK(look_at_program(app_of(root + "/dist/deep/server.js")).version == "2.0.0");
}

TEST_CASE("a package.json that makes no sense is no version") {
  for (const char* text : {"", "[]", "{", R"({"version":3})", R"({"version":"a\nb"})", R"({"version":""})"}) {
    INFO(text);
    CHECK(package_version(text).empty());
  }
  CHECK(package_version(R"({"version":")" + std::string(kPackageVersionBytesMax + 1, '1') + "\"}").empty());
}

TEST_CASE("a bare name is looked up on the app's PATH, and its version in the working directory") {
  TempFolder folder;
  const std::string root = folder.path();
  write(root + "/package.json", R"({"version":"1.2.3"})");
  write(root + "/bin/tool", "", true);
  write(root + "/first/tool", "");  // not executable: passed over
  AppSpec spec = app_of("tool", root);
  spec.env["PATH"] = "/nowhere:" + root + "/first:bin";
  const ProgramFacts facts = look_at_program(spec);
  CHECK(facts.path == root + "/bin/tool");
  CHECK(facts.version == "1.2.3");
  spec.env["PATH"] = "/nowhere";
  CHECK(look_at_program(spec).path == "tool");
}

TEST_CASE("an instance keeps the version it was started with; a question touches no file") {
  TempFolder folder;
  const std::string root = folder.path();
  const AppKey key{"default", "web"};
  const AppSpec spec = app_of(root + "/server");
  boost::asio::io_context io;
  const auto runs_on = boost::asio::make_work_guard(io);
  ProgramBook book(io);
  const auto becomes = [&](InstanceKey instance, const std::string& version) {
    while (book.of(key, instance, spec).version != version) {
      if (io.run_one_for(std::chrono::seconds(10)) == 0) return false;
    }
    return true;
  };
  write(root + "/package.json", R"({"version":"1.0.0"})");
  CHECK(book.of(key, 0, spec).path == spec.script);
  CHECK(becomes(0, "1.0.0"));  // never started
  book.launched(key, 1, spec);
  CHECK(book.of(key, 1, spec).version == "1.0.0");  // what is known, until it has been looked at
  CHECK(io.run_one_for(std::chrono::seconds(10)) == 1);
  write(root + "/package.json", R"({"version":"2.0.0"})");
  book.launched(key, 2, spec);
  CHECK(becomes(2, "2.0.0"));
  CHECK(book.of(key, 1, spec).version == "1.0.0");
  book.forget(InstanceKey{2});
  CHECK(book.of(key, 2, spec).version == "2.0.0");  // stopped: what it was last
}
