#include "config/listen_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace clusterd {
namespace {

// sun_path of sockaddr_un: 108 bytes with a NUL at the end, or at the beginning for abstract names.
constexpr std::size_t kUnixPathBytesMax = 107;

std::unexpected<Error> bad_address(std::string_view text, std::string_view reason) {
  return fail(ErrorCode::config, "\"" + std::string(text.substr(0, 120)) +
                                     "\" is no address to listen on: " + std::string(reason));
}

template <class Integer>
std::optional<Integer> whole_number(std::string_view text) {
  Integer number{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return number;
}

Result<ListenAddress> parse_unix(std::string_view text, std::string_view path) {
  if (!path.starts_with('/') && !path.starts_with('@')) {
    return bad_address(text, "the path of a Unix socket has to be absolute, or \"@name\"");
  }
  if (path.size() < 2) return bad_address(text, "the name of the socket is missing");
  if (path.size() > kUnixPathBytesMax)
    return bad_address(text, "the path of a Unix socket has 107 bytes at most");
  if (path.find('\0') != std::string_view::npos)
    return bad_address(text, "the path contains a NUL character");
  ListenAddress address;
  address.family = AddressFamily::unix_stream;
  address.path = path;
  return address;
}

bool set_ip(ListenAddress& address, AddressFamily family, std::string_view host) {
  address.family = family;
  const int system_family = family == AddressFamily::tcp4 ? AF_INET : AF_INET6;
  // inet_pton stops at a NUL: what follows one would be ignored.
  if (host.find('\0') != std::string_view::npos) return false;
  return inet_pton(system_family, std::string(host).c_str(), address.ip.data()) == 1;
}

// The part between the brackets of "[fe80::1%2]:80".
bool set_ip6_with_scope(ListenAddress& address, std::string_view host) {
  const std::size_t percent = host.find('%');
  if (percent != std::string_view::npos) {
    const auto scope = whole_number<std::uint32_t>(host.substr(percent + 1));
    if (!scope) return false;
    address.scope_id = *scope;
  }
  return set_ip(address, AddressFamily::tcp6, host.substr(0, percent));
}

Result<ListenAddress> parse_host(std::string_view text, std::string_view host) {
  ListenAddress address;
  if (host.empty() || host == "*") {
    address.family = AddressFamily::tcp6;
    address.dual_stack = true;
    return address;
  }
  if (host.starts_with('[') && host.ends_with(']')) {
    if (set_ip6_with_scope(address, host.substr(1, host.size() - 2))) return address;
    return bad_address(
        text, "between the brackets stands no IPv6 address (a scope is a number: \"[fe80::1%2]:80\")");
  }
  if (host.find(':') != std::string_view::npos) {
    return bad_address(text, "an IPv6 address stands in brackets: \"[::1]:3000\"");
  }
  if (host == "localhost") host = "127.0.0.1";
  if (set_ip(address, AddressFamily::tcp4, host)) return address;
  return bad_address(
      text, "host names other than localhost are not looked up; use an IP address, or \"*\" for all");
}

}  // namespace

Result<ListenAddress> parse_listen_address(std::string_view text) {
  if (text.starts_with("unix:")) return parse_unix(text, text.substr(5));
  if (text.starts_with('/')) return parse_unix(text, text);
  const std::size_t colon = text.rfind(':');
  const std::string_view host = colon == std::string_view::npos ? std::string_view{} : text.substr(0, colon);
  const std::string_view port_text = colon == std::string_view::npos ? text : text.substr(colon + 1);
  const auto port = whole_number<std::uint16_t>(port_text);
  if (!port) {
    return bad_address(text,
                       "expected a port from 0 to 65535, as in \"3000\", \"127.0.0.1:3000\", \"[::1]:3000\", "
                       "or a socket, as in \"unix:/run/app.sock\"");
  }
  auto address = parse_host(text, host);
  if (address) address->port = *port;
  return address;
}

std::string to_string(const ListenAddress& address) {
  if (address.family == AddressFamily::unix_stream) return "unix:" + address.path;
  const std::string port = ":" + std::to_string(address.port);
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.family == AddressFamily::tcp4) {
    inet_ntop(AF_INET, address.ip.data(), text.data(), text.size());
    return text.data() + port;
  }
  const bool is_any =
      std::all_of(address.ip.begin(), address.ip.end(), [](std::uint8_t byte) { return byte == 0; });
  if (address.dual_stack && is_any) return "*" + port;
  inet_ntop(AF_INET6, address.ip.data(), text.data(), text.size());
  const std::string scope = address.scope_id == 0 ? "" : "%" + std::to_string(address.scope_id);
  return "[" + std::string(text.data()) + scope + "]" + port;
}

}  // namespace clusterd
