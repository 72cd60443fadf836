#include "cli/redaction.h"

#include <algorithm>
#include <array>

namespace clusterd::cli {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kStars = "***";
constexpr std::array kSecretWords{
    "password"sv,    "passwd"sv,     "passphrase"sv,    "pwd"sv,        "secret"sv,     "token"sv,
    "apikey"sv,      "api_key"sv,    "api-key"sv,       "access_key"sv, "access-key"sv, "private_key"sv,
    "private-key"sv, "credential"sv, "authorization"sv, "cookie"sv,     "session"sv,    "dsn"sv};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool continues_word(char c) {
  const char small = lower(c);
  return (small >= 'a' && small <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}
bool ends_value(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == ',' || c == ';' || c == '&' || c == '}';
}

bool is_secret_word(std::string_view word) {
  std::string small(word);
  std::ranges::transform(small, small.begin(), lower);
  return std::ranges::any_of(
      kSecretWords, [&](std::string_view secret) { return small.find(secret) != std::string::npos; });
}

// Behind the value that begins there, quotes included.
std::size_t end_of_value(std::string_view text, std::size_t begin) {
  if (begin < text.size() && (text[begin] == '"' || text[begin] == '\'')) {
    const std::size_t quote = text.find(text[begin], begin + 1);
    return quote == std::string_view::npos ? text.size() : quote + 1;
  }
  while (begin < text.size() && !ends_value(text[begin])) ++begin;
  return begin;
}

// "://user:password@" and "://token@"; the offset behind "://" if there is nobody.
std::size_t end_of_user(std::string_view text, std::size_t begin) {
  const std::size_t end = std::min(text.find_first_of("/ \t\n\"'", begin), text.size());
  const std::size_t at = text.substr(begin, end - begin).rfind('@');
  return at == std::string_view::npos ? begin : begin + at;
}

}  // namespace

std::string redacted(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at).starts_with("://")) {
      result += "://";
      at += 3;
      const std::size_t user_end = end_of_user(text, at);
      if (user_end != at) result += kStars;
      at = user_end;
      continue;
    }
    if (!continues_word(text[at])) {
      result += text[at++];
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && continues_word(text[at])) ++at;
    const std::string_view word = text.substr(begin, at - begin);
    result += word;
    const bool is_bearer = word == "Bearer" || word == "Basic";
    std::size_t value = at;
    if (value < text.size() && (text[value] == '"' || text[value] == '\'')) ++value;  // {"token": "x"}
    while (value < text.size() && (text[value] == ' ' || text[value] == '\t')) ++value;
    const bool has_sign = value < text.size() && (text[value] == '=' || text[value] == ':');
    if (!is_bearer && !(has_sign && is_secret_word(word))) continue;
    if (has_sign) ++value;
    while (value < text.size() && text[value] == ' ') ++value;
    if (text.substr(value).starts_with("//")) continue;  // the word before "://"
    std::size_t end = end_of_value(text, value);
    if (text.substr(value, end - value) == "Bearer" || text.substr(value, end - value) == "Basic")
      end = end_of_value(text, std::min(end + 1, text.size()));
    if (end == value) continue;
    result += text.substr(at, value - at);
    result += kStars;
    at = end;
  }
  return result;
}

std::vector<std::string> redacted_arguments(const std::vector<std::string>& arguments) {
  std::vector<std::string> result;
  bool is_value = false;
  for (const std::string& argument : arguments) {
    const bool is_option = argument.starts_with('-');
    result.push_back(is_value && !is_option ? std::string(kStars) : redacted(argument));
    is_value = is_option && argument.find('=') == std::string::npos && is_secret_word(argument);
  }
  return result;
}

}  // namespace clusterd::cli
