// NodeSockets: sockets that the Node workers of an app share and the ListenerBook has no name for.
//
// These are listen(0) (one port for the same call in all workers, as in Node's cluster), datagram sockets,
// and unix sockets, whose file the program may have removed before it listens. Each is known by the key that
// the workers agree on. Used by NodeWorker; closed by ProcessHost when the ListenerBook closes. Also keeps
// the first worker's keys of TLS session tickets for the others.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "common/result.h"
#include "daemon/app.h"
#include "daemon/system/datagram_socket.h"
#include "daemon/system/launch_plan.h"
#include "daemon/system/socket_file.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {

inline constexpr std::size_t kNodeSocketsMax = 1024;               // an app
inline constexpr std::size_t kNodeServerDataBytesMax = 64 * 1024;  // Node's ticket keys are 96 digits

struct NodeSocketWish {
  enum class Kind { stream, datagram } kind = Kind::stream;
  ListenAddress address;
  DatagramOptions options;
  std::optional<Identity> identity;  // whose rights make the file of a unix socket; absent: the daemon's
  mode_t added_mode = 0;             // of that file
};

class NodeSockets {
 public:
  // Borrowed descriptor, bound if this is the first worker that wants it; Node calls listen() itself.
  Result<int> hand_out(const AppKey& app, InstanceKey user, const std::string& key,
                       const NodeSocketWish& wish);

  // The JSON the first worker had for this key.
  std::string shared_data(const AppKey& app, const std::string& key, const std::string& own);

  void forget_user(const AppKey& app, InstanceKey user);
  void close_app(const AppKey& app);
  void close_unused(const AppKey& app);

 private:
  struct Entry {
    UniqueFd fd;
    SocketFile file;
    std::optional<Identity> identity;
    std::set<InstanceKey> users;
  };
  struct Shelf {
    std::map<std::string, Entry> sockets;
    std::map<std::string, std::string> data;
  };

  static Result<Entry> open(const NodeSocketWish& wish);
  static void remove_file(const Entry& entry);

  std::map<AppKey, Shelf> apps_;
};

}  // namespace clusterd
