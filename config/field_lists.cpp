#include "config/field_lists.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/json_text.h"
#include "config/command_line.h"
#include "config/field_values.h"
#include "config/jsonc.h"

namespace clusterd {
namespace {

using nlohmann::json;

void add_problem_at(FieldProblems& problems, std::size_t index, std::string message) {
  const std::string text = std::to_string(index);
  problems.push_back({"[" + text + "]", "/" + text, std::move(message)});
}

void add_problem_at(FieldProblems& problems, const std::string& key, std::string message) {
  problems.push_back({"." + key, pointer_step(key), std::move(message)});
}

bool has_nul(const std::string& text) { return text.find('\0') != std::string::npos; }

// As a person would write the number: 3, not 3.0.
std::string number_text(const json& value) {
  constexpr double kExactMax = 9007199254740992.0;  // 2^53
  if (value.is_number_float()) {
    const auto number = value.get<double>();
    if (std::trunc(number) == number && std::abs(number) < kExactMax) {
      return std::to_string(static_cast<std::int64_t>(number));
    }
  }
  return to_line(value);
}

// A single value where a list is expected is a list of one.
json as_array(const json& value) { return value.is_array() ? value : json::array({value}); }

std::string environment_name_fault(const std::string& name) {
  if (name.empty()) return "a variable without a name";
  if (name.find('=') != std::string::npos) return "a variable name cannot contain '='";
  if (has_nul(name)) return "a variable name cannot contain a NUL character";
  return {};
}

std::string environment_value(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number() ? number_text(value) : to_line(value);
}

// What stands twice among the entries, the last one included; empty: nothing.
std::string duplicate_fault(const std::vector<ListenEntry>& entries) {
  const std::size_t last = entries.size() - 1;
  for (std::size_t i = 0; i < last; ++i) {
    if (entries[i].address == entries[last].address)
      return "the address " + to_string(entries[last].address) + " stands twice in the list";
    if (socket_name(entries, i) == socket_name(entries, last))
      return "the name " + socket_name(entries, last) + " stands twice in the list";
  }
  return {};
}

}  // namespace

void read_text_list(const json& value, std::vector<std::string>& target, FieldProblems& problems) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (has_nul(text)) return add_problem(problems, "contains a NUL character (\\u0000)");
    auto words = split_command_line(text);
    if (!words) return add_problem(problems, words.error().message);
    target = std::move(*words);
    return;
  }
  if (!value.is_array()) {
    return add_problem(problems, expected("an array of strings, or one string to be split at blanks", value));
  }
  std::vector<std::string> words;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const json& item = value[i];
    if (!item.is_string() && !item.is_number()) {
      add_problem_at(problems, i, expected("a string", item));
      continue;
    }
    words.push_back(item.is_string() ? item.get<std::string>() : number_text(item));
    if (has_nul(words.back())) add_problem_at(problems, i, "contains a NUL character (\\u0000)");
  }
  target = std::move(words);
}

void read_path_list(const json& value, std::vector<std::string>& target, FieldProblems& problems) {
  const json items = as_array(value);
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < items.size(); ++i) {
    FieldProblems of_item;
    std::string path;
    read_text(items[i], Emptiness::refused, path, of_item);
    if (of_item.empty()) {
      paths.push_back(std::move(path));
    } else if (value.is_array()) {
      add_problem_at(problems, i, of_item.front().message);
    } else {
      add_problem(problems, of_item.front().message);
    }
  }
  target = std::move(paths);
}

void read_env_filter(const json& value, EnvFilter& target, FieldProblems& problems) {
  if (value.is_boolean() || value == "true" || value == "false") {
    target = {};
    target.everything = value == true || value == "true";
    return;
  }
  if (!value.is_string() && !value.is_array())
    return add_problem(problems,
                       expected("true, the name of a variable, or an array of parts of names", value));
  EnvFilter filter;
  if (value.is_string()) {
    read_text(value, Emptiness::refused, filter.exactly, problems);
  } else {
    read_path_list(value, filter.containing, problems);  // the same shape
  }
  target = std::move(filter);
}

json write_env_filter(const EnvFilter& filter) {
  if (filter.everything) return true;
  if (!filter.exactly.empty()) return filter.exactly;
  return filter.containing.empty() ? json(false) : json(filter.containing);
}

void read_environment(const json& value, Environment& target, FieldProblems& problems) {
  if (!value.is_object()) {
    return add_problem(problems, expected(R"(an object such as {"PORT": "3000"})", value));
  }
  Environment environment;
  for (const auto& [name, item] : value.items()) {
    if (const std::string fault = environment_name_fault(name); !fault.empty()) {
      add_problem_at(problems, name, fault);
    } else if (item.is_null()) {
      add_problem_at(problems, name,
                     "null is no value; write \"\" for an empty one, or leave the variable out");
    } else if (item.is_string() && has_nul(item.get_ref<const std::string&>())) {
      add_problem_at(problems, name, "contains a NUL character (\\u0000)");
    } else {
      environment[name] = environment_value(item);
    }
  }
  target = std::move(environment);
}

void read_exit_codes(const json& value, std::vector<int>& target, FieldProblems& problems) {
  constexpr WholeNumberRange kExitCodes{0, 255};
  const json items = as_array(value);
  std::vector<int> codes;
  for (std::size_t i = 0; i < items.size(); ++i) {
    FieldProblems of_item;
    int code = 0;
    read_whole_number(items[i], kExitCodes, code, of_item);
    if (of_item.empty()) {
      codes.push_back(code);
    } else if (value.is_array()) {
      add_problem_at(problems, i, of_item.front().message);
    } else {
      add_problem(problems, of_item.front().message);
    }
  }
  std::sort(codes.begin(), codes.end());
  codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
  target = std::move(codes);
}

void read_listen(const json& value, std::vector<ListenEntry>& target, FieldProblems& problems) {
  const json items = as_array(value);
  if (items.size() > kListenAddressesMax) {
    return add_problem(problems, "has " + std::to_string(items.size()) + " addresses; the limit is " +
                                     std::to_string(kListenAddressesMax));
  }
  std::vector<ListenEntry> entries;
  for (std::size_t i = 0; i < items.size(); ++i) {
    FieldProblems of_item;
    ListenEntry entry;
    read_listen_entry(items[i], entry, of_item);
    if (of_item.empty()) {
      entries.push_back(std::move(entry));
      const std::string fault = duplicate_fault(entries);
      if (!fault.empty()) add_problem(of_item, fault);
    }
    const std::string index = std::to_string(i);
    for (FieldProblem& problem : of_item) {
      if (value.is_array()) {
        problem.at.insert(0, "[" + index + "]");
        problem.pointer.insert(0, "/" + index);
      }
      problems.push_back(std::move(problem));
    }
  }
  target = std::move(entries);
}

json write_listen(const std::vector<ListenEntry>& entries) {
  json items = json::array();
  for (const ListenEntry& entry : entries) items.push_back(write_listen_entry(entry));
  return items;
}

}  // namespace clusterd
