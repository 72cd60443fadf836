#include "cli/first_app_file.h"

#include <catch2/catch.hpp>

#include "cli/completion.h"
#include "config/app_file.h"

using namespace clusterd;
using namespace clusterd::cli;

TEST_CASE("what init writes is an app file without a fault") {
  for (const std::string_view text : {first_app_file(), simple_app_file()}) {
    AppFileContext context;
    context.file_name = "ecosystem.json";
    context.base_dir = "/srv";
    const AppFileResult result = parse_app_file(text, context);
    CHECK(result.errors.empty());
    CHECK(result.warnings.empty());
    REQUIRE(result.apps.size() == 1);
    CHECK(result.apps[0].name == "web");
  }
}

TEST_CASE("completion knows verbs, options and three shells") {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const auto script = completion_script(shell);
    REQUIRE(script);
    for (const char* word : {"startOrReload", "instances", "completion apps"})
      CHECK(script->find(word) != std::string::npos);
  }
  CHECK_FALSE(completion_script("csh"));
}
