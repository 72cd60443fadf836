// JSON values -> the C++ values of AppSpec's single-valued fields, and back; lists: config/field_lists.h.
//
// Pure; used by the table in config/app_fields.cpp alone. Strings are taken for numbers and booleans where
// nothing is lost ("3", "true"); whatever else is not of the expected kind is a problem that says what was
// expected and what came. A read_ function leaves its target alone when it reports a problem about the whole.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "config/app_fields.h"
#include "config/app_spec.h"

namespace clusterd {

// "expected <what>, got <value, shortened>".
std::string expected(std::string_view what, const nlohmann::json& value);

void add_problem(FieldProblems& problems, std::string message);
// Those of a member, with its name in front.
void add_problems_of(FieldProblems& problems, const std::string& key, FieldProblems found);

struct WholeNumberRange {
  std::int64_t min;
  std::int64_t max;
};
enum class ForEver { refused, allowed };  // -1 as a duration
enum class Emptiness { refused, allowed };

void read_flag(const nlohmann::json& value, bool& target, FieldProblems& problems);
void read_whole_number(const nlohmann::json& value, WholeNumberRange range, int& target,
                       FieldProblems& problems);
void read_duration(const nlohmann::json& value, Milliseconds min, ForEver for_ever, Milliseconds& target,
                   FieldProblems& problems);
// Bytes as a number or as a size; `what` says what was expected. Nothing: a problem was added.
std::optional<std::uint64_t> read_size(const nlohmann::json& value, std::string_view what,
                                       FieldProblems& problems);
void read_text(const nlohmann::json& value, Emptiness emptiness, std::string& target,
               FieldProblems& problems);
void read_instances(const nlohmann::json& value, InstanceCount& target, FieldProblems& problems);
void read_exec_mode(const nlohmann::json& value, ExecMode& target, FieldProblems& problems);
void read_balance(const nlohmann::json& value, Balance& target, FieldProblems& problems);
void read_signal(const nlohmann::json& value, int& target, FieldProblems& problems);
void read_account(const nlohmann::json& value, std::string& target, FieldProblems& problems);

nlohmann::json write_instances(const InstanceCount& count);
std::string_view exec_mode_word(ExecMode mode);
std::string_view balance_word(Balance balance);

}  // namespace clusterd
