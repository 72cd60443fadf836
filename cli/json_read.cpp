#include "cli/json_read.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace clusterd::cli {

using nlohmann::json;

const json& member_of(const json& object, std::string_view key) {
  static const json kNull;
  if (!object.is_object()) return kNull;
  auto found = object.find(key);
  return found == object.end() ? kNull : *found;
}

std::string text_of(const json& object, std::string_view key) {
  const json& value = member_of(object, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::optional<double> number_of(const json& object, std::string_view key) {
  const json& value = member_of(object, key);
  if (!value.is_number()) return std::nullopt;
  return value.get<double>();
}

std::optional<std::int64_t> integer_of(const json& object, std::string_view key) {
  const json& value = member_of(object, key);
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_number_float()) return std::nullopt;
  double number = value.get<double>();
  if (!std::isfinite(number) || std::abs(number) > 9e15) return std::nullopt;  // exact in a double
  return static_cast<std::int64_t>(number);
}

bool flag_of(const json& object, std::string_view key) {
  const json& value = member_of(object, key);
  return value.is_boolean() && value.get<bool>();
}

}  // namespace clusterd::cli
