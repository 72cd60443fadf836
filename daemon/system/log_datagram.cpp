#include "daemon/system/log_datagram.h"

#include <algorithm>
#include <cstdint>

namespace clusterd {
namespace {

constexpr int kPriorityError = 3;
constexpr int kPriorityInfo = 6;
constexpr int kFacilityUser = 1;              // RFC 5424, 6.2.1
constexpr std::size_t kAppNameBytesMax = 48;  // RFC 5424, 6
constexpr std::size_t kHostNameBytesMax = 255;

struct Prioritized {
  int priority;
  std::string_view text;
};

Prioritized take_priority(const LogLabels& labels, std::string_view line) {
  const bool given = line.size() >= 3 && line[0] == '<' && line[1] >= '0' && line[1] <= '7' && line[2] == '>';
  if (given) return {line[1] - '0', line.substr(3)};
  return {labels.stream == "err" ? kPriorityError : kPriorityInfo, line};
}

// A value without a newline is "KEY=value\n"; any other has its length before it, 64 bits, little-endian.
void add_field(std::string& datagram, std::string_view key, std::string_view value) {
  datagram += key;
  if (value.find('\n') == value.npos) {
    datagram += '=';
  } else {
    datagram += '\n';
    for (int shift = 0; shift < 64; shift += 8)
      datagram += static_cast<char>(static_cast<std::uint64_t>(value.size()) >> shift & 0xff);
  }
  datagram += value;
  datagram += '\n';
}

// PRINTUSASCII of RFC 5424; "-" if nothing is left.
std::string header_word(std::string_view text, std::size_t size_max) {
  std::string word(text.substr(0, size_max));
  std::ranges::replace_if(word, [](char c) { return c < 33 || c > 126; }, '?');
  return word.empty() ? "-" : word;
}

}  // namespace

std::string journald_datagram(const LogLabels& labels, std::string_view line) {
  const auto [priority, text] = take_priority(labels, line);
  std::string datagram;
  datagram.reserve(text.size() + 256);
  add_field(datagram, "MESSAGE", text);
  add_field(datagram, "PRIORITY", std::to_string(priority));
  add_field(datagram, "SYSLOG_IDENTIFIER", labels.app);
  add_field(datagram, "CLUSTERD_APP", labels.app);
  add_field(datagram, "CLUSTERD_NAMESPACE", labels.name_space);
  add_field(datagram, "CLUSTERD_SLOT", std::to_string(labels.slot));
  add_field(datagram, "CLUSTERD_ID", std::to_string(labels.id));
  add_field(datagram, "CLUSTERD_STREAM", labels.stream);
  return datagram;
}

std::string syslog_datagram(const LogLabels& labels, std::string_view host, std::string_view line) {
  const auto [priority, text] = take_priority(labels, line);
  const std::string app = labels.name_space == "default" ? labels.app : labels.name_space + "/" + labels.app;
  std::string datagram = "<" + std::to_string(kFacilityUser * 8 + priority) + ">1 - " +
                         header_word(host, kHostNameBytesMax) + " " + header_word(app, kAppNameBytesMax) +
                         " " + std::to_string(labels.slot) + " " + header_word(labels.stream, 32) + " - ";
  return datagram += text;
}

}  // namespace clusterd
