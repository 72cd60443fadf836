// Which socket a Node worker's request is about, as Node itself would choose it.
//
// Pure but for the names of interfaces. Used by NodeWorker.
// Source: createServerHandle in lib/net.js, _createSocketHandle in lib/internal/dgram.js.
#pragma once

#include <optional>
#include <vector>

#include "common/result.h"
#include "daemon/core/node_protocol.h"
#include "daemon/node_sockets.h"

namespace clusterd {

// In the order they are to be tried: without an address IPv6 (serving IPv4 too), then IPv4. Empty: nonsense.
std::vector<ListenAddress> node_addresses(const NodeQuery& query);

// A TCP port with a number is the ListenerBook's; everything else has no name that other kinds of programs
// could share.
bool is_in_listener_book(const NodeQuery& query);

NodeSocketWish node_socket_wish(const NodeQuery& query, const ListenAddress& address,
                                const std::optional<Identity>& identity);

}  // namespace clusterd
