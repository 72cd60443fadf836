#include "cli/prove/prove_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "common/suggest.h"
#include "common/units.h"

namespace clusterd::cli {
namespace {

constexpr std::array kRounds{Round::baseline, Round::reload, Round::kill, Round::restart, Round::scale};

std::unexpected<Error> refuse(std::string message) { return fail(ErrorCode::usage, std::move(message)); }

std::optional<int> whole_number(std::string_view text, int min, int max) {
  int number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < min || number > max)
    return std::nullopt;
  return number;
}

Result<> set_number(int& target, std::string_view option, std::string_view text, int max) {
  auto number = whole_number(text, 1, max);
  if (!number) {
    return refuse(std::string(option) + " needs a whole number from 1 to " + std::to_string(max) + ", not '" +
                  std::string(text) + "'");
  }
  target = *number;
  return {};
}

Result<> set_time(std::chrono::milliseconds& target, std::string_view option, std::string_view text) {
  auto time = parse_duration(text);
  if (!time || *time < kProveTimeMin || *time > kProveTimeMax) {
    return refuse(std::string(option) + " needs a time from " + format_duration_exact(kProveTimeMin) +
                  " to " + format_duration_exact(kProveTimeMax) + ", such as 3s, not '" + std::string(text) +
                  "'");
  }
  target = *time;
  return {};
}

// Nothing that could end the line it stands in.
bool is_one_line(std::string_view text) {
  return text.size() <= kProveTextBytesMax &&
         std::ranges::none_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

// tchar of RFC 9110, 5.6.2
bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  auto fits = [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kMarks.find(c) != std::string_view::npos;
  };
  return !text.empty() && text.size() <= kProveTextBytesMax && std::ranges::all_of(text, fits);
}

std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= list.size();) {
    std::size_t end = std::min(list.find_first_of(", ", begin), list.size());
    if (end > begin) words.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

}  // namespace

std::string_view round_word(Round round) {
  switch (round) {
    case Round::baseline:
      return "baseline";
    case Round::reload:
      return "reload";
    case Round::kill:
      return "kill";
    case Round::restart:
      return "restart";
    case Round::scale:
      break;
  }
  return "scale";
}

bool ProveOptions::accepts(int status) const {
  if (expected.empty()) return status >= 200 && status < 400;
  return std::ranges::count(expected, status) > 0;
}

bool is_idempotent(std::string_view method) {
  constexpr std::array<std::string_view, 6> kIdempotent{"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"};
  return std::ranges::count(kIdempotent, method) > 0;
}

Result<> set_prove_duration(ProveOptions& options, const std::string& text) {
  return set_time(options.duration, "--duration", text);
}
Result<> set_prove_timeout(ProveOptions& options, const std::string& text) {
  return set_time(options.timeout, "--timeout", text);
}
Result<> set_prove_connections(ProveOptions& options, const std::string& text) {
  return set_number(options.connections, "--connections", text, kProveConnectionsMax);
}
Result<> set_prove_rate(ProveOptions& options, const std::string& text) {
  return set_number(options.rate, "--rate", text, kProveRateMax);
}

Result<> set_prove_method(ProveOptions& options, const std::string& text) {
  if (!is_token(text) || text == "CONNECT") {
    return refuse("--method needs an HTTP method such as GET, not '" + text + "'");
  }
  options.method = text;
  return {};
}

Result<> set_prove_path(ProveOptions& options, const std::string& text) {
  if (!text.starts_with('/') || !is_one_line(text) || text.find(' ') != std::string::npos) {
    return refuse("--path needs what stands behind the host of a URL, such as /health, not '" + text + "'");
  }
  options.path = text;
  return {};
}

Result<> set_prove_headers(ProveOptions& options, const std::vector<std::string>& lines) {
  if (lines.size() > kProveHeadersMax) {
    return refuse("--header may be given " + std::to_string(kProveHeadersMax) + " times");
  }
  constexpr std::array<std::string_view, 3> kOurs{"connection", "content-length", "transfer-encoding"};
  for (const std::string& line : lines) {
    std::size_t colon = std::min(line.find(':'), line.size());
    std::string name = line.substr(0, colon);
    if (colon == line.size() || !is_token(name) || !is_one_line(line)) {
      return refuse("--header needs 'Name: value', not '" + line + "'");
    }
    std::ranges::transform(name, name.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
    if (std::ranges::count(kOurs, name) > 0) {
      return refuse("--header " + line.substr(0, colon) + ": that one is decided by the kind of client");
    }
    options.headers.push_back(line);
  }
  return {};
}

Result<> set_prove_expected(ProveOptions& options, const std::string& text) {
  options.expected.clear();
  for (const std::string& word : words_of(text)) {
    auto status = whole_number(word, 200, 599);
    if (!status) return refuse("--expect needs HTTP statuses such as 200 or 200,404, not '" + text + "'");
    options.expected.push_back(*status);
  }
  if (options.expected.empty()) return refuse("--expect needs HTTP statuses such as 200 or 200,404");
  return {};
}

Result<> set_prove_ports(ProveOptions& options, const std::string& text) {
  options.ports.clear();
  for (const std::string& word : words_of(text)) {
    auto port = whole_number(word, 1, 65'535);
    if (!port) return refuse("--ports needs TCP ports such as 3000 or 3000,3001, not '" + text + "'");
    options.ports.push_back(*port);
  }
  if (options.ports.empty()) return refuse("--ports needs TCP ports such as 3000 or 3000,3001");
  return {};
}

Result<> set_prove_rounds(ProveOptions& options, const std::string& text) {
  options.rounds.clear();
  std::vector<std::string_view> names;
  for (Round round : kRounds) names.push_back(round_word(round));
  for (const std::string& word : words_of(text)) {
    auto found = std::ranges::find(names, word);
    if (found == names.end()) {
      return refuse("--rounds does not know '" + word + "'" + did_you_mean(word, names) +
                    "; there are reload, kill, restart, scale, and baseline for none of them");
    }
    Round round = kRounds[static_cast<std::size_t>(found - names.begin())];
    if (round == Round::baseline || std::ranges::count(options.rounds, round) > 0) continue;
    options.rounds.push_back(round);
  }
  return {};
}

}  // namespace clusterd::cli
