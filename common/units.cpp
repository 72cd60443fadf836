#include "common/units.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <limits>
#include <optional>

namespace clusterd {
namespace {

struct Unit {
  std::string_view suffix;
  std::uint64_t factor;
};

constexpr std::array kDurationUnits{Unit{"ms", 1},        Unit{"s", 1'000},      Unit{"m", 60'000},
                                    Unit{"h", 3'600'000}, Unit{"d", 86'400'000}, Unit{"", 1}};

constexpr std::uint64_t kKi = 1024;
constexpr std::array kSizeUnits{Unit{"", 1}, Unit{"k", kKi}, Unit{"m", kKi* kKi}, Unit{"g", kKi* kKi* kKi},
                                Unit{"t", kKi* kKi* kKi* kKi}};

struct Quantity {
  std::uint64_t number;
  std::string_view suffix;
};

// Digits first, then whatever follows; nothing without a digit or beyond 64 bits.
std::optional<Quantity> split_quantity(std::string_view text) {
  Quantity quantity{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, quantity.number);
  if (error != std::errc{}) return std::nullopt;
  quantity.suffix = text.substr(static_cast<std::size_t>(rest - text.data()));
  return quantity;
}

template <std::size_t N>
std::optional<std::uint64_t> factor_of(std::string_view suffix, const std::array<Unit, N>& units) {
  for (const Unit& unit : units) {
    if (unit.suffix == suffix) return unit.factor;
  }
  return std::nullopt;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::string quoted(std::string_view text) { return '"' + std::string(text.substr(0, 40)) + '"'; }

}  // namespace

Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  const auto quantity = split_quantity(text);
  const auto factor = quantity ? factor_of(quantity->suffix, kDurationUnits) : std::nullopt;
  if (!factor) {
    return fail(
        ErrorCode::usage,
        R"(expected a duration such as "500ms", "30s", "5m" or "1h" (a bare number is milliseconds), got )" +
            quoted(text));
  }
  if (quantity->number > static_cast<std::uint64_t>(kDurationMax.count()) / *factor) {
    return fail(ErrorCode::usage, "the duration " + quoted(text) + " is longer than ten years");
  }
  return std::chrono::milliseconds{static_cast<std::int64_t>(quantity->number * *factor)};
}

Result<std::uint64_t> parse_size(std::string_view text) {
  const auto quantity = split_quantity(text);
  std::optional<std::uint64_t> factor;
  if (quantity) {
    const std::string whole_suffix = lower(quantity->suffix);
    std::string_view suffix = whole_suffix;
    if (suffix.ends_with("ib") && suffix.size() == 3) {
      suffix.remove_suffix(2);
    } else if (suffix.ends_with('b')) {
      suffix.remove_suffix(1);
    }
    factor = factor_of(suffix, kSizeUnits);
  }
  if (!factor) {
    return fail(
        ErrorCode::usage,
        R"(expected a size such as "512K", "200M" or "2G" (a bare number is bytes), got )" + quoted(text));
  }
  if (quantity->number > std::numeric_limits<std::uint64_t>::max() / *factor) {
    return fail(ErrorCode::usage, "the size " + quoted(text) + " is too large");
  }
  return quantity->number * *factor;
}

std::string format_duration_short(std::chrono::milliseconds duration) {
  struct Step {
    std::int64_t seconds;
    const char* letter;
  };
  constexpr std::int64_t kDay = 86'400;
  constexpr std::array kSteps{Step{365 * kDay, "Y"}, Step{30 * kDay, "M"}, Step{kDay, "D"}, Step{3'600, "h"},
                              Step{60, "m"}};
  const std::int64_t seconds = duration.count() > 0 ? duration.count() / 1'000 : 0;
  for (const Step& step : kSteps) {
    const std::int64_t whole = seconds / step.seconds;
    if (whole >= 2) return std::to_string(whole) + step.letter;
  }
  return std::to_string(seconds) + "s";
}

std::string format_size(std::uint64_t bytes) {
  constexpr std::array kNames{"b", "kb", "mb", "gb", "tb"};
  std::size_t unit = 0;
  auto value = static_cast<double>(bytes);
  // 1023.95 would be printed as "1024.0": that is one of the next unit.
  while (unit + 1 < kNames.size() && value >= (unit == 0 ? 1024.0 : 1023.95)) {
    value /= 1024.0;
    ++unit;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f%s" : "%.1f%s", value, kNames[unit]);
  return text.data();
}

std::string format_duration_exact(std::chrono::milliseconds duration) {
  const std::int64_t count = duration.count();
  constexpr std::array kWholeUnits{kDurationUnits[3], kDurationUnits[2], kDurationUnits[1]};  // h, m, s
  for (const Unit& unit : kWholeUnits) {
    const auto factor = static_cast<std::int64_t>(unit.factor);
    if (count != 0 && count % factor == 0) return std::to_string(count / factor) + std::string(unit.suffix);
  }
  return std::to_string(count) + "ms";
}

}  // namespace clusterd
