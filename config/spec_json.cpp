#include "config/spec_json.h"

#include <nlohmann/json.hpp>

#include "common/app_name.h"
#include "common/path_text.h"
#include "common/utf8.h"
#include "config/app_fields.h"
#include "config/field_lists.h"
#include "config/field_values.h"

namespace clusterd {
namespace {

using nlohmann::json;

constexpr const char* kHexKey = "$hex";
constexpr std::string_view kHexDigits = "0123456789abcdef";

json encoded_text(const std::string& text) {
  if (is_valid_utf8(text)) return text;
  std::string hex;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    hex += kHexDigits[byte >> 4];
    hex += kHexDigits[byte & 0x0Fu];
  }
  return {{kHexKey, hex}};
}

// Object keys cannot be objects; a variable name that is not UTF-8 becomes "$hex:ff2e".
std::string encoded_key(const std::string& key) {
  const json encoded = encoded_text(key);
  const bool is_plain = encoded.is_string() && !key.starts_with("$hex:");
  if (is_plain) return key;
  std::string hex = "$hex:";
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    hex += kHexDigits[byte >> 4];
    hex += kHexDigits[byte & 0x0Fu];
  }
  return hex;
}

json encode_bytes(const json& value) {
  if (value.is_string()) return encoded_text(value.get_ref<const std::string&>());
  if (value.is_array()) {
    json items = json::array();
    for (const json& item : value) items.push_back(encode_bytes(item));
    return items;
  }
  if (!value.is_object()) return value;
  json members = json::object();
  for (const auto& [key, member] : value.items()) members[encoded_key(key)] = encode_bytes(member);
  return members;
}

