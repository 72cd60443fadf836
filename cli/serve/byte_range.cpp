#include "cli/serve/byte_range.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace clusterd::serve {
namespace {

constexpr std::string_view kUnit = "bytes=";

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

ByteRange byte_range(std::string_view header, std::uint64_t size) {
  const ByteRange whole{ByteRange::Kind::whole, 0, size};
  if (!header.starts_with(kUnit)) return whole;
  header.remove_prefix(kUnit.size());
  const std::size_t dash = header.find('-');
  if (dash == std::string_view::npos) return whole;
  const std::string_view from = header.substr(0, dash);
  const std::string_view to = header.substr(dash + 1);
  if (from.empty()) {  // the last so many
    const auto last = number(to);
    if (!last) return whole;
    const std::uint64_t length = std::min(*last, size);
    if (length == 0) return {ByteRange::Kind::unsatisfiable, 0, 0};
    return {ByteRange::Kind::part, size - length, length};
  }
  const auto first = number(from);
  const auto last = to.empty() ? std::optional(size - 1) : number(to);
  if (!first || !last || (!to.empty() && *last < *first)) return whole;
  if (*first >= size) return {ByteRange::Kind::unsatisfiable, 0, 0};
  return {ByteRange::Kind::part, *first, std::min(*last, size - 1) - *first + 1};
}

}  // namespace clusterd::serve
