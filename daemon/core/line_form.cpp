#include "daemon/core/line_form.h"

#include "common/utf8.h"

namespace clusterd {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD
constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kRemarkType = "clusterd";

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\';
}

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '"':
    case '\\':
      out += '\\';
      out += c;
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u00";
      out += kHexDigits[static_cast<unsigned char>(c) >> 4];
      out += kHexDigits[static_cast<unsigned char>(c) & 0xF];
  }
}

}  // namespace

void append_json_text(std::string& out, std::string_view bytes) {
  while (!bytes.empty()) {
    std::size_t run = 0;
    while (run < bytes.size() && is_plain(bytes[run])) ++run;
    out += bytes.substr(0, run);
    bytes.remove_prefix(run);
    if (bytes.empty()) return;
    if (static_cast<unsigned char>(bytes.front()) < 0x80) {
      append_escaped(out, bytes.front());
      bytes.remove_prefix(1);
    } else if (const auto character = first_code_point(bytes)) {
      out += bytes.substr(0, character->size_bytes);
      bytes.remove_prefix(character->size_bytes);
    } else {
      out += kReplacement;
      bytes.remove_prefix(1);
    }
  }
}

LineForm::LineForm(const LogSettings& log, const Origin& origin)
    : type_(log.type), format_(stamp_format(log)), stream_(origin.stream) {
  tail_ = R"(","app_name":")";
  append_json_text(tail_, origin.app);
  tail_ += R"(","process_id":)" + std::to_string(origin.id) + R"(,"message":")";
}

void LineForm::set_time(const LocalTime& now) {
  if (!format_.empty()) {
    stamp_ = format_date(format_, now);
  } else if (type_ == LogType::json) {
    stamp_ = iso_utc(now.epoch_ms);
  }
}

void LineForm::append(std::string& out, const LinePiece& piece) const {
  if (type_ == LogType::raw) return append_text(out, piece);
  append_object(out, stream_, piece.text, piece.end == LinePiece::End::cut);
}

void LineForm::append_text(std::string& out, const LinePiece& piece) const {
  const bool stamped = !format_.empty();
  if (stamped && piece.begin != LinePiece::Begin::released) {
    out += stamp_;
    out += ": ";
    if (piece.begin == LinePiece::Begin::cut) out += kCutMark;
  }
  out += piece.text;
  if (piece.end == LinePiece::End::cut && stamped) {
    out += kCutMark;
    out += '\n';
  }
  if (piece.end == LinePiece::End::newline) out += '\n';
}

void LineForm::append_object(std::string& out, std::string_view type, std::string_view text,
                             bool continued) const {
  out += R"({"timestamp":")";
  append_json_text(out, stamp_);
  out += R"(","type":")";
  out += type;
  out += tail_;
  append_json_text(out, text);
  out += continued ? "\",\"continued\":true}\n" : "\"}\n";
}

void LineForm::append_remark(std::string& out, std::string_view sentence) const {
  if (type_ == LogType::json) return append_object(out, kRemarkType, sentence, false);
  const std::string line = "[clusterd] " + std::string(sentence);
  append_text(out, {line, LinePiece::Begin::fresh, LinePiece::End::newline});
}

}  // namespace clusterd
