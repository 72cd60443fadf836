#include "config/field_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/json_text.h"
#include "common/signal_names.h"
#include "common/units.h"
#include "config/jsonc.h"

namespace clusterd {
namespace {

constexpr std::array<std::pair<Balance, std::string_view>, 6> kBalanceWords{{
    {Balance::automatic, "auto"},
    {Balance::least_conn, "least_conn"},
    {Balance::round_robin, "round_robin"},
    {Balance::random, "random"},
    {Balance::hash, "hash"},
    {Balance::shared, "shared"},
}};

using nlohmann::json;

// 3, 3.0, 1e3, "3"; nothing if a part would be lost.
std::optional<std::int64_t> whole_number_of(const json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
    return static_cast<std::int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number_float()) {
    constexpr double kExactMax = 9007199254740992.0;  // 2^53: beyond it doubles skip whole numbers
    const auto number = value.get<double>();
    if (std::trunc(number) != number || std::abs(number) > kExactMax) return std::nullopt;
    return static_cast<std::int64_t>(number);
  }
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  std::int64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string range_words(WholeNumberRange range) {
  if (range.max >= INT32_MAX) return "a whole number >= " + std::to_string(range.min);
  return "a whole number from " + std::to_string(range.min) + " to " + std::to_string(range.max);
}

}  // namespace

std::string expected(std::string_view what, const json& value) {
  constexpr std::size_t kShownBytesMax = 60;
  std::string shown = to_line(value);
  if (shown.size() > kShownBytesMax) {
    std::size_t end = kShownBytesMax;
    while ((static_cast<unsigned char>(shown[end]) & 0xC0u) == 0x80u)
      --end;  // not in the middle of a character
    shown = shown.substr(0, end) + "…";
  }
  return "expected " + std::string(what) + ", got " + shown;
}

void add_problem(FieldProblems& problems, std::string message) {
  problems.push_back({"", "", std::move(message)});
}

void add_problems_of(FieldProblems& problems, const std::string& key, FieldProblems found) {
  for (FieldProblem& problem : found)
    problems.push_back(
        {"." + key + problem.at, pointer_step(key) + problem.pointer, std::move(problem.message)});
}

void read_flag(const json& value, bool& target, FieldProblems& problems) {
  if (value.is_boolean()) {
    target = value.get<bool>();
  } else if (value == "true" || value == "false") {
    target = value == "true";
  } else {
    add_problem(problems, expected("true or false", value));
  }
}

void read_whole_number(const json& value, WholeNumberRange range, int& target, FieldProblems& problems) {
  const auto number = whole_number_of(value);
  if (!number || *number < range.min || *number > range.max) {
    add_problem(problems, expected(range_words(range), value));
    return;
  }
  target = static_cast<int>(*number);
}

void read_duration(const json& value, Milliseconds min, ForEver for_ever, Milliseconds& target,
                   FieldProblems& problems) {
  const auto number = whole_number_of(value);
  if (for_ever == ForEver::allowed && number == -1) {
    target = kNoTimeLimit;
    return;
  }
  const std::string_view also = for_ever == ForEver::allowed ? ", or -1 for no limit" : "";
  if (number ? *number < 0 : !value.is_string()) {
    const std::string what = R"(milliseconds or a duration such as "30s" or "5m")" + std::string(also);
    add_problem(problems, expected(what, value));
    return;
  }
  const auto duration =
      parse_duration(number ? std::to_string(*number) : value.get_ref<const std::string&>());
  if (!duration) {
    add_problem(problems, duration.error().message + std::string(also));
    return;
  }
  if (*duration < min) {
    add_problem(problems, expected("at least " + format_duration_exact(min), value));
    return;
  }
  target = *duration;
}

std::optional<std::uint64_t> read_size(const json& value, std::string_view what, FieldProblems& problems) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (!value.is_string()) {
    add_problem(problems, expected(what, value));
    return std::nullopt;
  }
  auto size = parse_size(value.get_ref<const std::string&>());
  if (size) return *size;
  add_problem(problems, size.error().message);
  return std::nullopt;
}

