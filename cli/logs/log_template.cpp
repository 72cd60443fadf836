#include "cli/logs/log_template.h"

#include <array>
#include <utility>

#include "cli/text.h"
#include "common/suggest.h"

namespace clusterd::cli {
namespace {

std::string number_or_dash(std::optional<int> number) { return number ? std::to_string(*number) : "-"; }

}  // namespace

Result<LogTemplate::Field> LogTemplate::field_named(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Field>, 8> kFields{{{"timestamp", Field::timestamp},
                                                                       {"time", Field::timestamp},
                                                                       {"app", Field::app},
                                                                       {"namespace", Field::name_space},
                                                                       {"id", Field::id},
                                                                       {"slot", Field::slot},
                                                                       {"type", Field::type},
                                                                       {"message", Field::message}}};
  std::vector<std::string_view> names;
  for (const auto& [word, field] : kFields) {
    if (word == name) return field;
    names.push_back(word);
  }
  return fail(ErrorCode::usage, "there is no field {" + std::string(name) + "}" + did_you_mean(name, names) +
                                    "; there are timestamp, app, namespace, id, slot, type and message");
}

void LogTemplate::add_literal(char c) {
  if (pieces_.empty() || pieces_.back().field != Field::literal) pieces_.push_back({});
  pieces_.back().text += c;
}

Result<LogTemplate> LogTemplate::parse(std::string_view text) {
  if (text.size() > kLogTemplateBytesMax) {
    return fail(ErrorCode::usage,
                "the text is longer than " + std::to_string(kLogTemplateBytesMax) + " bytes");
  }
  LogTemplate result;
  while (!text.empty()) {
    const char c = text.front();
    const bool brace = c == '{' || c == '}';
    if (brace && text.size() > 1 && text[1] == c)
      text.remove_prefix(1);  // doubled
    else if (c == '{') {
      const std::size_t end = text.find('}');
      if (end == text.npos)
        return fail(ErrorCode::usage, "a '{' without '}'; a brace itself is written twice");
      auto field = field_named(text.substr(1, end - 1));
      if (!field) return fail(field.error());
      result.pieces_.push_back({*field, {}});
      text.remove_prefix(end + 1);
      continue;
    }
    result.add_literal(c);
    text.remove_prefix(1);
  }
  return result;
}

std::string LogTemplate::fill(const LogRecord& record, std::string_view timestamp) const {
  std::string text;
  for (const Piece& piece : pieces_) {
    switch (piece.field) {
      case Field::literal:
        text += piece.text;
        break;
      case Field::timestamp:
        text += timestamp;
        break;
      case Field::app:
        text += printable(record.source.name);
        break;
      case Field::name_space:
        text += printable(record.source.name_space);
        break;
      case Field::id:
        text += number_or_dash(record.source.id);
        break;
      case Field::slot:
        text += number_or_dash(record.source.slot);
        break;
      case Field::type:
        text += record.source.stream == LogStream::out ? "out" : "error";
        break;
      case Field::message:
        text += record.line;
        break;
    }
  }
  return text;
}

}  // namespace clusterd::cli
