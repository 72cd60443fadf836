#include "config/socket_protocol.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "config/field_values.h"

namespace clusterd {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 12> kWords{"auto",    "systemd",  "nginx",   "php-fpm",
                                                  "unicorn", "puma",     "einhorn", "server-starter",
                                                  "port",    "gunicorn", "uwsgi",   "overseer"};

std::string all_words() {
  std::string text;
  for (const std::string_view word : kWords) text += (text.empty() ? "" : ", ") + std::string(word);
  return "one of " + text;
}

std::optional<SocketProtocol> protocol_of(const json& value) {
  if (!value.is_string()) return std::nullopt;
  const auto found = std::ranges::find(kWords, value.get_ref<const std::string&>());
  if (found == kWords.end()) return std::nullopt;
  return static_cast<SocketProtocol>(found - kWords.begin());
}

}  // namespace

std::string_view socket_protocol_word(SocketProtocol protocol) {
  return kWords[static_cast<std::size_t>(protocol)];
}

void read_socket_protocols(const json& value, std::vector<SocketProtocol>& target, FieldProblems& problems) {
  const json items = value.is_array() ? value : json::array({value});
  std::vector<SocketProtocol> protocols;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto protocol = protocol_of(items[i]);
    const std::string at = std::to_string(i);
    if (!protocol) {
      problems.push_back({value.is_array() ? "[" + at + "]" : "", value.is_array() ? "/" + at : "",
                          expected(all_words(), items[i])});
    } else if (std::ranges::find(protocols, *protocol) == protocols.end()) {
      protocols.push_back(*protocol);
    }
  }
  target = std::move(protocols);
}

json write_socket_protocols(const std::vector<SocketProtocol>& protocols) {
  json items = json::array();
  for (const SocketProtocol protocol : protocols) items.push_back(socket_protocol_word(protocol));
  return items;
}

bool speaks(const std::vector<SocketProtocol>& protocols, SocketProtocol wanted) {
  return std::ranges::any_of(protocols, [&](SocketProtocol one) {
    return one == wanted || (one == SocketProtocol::automatic && wanted < SocketProtocol::gunicorn);
  });
}

}  // namespace clusterd
