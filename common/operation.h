// Operation: one entry of the table of everything the daemon can be asked to do, with its arguments.
//
// Pure; the server checks requests against it, the CLI prints its help from it, and a test holds
// docs/protocol.md against it. Says what an argument may look like, never what an operation does.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>

#include "common/result.h"

namespace clusterd {

enum class ArgumentType {
  boolean,
  integer,
  string,
  string_or_integer,
  strings,  // array of strings
  integers,
  object,
  objects,  // array of objects
};

enum class Presence { required, optional };

struct Argument {
  std::string_view name;
  ArgumentType type;
  Presence presence;
  std::span<const std::string_view> choices{};  // of a string or of each of `strings`; empty: any
};

struct Operation {
  std::string_view name;
  std::span<const Argument> arguments;
  std::string_view help;  // one line
};

std::span<const Operation> operations();
const Operation* find_operation(std::string_view name);  // null: there is none

// What find_operation() did not find, as an error of code `usage` with a near match.
Error unknown_operation(std::string_view name);

// Every argument is known and of its type, every required one is there. `args` is an object or null.
Result<void> check_arguments(const Operation& operation, const nlohmann::json& args);

}  // namespace clusterd
