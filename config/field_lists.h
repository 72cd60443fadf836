// JSON values -> AppSpec's fields that hold several values, and back: arguments, variables, addresses, codes.
//
// Pure; used by the table in config/app_fields.cpp and by spec_json. The rules of config/field_values.h
// apply; a problem points to the member that is wrong, and all members are looked at.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "config/app_fields.h"
#include "config/app_spec.h"

namespace clusterd {

inline constexpr std::size_t kListenAddressesMax = 512;

// An array is kept as it is, numbers as their text; a string is split as a shell would.
void read_text_list(const nlohmann::json& value, std::vector<std::string>& target, FieldProblems& problems);

// One path, blanks and all, or an array of them.
void read_path_list(const nlohmann::json& value, std::vector<std::string>& target, FieldProblems& problems);

// true: everything; a string: that variable; an array: what contains one of these.
void read_env_filter(const nlohmann::json& value, EnvFilter& target, FieldProblems& problems);
nlohmann::json write_env_filter(const EnvFilter& filter);

// Numbers and booleans become their text, objects and arrays JSON text; null is refused.
void read_environment(const nlohmann::json& value, Environment& target, FieldProblems& problems);

// One code or an array of them; sorted, each once.
void read_exit_codes(const nlohmann::json& value, std::vector<int>& target, FieldProblems& problems);

// One entry or an array of them; an address or a name that stands twice is refused.
void read_listen(const nlohmann::json& value, std::vector<ListenEntry>& target, FieldProblems& problems);
nlohmann::json write_listen(const std::vector<ListenEntry>& entries);

}  // namespace clusterd
