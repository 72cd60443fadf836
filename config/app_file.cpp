#include "config/app_file.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "common/suggest.h"
#include "config/app_fields.h"
#include "config/app_resolve.h"
#include "config/foreign_keys.h"
#include "config/json5.h"
#include "config/jsonc.h"

namespace clusterd {
namespace {

using nlohmann::json;

// One app in the file: its value and where it stands.
struct Entry {
  const json* value;
  std::string pointer;  // "/apps/0"
  std::string at;       // "apps[0]"; empty for a bare app
};

class AppFileParser {
 public:
  AppFileParser(const AppFileContext& context, const JsoncDocument* document)
      : context_(context), document_(document) {}

  AppFileResult parse(const json& root) {
    for (const Entry& entry : find_entries(root)) parse_entry(entry);
    check_names();
    check_profile();
    result_.errors = sorted_by_line(std::move(errors_));
    result_.warnings = sorted_by_line(std::move(warnings_));
    return std::move(result_);
  }

 private:
  struct Message {
    int line;
    std::string text;
  };

  Message locate(const std::string& pointer, std::string at, const std::string& text) const {
    if (at.starts_with('.')) at.erase(0, 1);
    const std::string what = at.empty() ? text : at + ": " + text;
    if (context_.file_name.empty()) return {0, what};
    if (document_ != nullptr && document_->lines.empty()) return {0, context_.file_name + ": " + what};
    const int line = document_ ? document_->line_of(pointer) : 1;
    return {line, context_.file_name + ":" + std::to_string(line) + ": " + what};
  }
  void add_error(const std::string& pointer, const std::string& at, const std::string& text) {
    errors_.push_back(locate(pointer, at, text));
  }
  void add_warning(const std::string& pointer, const std::string& at, const std::string& text) {
    warnings_.push_back(locate(pointer, at, text));
  }

  static std::vector<std::string> sorted_by_line(std::vector<Message> messages) {
    std::stable_sort(messages.begin(), messages.end(),
                     [](const Message& a, const Message& b) { return a.line < b.line; });
    std::vector<std::string> texts;
    for (Message& message : messages) texts.push_back(std::move(message.text));
    return texts;
  }

  std::vector<Entry> find_entries(const json& root) {
    if (root.is_array()) return entries_of(root, "", "");
    if (!root.is_object()) {
      add_error(
          "", "",
          "expected {\"apps\": [...]}, an array of apps or one app, got " + std::string(root.type_name()));
      return {};
    }
    const bool has_list = root.contains("apps") || root.contains("pm2");
    if (!has_list && context_.is_package) {
      add_error(
          "", "",
          "has neither 'apps' nor 'pm2'; a script of it is started with: clusterd start npm -- run NAME");
      return {};
    }
    if (!has_list) return {{&root, "", ""}};
    std::vector<Entry> entries;
    for (const auto& [key, value] : root.items()) {
      if (key == "apps" || key == "pm2") {
        for (Entry& entry : entries_of(value, "/" + key, key)) entries.push_back(std::move(entry));
      } else if (!context_.is_package) {
        check_root_key(key);
      }
    }
    return entries;
  }

  std::vector<Entry> entries_of(const json& list, const std::string& pointer, const std::string& at) {
    // Some write {"pm2": {"apps": [...]}}.
    if (list.is_object() && list.contains("apps"))
      return entries_of(list["apps"], pointer + "/apps", at + ".apps");
    if (list.is_object()) return {{&list, pointer, at}};
    if (!list.is_array()) {
      add_error(pointer, at, "expected an array of apps");
      return {};
    }
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string index = std::to_string(i);
      entries.push_back({&list[i], pointer + "/" + index, at + "[" + index + "]"});
    }
    return entries;
  }

  void check_root_key(const std::string& key) {
    constexpr std::array<std::string_view, 3> kRootKeys{"apps", "deploy", "static"};
    if (key == "$schema" || key.starts_with("x-")) return;  // x-: a place for YAML's anchors
    if (key == "deploy" || key == "static") {
      add_warning(pointer_step(key), key, "not supported, ignored");
      return;
    }
    const std::string hint =
        find_app_field(key) ? "; it belongs into an app, inside of 'apps'" : did_you_mean(key, kRootKeys);
    add_error(pointer_step(key), key, "unknown key" + hint);
  }

