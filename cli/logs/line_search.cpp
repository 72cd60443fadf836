#include "cli/logs/line_search.h"

#include <algorithm>
#include <string>

#include "cli/logs/line_time.h"

namespace clusterd::cli {
namespace {

// One look at the file: far enough to meet a stamped line among those of a stack trace.
constexpr std::int64_t kLookBytes = 64 * 1024;

struct Stamped {
  std::int64_t offset = 0;  // of the line
  std::int64_t time = 0;
};

// The first stamped line that begins in [from, to); a line that began before `from` does not count.
template <typename Wanted>
std::optional<Stamped> first_line(const FileTail& file, std::int64_t from, std::int64_t to,
                                  const Wanted& wanted) {
  std::string block(static_cast<std::size_t>(std::min(kLookBytes, to - from)), '\0');
  const auto count = file.read_at(from, block.data(), block.size());
  if (!count) return std::nullopt;
  const std::string_view text = std::string_view(block).substr(0, *count);
  std::size_t begin = from == 0 ? 0 : text.find('\n') + 1;  // npos + 1 is 0: no line begins here
  if (from != 0 && begin == 0) return std::nullopt;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const auto time = line_time(text.substr(begin, end - begin));
    const Stamped found{from + static_cast<std::int64_t>(begin), time.value_or(0)};
    if (time && wanted(found)) return found;
    begin = end + 1;
  }
  return std::nullopt;
}

constexpr auto kAny = [](const Stamped&) { return true; };

}  // namespace

std::optional<std::int64_t> offset_since(const FileTail& file, std::int64_t end, std::int64_t since) {
  if (end == 0) return 0;
  if (!first_line(file, std::max<std::int64_t>(0, end - kLookBytes), end, kAny)) return std::nullopt;
  std::int64_t low = 0;  // a line at `low` is earlier than since, or it is the beginning
  std::int64_t high = end;
  while (high - low > kLookBytes) {
    const std::int64_t middle = low + (high - low) / 2;
    const auto line = first_line(file, middle, high, kAny);
    if (line && line->time < since) {
      low = line->offset;
    } else {
      high = middle;
    }
  }
  // `low` is a line's beginning; one byte before it, the line itself counts.
  for (std::int64_t from = std::max<std::int64_t>(0, low - 1); from < end; from += kLookBytes / 2) {
    const auto line = first_line(file, from, end, [&](const Stamped& found) { return found.time >= since; });
    if (line) return line->offset;
  }
  return end;
}

}  // namespace clusterd::cli
