#include "cli/text.h"

#include <array>
#include <cstdio>

#include "common/utf8.h"

namespace clusterd::cli {
namespace {

struct Range {
  char32_t first, last;
};

// The blocks of Unicode's EastAsianWidth.txt that are W or F, joined where only unassigned code points lie
// between.
constexpr std::array kWide{
    Range{0x1100, 0x115F},   Range{0x2329, 0x232A},   Range{0x2E80, 0x303E},   Range{0x3041, 0x33FF},
    Range{0x3400, 0x4DBF},   Range{0x4E00, 0x9FFF},   Range{0xA000, 0xA4CF},   Range{0xAC00, 0xD7A3},
    Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},   Range{0xFF00, 0xFF60},   Range{0xFFE0, 0xFFE6},
    Range{0x1F300, 0x1F64F}, Range{0x1F680, 0x1F6FF}, Range{0x1F900, 0x1F9FF}, Range{0x20000, 0x3FFFD},
};

// Combining marks of the common scripts, zero-width space and joiners, variation selectors.
constexpr std::array kZero{
    Range{0x0300, 0x036F}, Range{0x1AB0, 0x1AFF}, Range{0x1DC0, 0x1DFF}, Range{0x200B, 0x200D},
    Range{0x20D0, 0x20FF}, Range{0xFE00, 0xFE0F}, Range{0xFE20, 0xFE2F}, Range{0xFEFF, 0xFEFF},
};

template <std::size_t kSize>
bool is_in(const std::array<Range, kSize>& ranges, char32_t value) {
  for (const Range& range : ranges) {
    if (value >= range.first && value <= range.last) return true;
  }
  return false;
}

std::size_t width_of(char32_t value) {
  if (is_in(kZero, value)) return 0;
  return is_in(kWide, value) ? 2 : 1;
}

std::string escaped(char32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, value < 0x80 ? "\\x%02x" : "\\u{%x}", static_cast<unsigned>(value));
  return text;
}

enum class LineBreaks { escape, keep };

std::string make_printable(std::string_view text, LineBreaks line_breaks) {
  std::string result;
  while (!text.empty()) {
    auto point = first_code_point(text);
    if (!point) {
      char byte[8];
      std::snprintf(byte, sizeof byte, "\\x%02x", static_cast<unsigned char>(text[0]));
      result += byte;
      text.remove_prefix(1);
      continue;
    }
    bool kept_break = line_breaks == LineBreaks::keep && (point->value == '\n' || point->value == '\t');
    if (is_unprintable(point->value) && !kept_break) {
      result += escaped(point->value);
    } else {
      result += text.substr(0, point->size_bytes);
    }
    text.remove_prefix(point->size_bytes);
  }
  return result;
}

}  // namespace

std::string printable(std::string_view text) { return make_printable(text, LineBreaks::escape); }
std::string printable_lines(std::string_view text) { return make_printable(text, LineBreaks::keep); }

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    auto point = first_code_point(text);
    width += point ? width_of(point->value) : 1;
    text.remove_prefix(point ? point->size_bytes : 1);
  }
  return width;
}

std::string shorten(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::string result;
  std::size_t used = 0;
  while (!text.empty()) {
    auto point = first_code_point(text);
    std::size_t size = point ? point->size_bytes : 1;
    used += point ? width_of(point->value) : 1;
    if (used > width - 1) break;
    result += text.substr(0, size);
    text.remove_prefix(size);
  }
  return result + "…";
}

std::string pad(std::string_view text, std::size_t width, Align align) {
  std::size_t used = display_width(text);
  std::string blanks(used < width ? width - used : 0, ' ');
  return align == Align::left ? std::string(text) + blanks : blanks + std::string(text);
}

}  // namespace clusterd::cli
