// What the tests of app files share: a context of fixed folders with a pretended file system.
//
// Its helpers check for themselves that there are no errors and warnings, or exactly one error.
// Touches no real file.
#pragma once

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "config/app_file.h"

namespace clusterd {

struct AppFileFixture {
  std::map<std::string, ScriptFacts> files;
  AppFileContext context;

  AppFileFixture() {
    context.file_name = "eco.json";
    context.base_dir = "/srv/web";
    context.user_home = "/home/u";
    context.inherited_env = {{"PATH", "/bin"}};
    context.look_at_file = [this](const std::string& path) -> std::optional<ScriptFacts> {
      const auto found = files.find(path);
      if (found == files.end()) return std::nullopt;
      return found->second;
    };
  }

  std::vector<AppSpec> apps(std::string_view text) {
    const AppFileResult result = parse_app_file(text, context);
    INFO(text);
    CHECK(result.errors == std::vector<std::string>{});
    CHECK(result.warnings == std::vector<std::string>{});
    return result.apps;
  }

  AppSpec app(std::string_view text) {
    const auto all = apps(text);
    REQUIRE(all.size() == 1);
    return all.front();
  }

  // One app of the name x and the script /x with these members.
  AppSpec app_with(const std::string& members) {
    return app(R"({"name": "x", "script": "/x", )" + members + "}");
  }

  std::vector<std::string> errors(std::string_view text) { return parse_app_file(text, context).errors; }

  std::string only_error(std::string_view text) {
    const auto all = errors(text);
    INFO(text);
    CHECK(all.size() == 1);
    return all.empty() ? "" : all.front();
  }

  std::string error_with(const std::string& members) {
    return only_error(R"({"name": "x", "script": "/x", )" + members + "}");
  }
};

}  // namespace clusterd
