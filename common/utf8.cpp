#include "common/utf8.h"

namespace clusterd {
namespace {

struct LeadByte {
  std::uint8_t size_bytes = 0;  // 0: cannot begin a code point
  char32_t bits = 0;
  char32_t value_min = 0;  // smaller values have a shorter form
};

LeadByte lead_byte(unsigned char byte) {
  if (byte < 0x80) return {1, byte, 0};
  if (byte >= 0xC2 && byte <= 0xDF) return {2, byte & 0x1Fu, 0x80};
  if (byte >= 0xE0 && byte <= 0xEF) return {3, byte & 0x0Fu, 0x800};
  if (byte >= 0xF0 && byte <= 0xF4) return {4, byte & 0x07u, 0x10000};
  return {};
}

}  // namespace

std::optional<CodePoint> first_code_point(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const LeadByte lead = lead_byte(static_cast<unsigned char>(text[0]));
  if (lead.size_bytes == 0 || text.size() < lead.size_bytes) return std::nullopt;
  char32_t value = lead.bits;
  for (std::size_t i = 1; i < lead.size_bytes; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0u) != 0x80u) return std::nullopt;
    value = (value << 6) | (byte & 0x3Fu);
  }
  const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < lead.value_min || value > 0x10FFFF || is_surrogate) return std::nullopt;
  return CodePoint{value, lead.size_bytes};
}

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto code_point = first_code_point(text);
    if (!code_point) return false;
    text.remove_prefix(code_point->size_bytes);
  }
  return true;
}

bool is_unprintable(char32_t value) {
  const bool is_control = value < 0x20 || (value >= 0x7F && value <= 0x9F);
  const bool is_separator = value == 0x2028 || value == 0x2029;
  // Unicode's Bidi_Control property, and the zero-width characters beside it.
  const bool is_invisible_mark = value == 0x061C || (value >= 0x200B && value <= 0x200F) ||
                                 (value >= 0x202A && value <= 0x202E) ||
                                 (value >= 0x2060 && value <= 0x2069) || value == 0xFEFF;
  return is_control || is_separator || is_invisible_mark;
}

}  // namespace clusterd
