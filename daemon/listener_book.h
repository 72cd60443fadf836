// ListenerBook: every listening socket of every app, held by the daemon so that no accept queue dies with a
// process.
//
// One socket for one address of one app, shared by all its instances (balance `shared`). Declared addresses
// are opened before the first instance starts and inherited; addresses that programs bind by themselves are
// opened at the first bind() and put in place of the program's own socket. Used by ProcessHost; decides
// nothing about lifecycles. Errors are sentences or the errno the program is to see.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "common/result.h"
#include "daemon/app.h"
#include "daemon/system/bind_takeover.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {

struct Listener {
  ListenAddress asked;  // as declared or bound
  ListenAddress bound;  // what the kernel made of it (port 0)
  UniqueFd fd;
  ino_t inode = 0;
  SocketRights rights;  // of its file
  bool declared = false;
  bool listening = false;
  std::set<InstanceKey> users;  // whose present life bound it or inherited it
};

// What a program's bind() or listen() is answered with.
struct CallVerdict {
  enum class Kind { pass, substitute, succeed, refuse } kind = Kind::pass;
  int fd = -1;       // substitute
  int error = 0;     // refuse
  std::string note;  // refuse: the sentence for the operator
};

class ListenerBook {
 public:
  // Opens what is missing of `entries`, listening at once; returns the descriptors in order, borrowed.
  Result<std::vector<int>> declare(const AppKey& app, InstanceKey user, std::span<const ListenEntry> entries);

  // `tree` is asked only when the instance binds an address twice: which of its processes are alive.
  CallVerdict on_bind(const AppKey& app, InstanceKey user, const SocketCall& call,
                      const std::function<std::vector<pid_t>()>& tree);
  CallVerdict on_listen(const AppKey& app, const SocketCall& call);

  void forget_user(const AppKey& app, InstanceKey user);
  void close_app(const AppKey& app);
  // After a rollout: closes what neither an instance uses nor the spec declares.
  void close_unused(const AppKey& app, std::span<const ListenEntry> declared);

  const std::list<Listener>* listeners(const AppKey& app) const;

 private:
  Listener* find(const AppKey& app, const ListenAddress& address);
  const AppKey* owner_of(const ListenAddress& address) const;
  Result<Listener*> open(const AppKey& app, const ListenAddress& address, const SocketRights& rights = {});

  std::map<AppKey, std::list<Listener>> apps_;
};

}  // namespace clusterd
