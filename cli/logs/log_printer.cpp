#include "cli/logs/log_printer.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "common/date_format.h"
#include "common/json_text.h"
#include "common/local_time.h"

namespace clusterd::cli {
namespace {

constexpr std::size_t kLabelWidthMax = 24;
constexpr std::string_view kTimePattern = "YYYY-MM-DDTHH:mm:ss.SSSZ";
constexpr std::string_view kHighlightOn = "\x1b[7m";  // ECMA-48: negative image, and its end
constexpr std::string_view kHighlightOff = "\x1b[27m";

Color color_of(std::string_view name) {
  constexpr std::array kColors{Color::cyan, Color::green, Color::blue, Color::yellow};
  unsigned sum = 0;
  for (char c : name) sum = sum * 31 + static_cast<unsigned char>(c);
  return kColors[sum % kColors.size()];
}

bool works_on_lines(LogFormat format, const LogsOptions& options) {
  return format == LogFormat::json || format == LogFormat::templated || options.grep ||
         !options.highlight.empty();
}

}  // namespace

LogPrinter::LogPrinter(LogFormat format, const LogsOptions& options, Style style, Emit emit)
    : format_(format),
      options_(options),
      style_(style),
      emit_(std::move(emit)),
      whole_lines_(works_on_lines(format, options)) {}

void LogPrinter::print(const LogSource& source, WallMs at, std::string_view text) {
  if (whole_lines_) return print_lines(source, at, text);
  if (format_ == LogFormat::raw && !options_.timestamp) return emit_(source.stream, text);
  print_pieces(source, at, text);
}

void LogPrinter::finish() {
  if (open_) emit_(open_->stream, "\n");
  open_.reset();
  for (const auto& [source, unfinished] : unfinished_lines_)
    print_record({source, unfinished.at, unfinished.text});
  unfinished_lines_.clear();
}

// Of the same width whether the time is known or not, so that columns stay aligned.
std::string LogPrinter::stamp(WallMs at) const {
  const std::string_view pattern = options_.timestamp ? std::string_view(*options_.timestamp) : kTimePattern;
  if (at) return format_date(pattern, local_time(*at));
  return format_ == LogFormat::templated ? "-" : std::string(format_date(pattern, local_time(0)).size(), ' ');
}

std::string LogPrinter::prefix(const LogSource& source, WallMs at) {
  const std::string time = options_.timestamp ? stamp(at) + " " : "";
  if (format_ == LogFormat::raw) return time;
  std::string label = printable(source.name);
  if (source.id) label = std::to_string(*source.id) + "|" + label;
  label = shorten(label, kLabelWidthMax);
  label_width_ =
      std::max(label_width_, display_width(label));  // grows, so that columns stay aligned from then on
  std::string bar = colored("|", source.stream == LogStream::err ? Color::red : Color::none, style_);
  return time + colored(pad(label, label_width_, Align::left), color_of(source.name), style_) + " " + bar +
         " ";
}

void LogPrinter::print_pieces(const LogSource& source, WallMs at, std::string_view text) {
  std::string result;
  if (open_ && *open_ != source) {
    emit_(open_->stream, "\n");
    open_.reset();
  }
  while (!text.empty()) {
    std::size_t newline = text.find('\n');
    std::size_t size = newline == std::string_view::npos ? text.size() : newline + 1;
    if (!open_) result += prefix(source, at);
    result += text.substr(0, size);
    open_.reset();
    if (newline == std::string_view::npos) open_ = source;
    text.remove_prefix(size);
  }
  if (!result.empty()) emit_(source.stream, result);
}

void LogPrinter::print_lines(const LogSource& source, WallMs at, std::string_view text) {
  Unfinished& unfinished = unfinished_lines_[source];
  while (!text.empty()) {
    if (unfinished.text.empty()) unfinished.at = at;
    std::size_t newline = text.find('\n');
    unfinished.text += text.substr(0, newline);
    if (newline == std::string_view::npos) break;
    print_record({source, unfinished.at, unfinished.text});
    unfinished.text.clear();
    text.remove_prefix(newline + 1);
  }
  if (unfinished.text.size() > kLogLineBytesMax) {
    print_record({source, unfinished.at, unfinished.text});
    unfinished.text.clear();
  }
  if (unfinished.text.empty()) unfinished_lines_.erase(source);
}

void LogPrinter::print_record(const LogRecord& record) {
  if (options_.grep && !options_.grep->found_in(record.line)) return;
  switch (format_) {
    case LogFormat::json:
      return emit_(LogStream::out, json_line(record));
    case LogFormat::templated:
      return emit_(LogStream::out, highlighted(options_.format->fill(record, stamp(record.at))) + "\n");
    case LogFormat::raw:
    case LogFormat::prefixed:
      return emit_(record.source.stream, prefix(record.source, record.at) + highlighted(record.line) + "\n");
  }
}

std::string LogPrinter::highlighted(std::string_view line) const {
  const std::string& wanted = options_.highlight;
  if (wanted.empty() || style_.colors == Style::Colors::off) return std::string(line);
  std::string result;
  for (std::size_t at = line.find(wanted); at != line.npos; at = line.find(wanted)) {
    result += line.substr(0, at);
    result += kHighlightOn;
    result += wanted;
    result += kHighlightOff;
    line.remove_prefix(at + wanted.size());
  }
  return result += line;
}

std::string LogPrinter::json_line(const LogRecord& record) const {
  nlohmann::json object{{"message", std::string(record.line)},
                        {"type", stream_word(record.source.stream)},
                        {"app_name", record.source.name}};
  if (record.source.id) object["process_id"] = *record.source.id;
  if (record.at) object["timestamp"] = stamp(record.at);
  return to_line(object) + "\n";
}

}  // namespace clusterd::cli
