#include "cli/yaml_file.h"

#include <yaml-cpp/yaml.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/json_text.h"
#include "config/jsonc_syntax.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;

struct YamlFault {
  YAML::Mark mark;
  std::string message;
};

bool is_integer_text(const std::string& text) {
  const std::string_view digits = std::string_view(text).substr(text.starts_with('-') ? 1 : 0);
  const bool is_canonical = !digits.empty() && (digits == "0" || digits[0] != '0');
  return is_canonical && digits.find_first_not_of("0123456789") == std::string_view::npos;
}

// A plain word. Numbers that are not whole stay text, since "1.10" is not 1.1 for a program that reads it.
json plain_value(const std::string& text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") return nullptr;
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  std::int64_t number = 0;
  const bool is_number = is_integer_text(text) &&
                         std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc{};
  return is_number ? json(number) : json(text);
}

class Converter {
 public:
  explicit Converter(JsoncDocument& document) : document_(document) {}

  // Throws YamlFault.
  json convert(const YAML::Node& node, const std::string& pointer, int depth, std::optional<int> line = {}) {
    if (depth > kJsonDepthMax)
      throw YamlFault{node.Mark(), "nested deeper than " + std::to_string(kJsonDepthMax) + " levels"};
    if (++values_ > kYamlValuesMax)
      throw YamlFault{node.Mark(),
                      "more than " + std::to_string(kYamlValuesMax) + " values, aliases counted each time"};
    document_.lines[pointer] = line.value_or(node.Mark().line + 1);
    switch (node.Type()) {
      case YAML::NodeType::Scalar:
        // yaml-cpp: "?" is a plain scalar, "!" a quoted one.
        return node.Tag() == "?" ? plain_value(node.Scalar()) : json(node.Scalar());
      case YAML::NodeType::Sequence:
        return sequence(node, pointer, depth);
      case YAML::NodeType::Map:
        return mapping(node, pointer, depth);
      default:
        return nullptr;
    }
  }

 private:
  json sequence(const YAML::Node& node, const std::string& pointer, int depth) {
    json items = json::array();
    for (const YAML::Node& item : node)
      items.push_back(convert(item, pointer + "/" + std::to_string(items.size()), depth + 1));
    return items;
  }

  json mapping(const YAML::Node& node, const std::string& pointer, int depth) {
    json members = json::object();
    std::vector<YAML::Node> merged;
    for (const auto& entry : node) {
      if (!entry.first.IsScalar()) throw YamlFault{entry.first.Mark(), "a key has to be a word"};
      const std::string& key = entry.first.Scalar();
      if (key == "<<" && entry.first.Tag() == "?") {
        merged.push_back(entry.second);
        continue;
      }
      if (members.contains(key))
        throw YamlFault{entry.first.Mark(),
                        "the key \"" + key.substr(0, 80) + "\" stands twice in this object; remove one"};
      members[key] =
          convert(entry.second, pointer + pointer_step(key), depth + 1, entry.first.Mark().line + 1);
    }
    for (const YAML::Node& source : merged) merge(source, members, pointer, depth);
    return members;
  }

  // What is there already is stronger; of several maps the first.
  void merge(const YAML::Node& source, json& members, const std::string& pointer, int depth) {
    if (source.IsSequence()) {
      for (const YAML::Node& one : source) merge(one, members, pointer, depth + 1);
      return;
    }
    if (!source.IsMap() || depth > kJsonDepthMax)
      throw YamlFault{source.Mark(), "<< takes a map or a list of maps"};
    JsoncDocument elsewhere;
    std::swap(elsewhere.lines, document_.lines);
    json others = mapping(source, pointer, depth + 1);
    std::swap(elsewhere.lines, document_.lines);
    document_.lines.merge(elsewhere.lines);
    for (auto& [key, value] : others.items()) {
      if (!members.contains(key)) members[key] = std::move(value);
    }
  }

  JsoncDocument& document_;
  std::size_t values_ = 0;
};

std::unexpected<Error> fault_at(std::string_view file_name, const YAML::Mark& mark,
                                const std::string& message) {
  std::string place(file_name);
  if (mark.line >= 0) place += ":" + std::to_string(mark.line + 1) + ":" + std::to_string(mark.column + 1);
  return fail(ErrorCode::config, place + ": " + message);
}

}  // namespace

Result<JsoncDocument> parse_yaml(std::string_view text, std::string_view file_name) {
  if (const std::string fault = unreadable_reason(text); !fault.empty())
    return fail(ErrorCode::config, std::string(file_name) + ": " + fault);
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (const auto offset = first_ill_formed_utf8(text)) {
    return fail(ErrorCode::config, std::string(file_name) + ":" +
                                       std::to_string(LineMap(text).place_of(*offset).line) +
                                       ": this is not UTF-8; save the file as UTF-8");
  }
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(std::string(text));
    if (documents.size() != 1) {
      return fail(ErrorCode::config, std::string(file_name) + ": holds " + std::to_string(documents.size()) +
                                         " documents; an app file is one");
    }
    JsoncDocument document;
    document.root = Converter(document).convert(documents.front(), "", 0);
    return document;
  } catch (const YamlFault& fault) {
    return fault_at(file_name, fault.mark, fault.message);
  } catch (const YAML::Exception& error) {
    return fault_at(file_name, error.mark, "this is not YAML: " + error.msg);
  }
}

}  // namespace clusterd::cli