void read_text(const json& value, Emptiness emptiness, std::string& target, FieldProblems& problems) {
  if (!value.is_string()) {
    add_problem(problems, expected("a string", value));
    return;
  }
  const auto& text = value.get_ref<const std::string&>();
  if (text.find('\0') != std::string::npos) {
    add_problem(problems, "contains a NUL character (\\u0000), which no program can be given");
  } else if (text.empty() && emptiness == Emptiness::refused) {
    add_problem(problems, "is empty; leave the key out for the default");
  } else {
    target = text;
  }
}

void read_exec_mode(const json& value, ExecMode& target, FieldProblems& problems) {
  if (value == "cluster" || value == "cluster_mode") {
    target = ExecMode::cluster;
  } else if (value == "fork" || value == "fork_mode") {
    target = ExecMode::fork;
  } else {
    add_problem(problems, expected(R"("cluster" or "fork")", value));
  }
}

void read_balance(const json& value, Balance& target, FieldProblems& problems) {
  const auto found =
      std::ranges::find_if(kBalanceWords, [&](const auto& row) { return value == row.second; });
  if (found != kBalanceWords.end()) {
    target = found->first;
  } else if (value == "inherited") {
    target = Balance::shared;
  } else if (value == "reuseport") {
    target = Balance::hash;
  } else {
    add_problem(problems, expected("auto, least_conn, round_robin, random, hash or shared", value));
  }
}

void read_instances(const json& value, InstanceCount& target, FieldProblems& problems) {
  const auto number = whole_number_of(value);
  if (value == "max" || number == 0) {
    target = {InstanceCount::Kind::all_cpus, 0};
  } else if (number && *number > 0 && *number <= kInstancesMax) {
    target = {InstanceCount::Kind::exactly, static_cast<int>(*number)};
  } else if (number && *number < 0 && *number >= -kInstancesMax) {
    target = {InstanceCount::Kind::all_cpus_minus, static_cast<int>(-*number)};
  } else {
    add_problem(problems,
                expected("a whole number up to " + std::to_string(kInstancesMax) +
                             R"(, "max" or 0 for one per CPU, or a negative number for fewer than CPUs)",
                         value));
  }
}

void read_signal(const json& value, int& target, FieldProblems& problems) {
  const auto number = whole_number_of(value);
  if (!number && !value.is_string()) {
    add_problem(problems, expected(R"(the name of a signal such as "SIGTERM", or its number)", value));
    return;
  }
  const auto signal =
      signal_from_name(number ? std::to_string(*number) : value.get_ref<const std::string&>());
  if (signal) {
    target = *signal;
  } else {
    add_problem(problems, signal.error().message);
  }
}

void read_account(const json& value, std::string& target, FieldProblems& problems) {
  constexpr std::int64_t kIdMax = 4294967294;  // (uid_t)-1 means "leave as it is": setresuid(2)
  const auto number = whole_number_of(value);
  if (number ? *number >= 0 && *number <= kIdMax : value.is_string()) {
    if (number) {
      target = std::to_string(*number);
    } else {
      read_text(value, Emptiness::refused, target, problems);
    }
    return;
  }
  add_problem(problems, expected("a name or a number from 0 to 4294967294", value));
}

json write_instances(const InstanceCount& count) {
  switch (count.kind) {
    case InstanceCount::Kind::exactly:
      return count.value;
    case InstanceCount::Kind::all_cpus:
      return "max";
    case InstanceCount::Kind::all_cpus_minus:
      return -count.value;
  }
  return nullptr;
}

std::string_view exec_mode_word(ExecMode mode) { return mode == ExecMode::cluster ? "cluster" : "fork"; }
std::string_view balance_word(Balance balance) {
  return std::ranges::find(kBalanceWords, balance, &std::pair<Balance, std::string_view>::first)->second;
}

}  // namespace clusterd
