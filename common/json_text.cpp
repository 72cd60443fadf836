#include "common/json_text.h"

#include <nlohmann/json.hpp>

namespace clusterd {
namespace {

// nlohmann's messages open with "[json.exception.parse_error.101] ", which says nothing to a user.
std::string without_library_tag(std::string_view what) {
  const std::size_t end = what.find("] ");
  return std::string(what.starts_with('[') && end != std::string_view::npos ? what.substr(end + 2) : what);
}

}  // namespace

std::string to_line(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string to_indented(const nlohmann::json& value) {
  return value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string to_frame(const nlohmann::json& value) { return to_line(value) + '\n'; }

bool is_nested_deeper_than(std::string_view text, int depth_max) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > depth_max) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

Result<nlohmann::json> parse_line(std::string_view text) {
  if (is_nested_deeper_than(text, kJsonDepthMax)) {
    return fail(ErrorCode::protocol,
                "the JSON is nested deeper than " + std::to_string(kJsonDepthMax) + " levels");
  }
  try {
    return nlohmann::json::parse(text.begin(), text.end());
  } catch (const nlohmann::json::exception& error) {
    return fail(ErrorCode::protocol, "not a JSON value: " + without_library_tag(error.what()));
  }
}

}  // namespace clusterd
