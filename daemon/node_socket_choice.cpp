#include "daemon/node_socket_choice.h"

#include "daemon/system/socket_address.h"

namespace clusterd {
namespace {

using Family = NodeQuery::Family;

constexpr mode_t kReadableByAll = 0444;  // as uv_pipe_chmod
constexpr mode_t kWritableByAll = 0222;

// Node makes "\0name" absolute like any path: the name begins at the NUL.
ListenAddress unix_address(const std::string& path) {
  const std::size_t abstract = path.find('\0');
  return {.family = AddressFamily::unix_stream,
          .path = abstract == std::string::npos ? path : '@' + path.substr(abstract + 1)};
}

std::vector<ListenAddress> every_interface(const NodeQuery& query) {
  const ListenAddress ipv6{.family = AddressFamily::tcp6, .port = query.port, .dual_stack = true, .path = {}};
  const ListenAddress ipv4{.family = AddressFamily::tcp4, .port = query.port, .path = {}};
  if (query.family == Family::udp4) return {ipv4};
  if (query.family == Family::udp6) return {ipv6};
  return {ipv6, ipv4};
}

}  // namespace

std::vector<ListenAddress> node_addresses(const NodeQuery& query) {
  if (query.family == Family::unknown || query.family == Family::descriptor) return {};
  if (query.family == Family::unix_path) return {unix_address(*query.address)};
  if (!query.address || query.address->empty()) return every_interface(query);
  const bool ipv6 = query.family == Family::tcp6 || query.family == Family::udp6;
  auto address = parse_ip(*query.address, ipv6 ? AddressFamily::tcp6 : AddressFamily::tcp4);
  if (!address) return {};
  address->port = query.port;
  address->dual_stack = !query.ipv6_only && can_be_dual_stack(*address);
  return {*address};
}

bool is_in_listener_book(const NodeQuery& query) {
  return (query.family == Family::tcp4 || query.family == Family::tcp6) && query.port != 0;
}

NodeSocketWish node_socket_wish(const NodeQuery& query, const ListenAddress& address,
                                const std::optional<Identity>& identity) {
  NodeSocketWish wish;
  wish.kind = query.is_udp() ? NodeSocketWish::Kind::datagram : NodeSocketWish::Kind::stream;
  wish.address = address;
  wish.options = {query.ipv6_only, query.reuse_address};
  if (query.family == Family::unix_path) wish.identity = identity;
  if (query.readable_by_all) wish.added_mode |= kReadableByAll;
  if (query.writable_by_all) wish.added_mode |= kWritableByAll;
  return wish;
}

}  // namespace clusterd
