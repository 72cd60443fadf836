// SocketProtocol: the ways in which programs learn of inherited sockets, as `socket_protocol` names them.
//
// Pure. What each of them puts into the environment: daemon/socket_dialects.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "config/app_field_problem.h"

namespace clusterd {

enum class SocketProtocol : std::uint8_t {
  automatic,  // systemd, and all that programs of other kinds ignore
  systemd,
  nginx,
  php_fpm,
  unicorn,
  puma,
  einhorn,
  server_starter,
  port,      // PORT, where there is exactly one TCP address
  gunicorn,  // from here on: by request only
  uwsgi,
  overseer,
};

std::string_view socket_protocol_word(SocketProtocol protocol);  // "php-fpm"

// One word or an array of them, each once; an empty array: nothing is announced.
void read_socket_protocols(const nlohmann::json& value, std::vector<SocketProtocol>& target,
                           FieldProblems& problems);
nlohmann::json write_socket_protocols(const std::vector<SocketProtocol>& protocols);

// `wanted` is in the list, by name or as part of auto.
bool speaks(const std::vector<SocketProtocol>& protocols, SocketProtocol wanted);

}  // namespace clusterd
