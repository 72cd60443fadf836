#include "cli/serve/basic_auth.h"

#include <algorithm>
#include <cctype>
#include <cstdint>

namespace clusterd::serve {
namespace {

constexpr std::string_view kScheme = "basic ";
constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? static_cast<std::uint8_t>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) text += k <= count ? kAlphabet[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

bool is_authorized(std::string_view header, std::string_view user, std::string_view password) {
  if (header.size() < kScheme.size()) return false;
  const bool scheme = std::equal(kScheme.begin(), kScheme.end(), header.begin(), [](char a, char b) {
    return a == std::tolower(static_cast<unsigned char>(b));
  });
  const std::string expected = base64(std::string(user) + ":" + std::string(password));
  const std::string_view given = header.substr(kScheme.size());
  unsigned difference = scheme && given.size() == expected.size() ? 0 : 1;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    difference |= static_cast<unsigned char>(expected[i] ^ (i < given.size() ? given[i] : '\0'));
  }
  return difference == 0;
}

}  // namespace clusterd::serve
