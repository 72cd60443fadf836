#include "cli/logs/logs_options.h"

#include <charconv>

#include "common/time_stamp.h"
#include "common/units.h"
#include "config/log_settings.h"

namespace clusterd::cli {
namespace {

constexpr std::string_view kTimestampDefault = "YYYY-MM-DD HH:mm:ss.SSS";
// The way PM2 prints it.
constexpr std::string_view kFormatDefault =
    "timestamp={timestamp} app={app} id={id} type={type} message={message}";

}  // namespace

Result<> set_log_lines(LogsOptions& options, const std::string& text) {
  int lines = 0;
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, lines);
  if (error != std::errc{} || stop != end || lines < 0 || lines > kLogLinesMax) {
    return fail(ErrorCode::usage, "--lines needs a whole number from 0 to " + std::to_string(kLogLinesMax) +
                                      ", not '" + text + "'");
  }
  options.lines = lines;
  return {};
}

Result<> set_log_since(LogsOptions& options, const std::string& text) {
  if (auto ago = parse_duration(text)) {
    options.since = Since{*ago, 0};
    return {};
  }
  const std::string whole = text.size() == 10 ? text + " 00:00" : text;  // a date alone begins at midnight
  const auto stamp = leading_stamp(whole);
  if (!stamp || stamp->size != whole.size()) {
    return fail(ErrorCode::usage,
                "--since needs a duration such as 10m or 2h, or a time such as '2026-01-31 12:00', "
                "not '" +
                    text + "'");
  }
  options.since = Since{std::nullopt, stamp->wall_ms};
  return {};
}

Result<> set_log_grep(LogsOptions& options, const std::string& text) {
  auto pattern = LinePattern::compile(text);
  if (!pattern) return fail(ErrorCode::usage, "--grep: " + pattern.error().message);
  options.grep = std::move(*pattern);
  return {};
}

Result<> set_log_highlight(LogsOptions& options, const std::string& text) {
  if (text.empty() || text.size() > kHighlightBytesMax) {
    return fail(ErrorCode::usage,
                "--highlight needs a text of 1 to " + std::to_string(kHighlightBytesMax) + " bytes");
  }
  options.highlight = text;
  return {};
}

Result<> set_log_timestamp(LogsOptions& options, const std::string& text) {
  if (text.size() > kDateFormatBytesMax) {
    return fail(ErrorCode::usage,
                "--timestamp: the format is longer than " + std::to_string(kDateFormatBytesMax) + " bytes");
  }
  options.timestamp = text.empty() ? std::string(kTimestampDefault) : text;
  return {};
}

Result<> set_log_format(LogsOptions& options, const std::string& text) {
  auto parsed = LogTemplate::parse(text.empty() ? kFormatDefault : std::string_view(text));
  if (!parsed) return fail(ErrorCode::usage, "--format: " + parsed.error().message);
  options.format = std::move(*parsed);
  return {};
}

}  // namespace clusterd::cli
