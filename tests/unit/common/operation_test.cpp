#include "common/operation.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

using namespace clusterd;
using nlohmann::json;

namespace {

const Operation& operation(std::string_view name) {
  const Operation* found = find_operation(name);
  REQUIRE(found);
  return *found;
}

std::string message_of(const Result<void>& result) {
  REQUIRE_FALSE(result);
  CHECK(result.error().code == ErrorCode::usage);
  return result.error().message;
}

// The rows of the table below "## Operations": name -> the cell of its arguments.
std::map<std::string, std::string> documented_operations() {
  std::ifstream file(CLUSTERD_SOURCE_DIR "/docs/protocol.md");
  std::map<std::string, std::string> rows;
  bool in_section = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) in_section = line == "## Operations";
    if (!in_section || !line.starts_with("| `")) continue;
    const std::size_t name_end = line.find('`', 3);
    const std::size_t args = line.find('|', name_end) + 1;
    rows[line.substr(3, name_end - 3)] = line.substr(args, line.find('|', args) - args);
  }
  return rows;
}

}  // namespace

TEST_CASE("the table of operations and docs/protocol.md agree") {
  const auto documented = documented_operations();
  std::set<std::string> names;
  for (const Operation& row : operations()) {
    INFO(row.name);
    names.insert(std::string(row.name));
    REQUIRE(documented.contains(std::string(row.name)));
    for (const Argument& argument : row.arguments) {
      INFO(argument.name);
      CHECK(documented.at(std::string(row.name)).find("`" + std::string(argument.name) + "`") !=
            std::string::npos);
    }
  }
  for (const auto& [name, arguments] : documented) {
    INFO(name);
    CHECK(names.contains(name));
  }
  CHECK(names.size() == operations().size());
}

TEST_CASE("an unknown operation suggests a near one") {
  CHECK(find_operation("relaod") == nullptr);
  CHECK(unknown_operation("relaod").message == "unknown operation 'relaod'; did you mean 'reload'?");
  CHECK(unknown_operation("relaod").code == ErrorCode::usage);
}

TEST_CASE("well-formed arguments pass") {
  CHECK(check_arguments(operation("ping"), json::object()));
  CHECK(check_arguments(operation("ping"), nullptr));
  CHECK(check_arguments(operation("stop"), {{"targets", {"web", "0"}}, {"now", true}, {"wait", false}}));
  CHECK(check_arguments(operation("scale"), {{"target", "web"}, {"count", "+2"}}));
  CHECK(check_arguments(operation("scale"), {{"target", "web"}, {"count", 8}}));
  CHECK(check_arguments(operation("logs"),
                        {{"targets", json::array()}, {"streams", {"err"}}, {"follow", true}}));
  CHECK(check_arguments(operation("start"), {{"apps", json::array({json::object()})}, {"mode", "apply"}}));
}

TEST_CASE("a mistyped argument never passes silently") {
  CHECK(message_of(check_arguments(operation("stop"), {{"targets", {"web"}}, {"wiat", true}})) ==
        "stop: unknown argument 'wiat'; did you mean 'wait'?");
  CHECK(message_of(check_arguments(operation("ping"), {{"x", 1}})) == "ping: unknown argument 'x'");
}

TEST_CASE("a missing argument is named") {
  CHECK(message_of(check_arguments(operation("stop"), json::object())) ==
        "stop: argument 'targets' is missing");
}

TEST_CASE("an argument of the wrong type or choice is named with what it has to be") {
  CHECK(message_of(check_arguments(operation("stop"), {{"targets", "web"}})) ==
        "stop: argument 'targets' has to be an array of strings");
  CHECK(message_of(check_arguments(operation("stop"), {{"targets", {1}}})).ends_with("an array of strings"));
  CHECK(message_of(check_arguments(operation("stop"), {{"targets", {"a"}}, {"wait", 1}}))
            .ends_with("true or false"));
  CHECK(message_of(check_arguments(operation("scale"), {{"target", "a"}, {"count", 1.5}}))
            .ends_with("a string or a whole number"));
  CHECK(message_of(check_arguments(operation("start"), {{"apps", {1}}, {"mode", "new"}}))
            .ends_with("an array of objects"));
  CHECK(message_of(check_arguments(operation("start"), {{"apps", json::array()}, {"mode", "nwe"}})) ==
        "start: argument 'mode' is 'new' or 'apply' or 'reload' or 'restart', got 'nwe'");
  CHECK(message_of(check_arguments(operation("logs"), {{"streams", {"out", "log"}}})).ends_with("got 'log'"));
  CHECK_FALSE(check_arguments(operation("ping"), json::array()));
}
