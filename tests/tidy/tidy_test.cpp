// Holds every file of the source tree against the rules.

#include <catch2/catch.hpp>

#include "tests/tidy/rules.h"

using namespace clusterd::tidy;

namespace {

const std::vector<SourceFile>& source_tree() {
  static const std::vector<SourceFile> files = load_source_tree(CLUSTERD_SOURCE_DIR);
  return files;
}

void check_all(Violations (*rule)(const SourceFile&)) {
  for (const SourceFile& file : source_tree()) {
    for (const std::string& violation : rule(file)) FAIL_CHECK(violation);
  }
  SUCCEED();
}

}  // namespace

TEST_CASE("the whole source tree is looked at") {
  CHECK(source_tree().size() > 50);
  for (const char* folder :
       {"common/", "config/", "daemon/core/", "daemon/system/", "cli/", "docs/", "tests/"}) {
    CAPTURE(folder);
    CHECK(std::ranges::any_of(source_tree(), [&](const SourceFile& file) { return file.is_below(folder); }));
  }
}

TEST_CASE("no file is too long") { check_all(check_file_length); }
TEST_CASE("no function is too long") { check_all(check_function_length); }
TEST_CASE("includes respect the floors") { check_all(check_floors); }
TEST_CASE("the core is pure") { check_all(check_core_is_pure); }
TEST_CASE("every header says what it is") { check_all(check_header_opening); }
TEST_CASE("unit tests and searches do not sleep") { check_all(check_no_sleep); }
TEST_CASE("nothing unfinished is left behind") { check_all(check_no_leftovers); }
TEST_CASE("every document has one title") { check_all(check_markdown_title); }
TEST_CASE("nobody opens namespace std") { check_all(check_no_using_std); }
