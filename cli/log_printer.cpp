#include "cli/log_printer.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "common/json_text.h"

namespace clusterd::cli {
namespace {

constexpr std::size_t kLabelWidthMax = 24;

Color color_of(std::string_view name) {
  constexpr std::array kColors{Color::cyan, Color::green, Color::blue, Color::yellow};
  unsigned sum = 0;
  for (char c : name) sum = sum * 31 + static_cast<unsigned char>(c);
  return kColors[sum % kColors.size()];
}

std::string json_line(const LogSource& source, std::string_view line) {
  nlohmann::json object{{"message", std::string(line)},
                        {"type", source.stream == LogStream::out ? "out" : "err"},
                        {"app_name", source.name}};
  if (source.id) object["process_id"] = *source.id;
  return to_line(object) + "\n";
}

}  // namespace

std::string LogPrinter::print(const LogSource& source, std::string_view text) {
  switch (format_) {
    case LogFormat::raw:
      return std::string(text);
    case LogFormat::json:
      return print_json(source, text);
    case LogFormat::prefixed:
      break;
  }
  return print_prefixed(source, text);
}

std::string LogPrinter::finish() {
  std::string result;
  if (open_) result += "\n";
  open_.reset();
  for (const auto& [source, line] : pending_) result += json_line(source, line);
  pending_.clear();
  return result;
}

std::string LogPrinter::prefix(const LogSource& source) {
  std::string label = printable(source.name);
  if (source.id) label = std::to_string(*source.id) + "|" + label;
  label = shorten(label, kLabelWidthMax);
  label_width_ =
      std::max(label_width_, display_width(label));  // grows, so that columns stay aligned from then on
  std::string bar = colored("|", source.stream == LogStream::err ? Color::red : Color::none, style_);
  return colored(pad(label, label_width_, Align::left), color_of(source.name), style_) + " " + bar + " ";
}

std::string LogPrinter::print_prefixed(const LogSource& source, std::string_view text) {
  std::string result;
  if (open_ && *open_ != source) {
    result += "\n";
    open_.reset();
  }
  while (!text.empty()) {
    std::size_t newline = text.find('\n');
    std::size_t size = newline == std::string_view::npos ? text.size() : newline + 1;
    if (!open_) result += prefix(source);
    result += text.substr(0, size);
    open_.reset();
    if (newline == std::string_view::npos) open_ = source;
    text.remove_prefix(size);
  }
  return result;
}

std::string LogPrinter::print_json(const LogSource& source, std::string_view text) {
  std::string result;
  std::string& line = pending_[source];
  while (!text.empty()) {
    std::size_t newline = text.find('\n');
    line += text.substr(0, newline);
    if (newline == std::string_view::npos) break;
    result += json_line(source, line);
    line.clear();
    text.remove_prefix(newline + 1);
  }
  if (line.size() > kLogLineBytesMax) {
    result += json_line(source, line);
    line.clear();
  }
  if (line.empty()) pending_.erase(source);
  return result;
}

}  // namespace clusterd::cli
