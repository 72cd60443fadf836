// ConnectionCgroup: a cgroup v2 folder of our own, in which listening sockets are created and nobody runs.
//
// A socket belongs for life to the cgroup of the process that called socket(), and so do the connections it
// accepts. The program that counts connections is attached here, so that it sees ours and nobody else's.
// Sources: sk_alloc (cgroup_sk_alloc), clone(2) CLONE_INTO_CGROUP.
//
// Owned by the daemon. The folder lies in the daemon's own cgroup, is locked as long as the daemon lives and
// removed with this object; make() removes what daemons that were killed have left behind. No controller is
// touched.
#pragma once

#include <string>
#include <vector>

#include "common/result.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {

class ConnectionCgroup {
 public:
  // The errors say what is missing: no cgroup v2, no right to make a folder.
  static Result<ConnectionCgroup> make();
  ConnectionCgroup(ConnectionCgroup&&) noexcept = default;
  ConnectionCgroup& operator=(ConnectionCgroup&&) = delete;
  ~ConnectionCgroup();

  const std::string& path() const { return path_; }

  // Stream sockets (close-on-exec, blocking) of this family (AF_INET, AF_INET6). Takes a fraction of a
  // millisecond for all of them together: a short-lived process has to be born into the cgroup.
  Result<std::vector<UniqueFd>> create_sockets(int family, int count) const;

 private:
  ConnectionCgroup(std::string path, UniqueFd folder) : path_(std::move(path)), folder_(std::move(folder)) {}

  std::string path_;
  UniqueFd folder_;
};

}  // namespace clusterd
