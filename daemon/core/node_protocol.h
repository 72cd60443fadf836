// Node's message channel: what a line from a worker means, and the lines that answer it. Pure.
//
// One JSON value a line, both ways, UTF-8. Objects whose `cmd` begins with "NODE_" belong to Node itself and
// never reach the program; everything else is process.send(). Of the cluster's messages this reads what a
// worker says to its primary; sockets are answered in the shared-handle style, where the kernel spreads the
// connections. Read by NodeWorker. Total: any bytes give a message, nothing throws.
// Sources: lib/internal/child_process.js, lib/internal/cluster/{child,primary,shared_handle,utils}.js, the
// same in Node 16 to 24.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace clusterd {

// `queryServer`: a worker wants to listen. Also what its `listening` repeats.
struct NodeQuery {
  enum class Family {
    tcp4,
    tcp6,
    unix_path,
    udp4,
    udp6,
    descriptor,  // `fd`, one the worker has already
    unknown,     // to be refused with EINVAL
  };

  Family family = Family::unknown;
  std::optional<std::string> address;  // an IP or a path; absent: every interface, IPv6 and IPv4
  std::uint16_t port = 0;              // 0: any, the same in all workers
  int fd = -1;
  std::int64_t index = 0;  // counts servers of one worker that ask for the same
  bool ipv6_only = false;
  bool reuse_address = false;    // udp
  bool readable_by_all = false;  // unix_path: options of listen()
  bool writable_by_all = false;
  std::int64_t seq = 0;       // to be repeated as `ack`
  std::string key;            // names the socket in `close`, and among all workers
  std::string data = "null";  // JSON: keys of TLS session tickets, which all workers have to share

  bool is_udp() const { return family == Family::udp4 || family == Family::udp6; }
  // The same server; a `listening` names the port that port 0 became.
  bool is_same_server(const NodeQuery& later) const;
};

struct NodeMessage {
  enum class Kind {
    user,                     // process.send() of something that has no meaning here
    ready,                    // process.send('ready')
    online,                   // the worker runs
    query_server,             // `query`
    listening,                // `query`
    close,                    // `key`: it has closed that socket
    exited_after_disconnect,  // `seq`: it wants to leave by itself and waits for the ack
    handle,                   // it passed a descriptor along, and sends nothing until that is acknowledged
    handle_ack,
    handle_nack,  // our descriptor got lost
    internal,     // another one of Node's own
    nonsense,     // not JSON
  };

  Kind kind = Kind::nonsense;
  NodeQuery query;
  std::int64_t seq = 0;
  std::string key;
};

NodeMessage parse_node_message(std::string_view line);

// Lines, with their '\n'. `error` is an errno, 0 for success; Node takes it negative, as libuv has it. A
// successful answer has to travel with the socket.
std::string node_query_answer(const NodeQuery& query, int error, std::string_view data);
std::string node_ack(std::int64_t seq);
std::string node_disconnect_request();  // close all servers, finish, leave the channel
std::string node_handle_ack();

}  // namespace clusterd