std::optional<std::string> bytes_of_hex(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const std::size_t high = kHexDigits.find(hex[i]);
    const std::size_t low = kHexDigits.find(hex[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

// What is not well-formed hex stays as it is; the field readers then refuse it.
json decode_bytes(const json& value) {
  if (value.is_array()) {
    json items = json::array();
    for (const json& item : value) items.push_back(decode_bytes(item));
    return items;
  }
  if (!value.is_object()) return value;
  if (const auto hex = value.find(kHexKey); value.size() == 1 && hex != value.end() && hex->is_string()) {
    if (auto bytes = bytes_of_hex(hex->get_ref<const std::string&>())) return *bytes;
  }
  json members = json::object();
  for (const auto& [key, member] : value.items()) {
    const auto bytes =
        key.starts_with("$hex:") ? bytes_of_hex(std::string_view(key).substr(5)) : std::nullopt;
    members[bytes.value_or(key)] = decode_bytes(member);
  }
  return members;
}

std::unexpected<Error> bad_app(std::string_view at, std::string_view message) {
  return fail(ErrorCode::config, "app" + std::string(at) + ": " + std::string(message));
}

// Keys of the wire alone; true if `key` is one. None begins with "env_": those names belong to profiles.
bool read_internal_key(const std::string& key, const json& value, AppSpec& spec, FieldProblems& problems) {
  if (key == "inherited_env") {
    read_environment(value, spec.inherited_env, problems);
  } else if (key == "chosen_profile") {
    read_text(value, Emptiness::allowed, spec.env_profile, problems);
  } else if (key == "source_file") {
    read_text(value, Emptiness::allowed, spec.source_file, problems);
  } else if (key == "instances_given") {
    read_flag(value, spec.instances_given, problems);
  } else if (key == "exec_mode_given") {
    read_flag(value, spec.exec_mode_given, problems);
  } else if (key == "by_node") {
    read_flag(value, spec.by_node, problems);
  } else {
    return false;
  }
  return true;
}

void read_key(const std::string& key, const json& value, AppSpec& spec, FieldProblems& problems) {
  const AppField* field = find_app_field(key);
  if (field != nullptr && field->name == key) {  // no aliases here: one form, written by one writer
    const bool instances_given = spec.instances_given;
    const bool exec_mode_given = spec.exec_mode_given;
    field->read(value, spec, problems);
    spec.instances_given = instances_given;
    spec.exec_mode_given = exec_mode_given;
  } else if (read_internal_key(key, value, spec, problems)) {
    return;
  } else if (const auto profile = env_profile_of_key(key)) {
    read_env_profile(*profile, value, spec, problems);
  } else {
    problems.push_back({"", "", "unknown key"});
  }
}

Result<void> check_resolved(const AppSpec& spec) {
  if (auto checked = check_app_name(spec.name); !checked) return bad_app(".name", checked.error().message);
  if (auto checked = check_namespace(spec.name_space); !checked)
    return bad_app(".namespace", checked.error().message);
  if (spec.script.empty()) return bad_app(".script", "is missing");
  const bool is_bare_name = spec.script.find('/') == std::string::npos;
  if (!is_bare_name && !is_absolute(spec.script))
    return bad_app(".script", "has to be an absolute path or a bare name");
  if (!is_absolute(spec.cwd)) return bad_app(".cwd", "has to be an absolute path");
  struct Path {
    const char* field;
    const std::string& value;
  };
  for (const Path& path : {Path{".out_file", spec.out_file}, Path{".error_file", spec.error_file},
                           Path{".log_file", spec.log.file}, Path{".pid_file", spec.pid_file}}) {
    if (!path.value.empty() && !is_absolute(path.value))
      return bad_app(path.field, "has to be an absolute path");
  }
  for (const std::string& path : spec.watch.paths) {
    if (!is_absolute(path)) return bad_app(".watch", "has to be absolute paths");
  }
  if (!spec.source_file.empty() && !is_absolute(spec.source_file))
    return bad_app(".source_file", "has to be an absolute path");
  for (const std::string& path : spec.env_file) {
    if (!is_absolute(path)) return bad_app(".env_file", "has to be an absolute path");
  }
  return {};
}

bool is_about_environment(std::string_view field) { return field == "env"; }

json fields_of(const AppSpec& spec, bool (*is_left_out)(std::string_view field)) {
  json app = json::object();
  for (const AppField& field : app_fields()) {
    if (is_left_out(field.name)) continue;
    json value = field.write(spec);
    if (!value.is_null()) app[std::string(field.name)] = std::move(value);
  }
  return app;
}

}  // namespace

json to_json(const AppSpec& spec) {
  json app = fields_of(spec, [](std::string_view) { return false; });
  for (const auto& [profile, variables] : spec.env_profiles) app["env_" + profile] = variables;
  app["inherited_env"] = spec.inherited_env;
  app["chosen_profile"] = spec.env_profile;
  if (!spec.source_file.empty()) app["source_file"] = spec.source_file;
  app["instances_given"] = spec.instances_given;
  app["exec_mode_given"] = spec.exec_mode_given;
  app["by_node"] = spec.by_node;
  return encode_bytes(app);
}

json to_json_without_env(const AppSpec& spec) { return encode_bytes(fields_of(spec, is_about_environment)); }

Result<AppSpec> parse_resolved_app(const json& app) {
  if (!app.is_object()) return bad_app("", "expected an object");
  AppSpec spec;
  const json decoded = decode_bytes(app);
  if (!decoded.is_object()) return bad_app("", "expected an object");
  for (const auto& [key, value] : decoded.items()) {
    FieldProblems problems;
    read_key(key, value, spec, problems);
    if (problems.empty()) continue;
    return bad_app("." + key.substr(0, 80) + problems.front().at, problems.front().message);
  }
  if (auto checked = check_resolved(spec); !checked) return fail(checked.error());
  return spec;
}

Result<AppSpec> with_settings(AppSpec spec, const json& settings) {
  for (const auto& [key, value] : settings.items()) {
    const AppField* field = find_app_field(key);
    if (field == nullptr || field->name != key)
      return fail(ErrorCode::config, "settings: unknown key '" + key.substr(0, 80) + "'");
    if (key == "name" || key == "namespace") {
      return fail(ErrorCode::usage,
                  "the " + key + " of an app cannot be changed: delete it and start it anew");
    }
    FieldProblems problems;
    field->read(decode_bytes(value), spec, problems);
    if (!problems.empty())
      return fail(ErrorCode::config, key + problems.front().at + ": " + problems.front().message);
  }
  if (spec.interpreter == "none") spec.interpreter.clear();
  if (auto checked = check_resolved(spec); !checked) return fail(checked.error());
  return spec;
}

json environment_to_json(const Environment& environment) { return encode_bytes(json(environment)); }

Result<Environment> environment_from_json(const json& value) {
  Environment environment;
  FieldProblems problems;
  read_environment(decode_bytes(value), environment, problems);
  if (problems.empty()) return environment;
  return fail(ErrorCode::config, "environment" + problems.front().at + ": " + problems.front().message);
}

}  // namespace clusterd