  void parse_entry(const Entry& entry) {
    if (!entry.value->is_object()) {
      add_error(entry.pointer, entry.at, "expected an app, an object with at least a 'script'");
      return;
    }
    AppSpec spec;
    std::map<std::string_view, std::string> key_of_field;
    for (const auto& [key, value] : entry.value->items()) parse_key(entry, key, value, spec, key_of_field);

    GivenFields given;
    for (const auto& [field, key] : key_of_field) given.insert(field);
    for (FieldProblem problem : resolve_app(spec, given, context_)) {
      // The user may have written an alias: point to what stands in the file.
      if (const auto found =
              key_of_field.find(std::string_view(problem.at).substr(problem.at.empty() ? 0 : 1));
          found != key_of_field.end()) {
        problem.at = "." + found->second;
        problem.pointer = pointer_step(found->second);
      }
      add_error(entry.pointer + problem.pointer, entry.at + problem.at, problem.message);
    }
    parsed_.push_back(entry);
    result_.apps.push_back(std::move(spec));
  }

  void parse_key(const Entry& entry, const std::string& key, const json& value, AppSpec& spec,
                 std::map<std::string_view, std::string>& key_of_field) {
    const std::string pointer = entry.pointer + pointer_step(key);
    const std::string at = entry.at + "." + key;
    FieldProblems problems;
    if (const AppField* field = find_app_field(key)) {
      const auto [first, is_first] = key_of_field.try_emplace(field->name, key);
      if (!is_first)
        return add_error(pointer, at, "is the same setting as '" + first->second + "'; remove one");
      field->read(value, spec, problems);
    } else if (const auto profile = env_profile_of_key(key)) {
      read_env_profile(*profile, value, spec, problems);
    } else if (const ForeignKey* foreign = find_foreign_key(key)) {
      if (warned_keys_.insert(foreign->name).second) add_warning(pointer, at, std::string(foreign->why));
    } else if (key != "$schema") {
      add_error(pointer, at, "unknown key" + unknown_key_hint(entry, key));
    }
    for (const FieldProblem& problem : problems) {
      add_error(pointer + problem.pointer, at + problem.at, problem.message);
    }
  }

  static std::string unknown_key_hint(const Entry& entry, const std::string& key) {
    std::vector<std::string_view> candidates(known_app_keys().begin(), known_app_keys().end());
    if (entry.pointer.empty()) candidates.push_back("apps");
    return did_you_mean(key, candidates);
  }

  void check_names() {
    std::map<std::pair<std::string, std::string>, const Entry*> first_of_name;
    for (std::size_t i = 0; i < result_.apps.size(); ++i) {
      const AppSpec& spec = result_.apps[i];
      if (spec.name.empty()) continue;
      const auto [first, is_first] = first_of_name.try_emplace({spec.name_space, spec.name}, &parsed_[i]);
      if (is_first) continue;
      const Entry& entry = parsed_[i];
      add_error(entry.pointer + "/name", entry.at,
                "the name '" + spec.name + "' belongs to " + first->second->at +
                    " already; give one of them another 'name' or 'namespace'");
    }
  }

  void check_profile() {
    if (context_.env_profile.empty() || result_.apps.empty()) return;
    std::set<std::string_view> profiles;
    for (const AppSpec& spec : result_.apps) {
      for (const auto& [name, variables] : spec.env_profiles) profiles.insert(name);
    }
    if (profiles.contains(context_.env_profile)) return;
    const std::vector<std::string_view> candidates(profiles.begin(), profiles.end());
    add_warning("", "",
                "no app has 'env_" + context_.env_profile + "', so --env " + context_.env_profile +
                    " changes nothing" + did_you_mean(context_.env_profile, candidates));
  }

  const AppFileContext& context_;
  const JsoncDocument* document_;  // null: no lines are known
  AppFileResult result_;
  std::vector<Entry> parsed_;  // beside result_.apps
  std::vector<Message> errors_;
  std::vector<Message> warnings_;
  std::set<std::string_view> warned_keys_;
};

}  // namespace

AppFileResult parse_app_file(std::string_view text, const AppFileContext& context) {
  const auto document =
      context.is_json5 ? parse_json5(text, context.file_name) : parse_jsonc(text, context.file_name);
  if (!document) return {{}, {}, {document.error().message}};
  return AppFileParser(context, &*document).parse(document->root);
}

AppFileResult parse_app_document(const JsoncDocument& document, const AppFileContext& context) {
  return AppFileParser(context, &document).parse(document.root);
}

AppFileResult parse_app_object(const json& app, const AppFileContext& context) {
  return AppFileParser(context, nullptr).parse(app);
}

}  // namespace clusterd
