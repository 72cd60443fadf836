// LogTemplate: the text of `logs --format`: words in braces stand for what is known of a line.
//
// Pure. Fields: {timestamp} {app} {namespace} {id} {slot} {type} {message}; what is not known of a line is
// "-". A doubled brace is a brace.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/logs/log_record.h"
#include "common/result.h"

namespace clusterd::cli {

inline constexpr std::size_t kLogTemplateBytesMax = 1024;

class LogTemplate {
 public:
  static Result<LogTemplate> parse(std::string_view text);
  // `timestamp` is the time of the record as it is to be shown.
  std::string fill(const LogRecord& record, std::string_view timestamp) const;

 private:
  enum class Field { literal, timestamp, app, name_space, id, slot, type, message };
  struct Piece {
    Field field = Field::literal;
    std::string text;
  };
  static Result<Field> field_named(std::string_view name);
  void add_literal(char c);

  std::vector<Piece> pieces_;
};

}  // namespace clusterd::cli
