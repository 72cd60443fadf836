// field_row: how a row of the tables of app fields is made: a kind of value, and the member it is kept in.
//
// Included by config/app_fields.cpp and config/runtime_fields.cpp alone. A kind reads its value from JSON,
// writes it, and has a name in the schema.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/app_fields.h"
#include "config/field_lists.h"
#include "config/field_values.h"

namespace clusterd {

struct Flag {
  static constexpr std::string_view kType = "flag";
  static void read(const nlohmann::json& value, bool& target, FieldProblems& problems) {
    read_flag(value, target, problems);
  }
  static nlohmann::json write(bool value) { return value; }
};

template <std::int64_t Min>
struct WholeNumber {
  static constexpr std::string_view kType = Min == 0 ? "whole_number" : "positive_number";
  static void read(const nlohmann::json& value, int& target, FieldProblems& problems) {
    read_whole_number(value, {Min, INT32_MAX}, target, problems);
  }
  static nlohmann::json write(int value) { return value; }
};

template <std::int64_t MinMilliseconds, ForEver AllowForEver = ForEver::refused>
struct Duration {
  static constexpr std::string_view kType =
      AllowForEver == ForEver::allowed ? "duration_or_never" : "duration";
  static void read(const nlohmann::json& value, Milliseconds& target, FieldProblems& problems) {
    read_duration(value, Milliseconds{MinMilliseconds}, AllowForEver, target, problems);
  }
  static nlohmann::json write(Milliseconds value) { return value.count(); }
};

template <Emptiness AllowEmpty>
struct Text {
  static constexpr std::string_view kType = AllowEmpty == Emptiness::allowed ? "text" : "non_empty_text";
  static void read(const nlohmann::json& value, std::string& target, FieldProblems& problems) {
    read_text(value, AllowEmpty, target, problems);
  }
  static nlohmann::json write(const std::string& value) { return value; }
};
using NonEmptyText = Text<Emptiness::refused>;
using AnyText = Text<Emptiness::allowed>;

struct TextList {
  static constexpr std::string_view kType = "text_list";
  static void read(const nlohmann::json& value, std::vector<std::string>& target, FieldProblems& problems) {
    read_text_list(value, target, problems);
  }
  static nlohmann::json write(const std::vector<std::string>& value) { return value; }
};

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

template <class Kind, auto Member>
void read_member(const nlohmann::json& value, AppSpec& spec, FieldProblems& problems) {
  auto& member = spec.*Member;
  using T = std::remove_reference_t<decltype(member)>;
  if constexpr (kIsOptional<T>) {
    typename T::value_type read{};
    const std::size_t problems_before = problems.size();
    Kind::read(value, read, problems);
    if (problems.size() == problems_before) member = std::move(read);
  } else {
    Kind::read(value, member, problems);
  }
}

// Everything is written, defaults too: a file of today must mean the same after a default has changed. Only
// what is empty by default can be told by its absence.
template <class Kind, auto Member>
nlohmann::json write_member(const AppSpec& spec) {
  const auto& member = spec.*Member;
  using T = std::remove_cvref_t<decltype(member)>;
  if constexpr (kIsOptional<T>) {
    return member ? Kind::write(*member) : nlohmann::json(nullptr);
  } else {
    if constexpr (requires { member.empty(); }) {
      if (member.empty() && (AppSpec{}.*Member).empty()) return nullptr;
    }
    return Kind::write(member);
  }
}

using Aliases = std::array<std::string_view, 4>;

template <class Kind, auto Member>
constexpr AppField row(std::string_view name, std::string_view doc, Aliases aliases = {}) {
  return {name, aliases, Kind::kType, doc, read_member<Kind, Member>, write_member<Kind, Member>};
}

}  // namespace clusterd
