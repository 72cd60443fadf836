// ListenAddress: one address an app is served on, as written in a config file or met in a bind() call.
//
// Pure value; made by the config parser (`listen`) and by the bind() takeover, compared by the listener book.
// Two equal values are the same listening socket of one app.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/result.h"

namespace clusterd {

enum class AddressFamily { tcp4, tcp6, unix_stream };

struct ListenAddress {
  AddressFamily family = AddressFamily::tcp4;
  std::array<std::uint8_t, 16> ip{};  // network order; tcp4 uses the first four bytes
  std::uint32_t scope_id = 0;         // tcp6 link-local only
  std::uint16_t port = 0;             // host order; 0 = the kernel picks one, once for the whole app
  bool dual_stack = false;            // tcp6 only: IPV6_V6ONLY off, so IPv4 clients are served too
  std::string path;                   // unix_stream: absolute path, or "@name" for the abstract name space

  auto operator<=>(const ListenAddress&) const = default;
};

// Accepts "3000", ":3000" and "*:3000" (dual stack), "[::]:3000" (IPv6 only), "[::1]:3000",
// "[fe80::1%2]:3000", "0.0.0.0:3000", "127.0.0.1:3000", "localhost:3000", "unix:/path", "/path",
// "unix:@name". Host names other than localhost are refused: the daemon never waits for a name server.
Result<ListenAddress> parse_listen_address(std::string_view text);

// "127.0.0.1:3000", "[::]:3000", "*:3000" (dual stack), "unix:/run/app.sock"; parse() takes each back.
std::string to_string(const ListenAddress& address);

}  // namespace clusterd
