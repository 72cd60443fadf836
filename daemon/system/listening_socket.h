// Listening sockets: opened by the daemon, inherited or put in place in the apps, outliving all of them.
//
// Called by the listener book of the supervisor. A socket is opened (bound) first and made to listen only
// when somebody is there to accept. Errors name the address and, where /proc shows it, the process that holds
// it. Unix sockets get mode 0755 whatever the daemon's umask is, what a program started by hand under umask
// 022 would get, unless their rights say otherwise.
#pragma once

#include "common/result.h"
#include "config/listen_entry.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {

inline constexpr int kListenBacklog = 4096;  // the kernel caps it at net.core.somaxconn

// A socket that is to stand alone, or in a group of several on one address (SO_REUSEPORT). The first of a
// group is bound alone, so that an address somebody else serves is in use and not shared with him; the others
// follow.
struct LaneSocket {
  enum class Role { alone, first_of_group, further } role = Role::alone;
  UniqueFd prepared;  // an unbound stream socket of the right family; empty: one is made
};

int socket_domain(AddressFamily family);  // AF_INET, AF_INET6, AF_UNIX

// Binds with SO_REUSEADDR; CLOEXEC; blocking (whether it stays so is up to the app). IPV6_V6ONLY is set
// either way, whatever the machine's default; a dual-stack wildcard falls back to IPv4 on a machine without
// IPv6. A unix socket file that nobody serves is replaced; any other file at that path is a conflict.
// A unix socket has its rights from the first moment: until owner and group are right, nobody may connect.
Result<UniqueFd> open_listening_socket(const ListenAddress& address, const SocketRights& rights = {},
                                       LaneSocket how = {});

// The rights of the file of a unix socket that is open already. Nothing but a socket is touched, and no link
// followed.
Result<void> set_socket_rights(const ListenAddress& address, const SocketRights& rights);

// Safe to repeat. Fails (conflict) if another program listens on the same port: two bound sockets may share a
// port, two listening ones may not.
Result<void> start_listening(int fd);

// What waits to be accepted moves to the other sockets of its group if a balancer allows it, and is lost if
// not. It may listen again.
void stop_listening(int fd);

// Connections that wait to be accepted; 0 for unix sockets, of which the kernel does not say it.
int accept_queue_length(int fd);

// Where it is really bound: for port 0 the port the kernel picked.
Result<ListenAddress> local_address(int fd);

}  // namespace clusterd
