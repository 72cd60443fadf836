// ListenerBook: every listening socket of every app, held by the daemon so that no accept queue dies with a
// process.
//
// Finds the group of an address and the socket in it that an instance gets. Declared addresses are opened
// before the first instance starts and inherited; addresses that programs bind by themselves are opened at
// the first bind() and put in place of the program's own socket; a Node worker asks its primary for them.
// Used by ProcessHost; decides nothing about lifecycles. Errors are sentences or the errno the program is to
// see.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "common/result.h"
#include "daemon/app.h"
#include "daemon/lane_group.h"
#include "daemon/socket_pool.h"
#include "daemon/system/bind_takeover.h"

namespace clusterd {

// What a program's bind() or listen() is answered with.
struct CallVerdict {
  enum class Kind { pass, substitute, succeed, refuse } kind = Kind::pass;
  int fd = -1;       // substitute
  int error = 0;     // refuse
  std::string note;  // refuse: the sentence for the operator
};

class ListenerBook {
 public:
  using Groups = std::vector<std::unique_ptr<LaneGroup>>;

  // `unsettled`: settle() is to be called in LaneGroup::kSettlingTick; may be told more than once. `pool`:
  // where sockets come from that are open already; null: from nowhere.
  ListenerBook(Balancing& balancing, std::function<void()> unsettled, SocketPool* pool = nullptr)
      : balancing_(balancing), unsettled_(std::move(unsettled)), pool_(pool) {}

  // Opens what is missing of `addresses`, listening at once; returns the descriptors in order, borrowed.
  Result<std::vector<int>> declare(const AppKey& app, InstanceKey user, const AppSpec& spec);

  // `tree` is asked only when the instance binds an address twice: which of its processes are alive.
  CallVerdict on_bind(const AppKey& app, InstanceKey user, Balance balance, const SocketCall& call,
                      const std::function<std::vector<pid_t>()>& tree);
  CallVerdict on_listen(const AppKey& app, const SocketCall& call);

  // The instance's socket of `address`, borrowed, which does not listen yet. Whether the program may have it
  // is the caller's to ask.
  Result<int> hand_out(const AppKey& app, InstanceKey user, Balance balance, const ListenAddress& address);
  // It accepts there from now on.
  Result<void> listening(const AppKey& app, InstanceKey user, const ListenAddress& address);

  // See LaneGroup; for all addresses of the app.
  void admit(const AppKey& app, InstanceKey user);
  void set_share(const AppKey& app, InstanceKey user, unsigned permille);
  void withdraw(const AppKey& app, InstanceKey user, bool app_stays);
  void lost(const AppKey& app, InstanceKey user);
  void forget(const AppKey& app, InstanceKey user);
  void end_life(const AppKey& app, InstanceKey user);
  void settle();

  // New connections of this instance can be stopped, and the ones it has be watched until they end.
  bool steers(const AppKey& app, InstanceKey user) const;
  LaneLoad load_of(const AppKey& app, InstanceKey user) const;

  std::vector<std::uint16_t> ports(const AppKey& app) const;  // TCP

  // See LaneGroup; `found` is told of each repair. repair(): what the guard has noticed, of all apps.
  using Found = std::function<void(const AppKey&, const Repair&)>;
  void repair(const Found& found);
  void inspect(const AppKey& app, const Found& found);

  void close_app(const AppKey& app);
  // After a rollout: closes what neither an instance uses nor the spec declares.
  void rebalance(const AppKey& app, Balance balance);
  void close_unused(const AppKey& app, std::span<const ListenEntry> declared);

  const Groups* groups(const AppKey& app) const;
  LaneGroup* find_port(const AppKey& app, std::uint16_t port) const;  // null: not one of the app's

 private:
  template <class Predicate>
  LaneGroup* find_if(const AppKey& app, Predicate predicate) const;  // null: none
  LaneGroup* find(const AppKey& app, const ListenAddress& address) const;
  const AppKey* owner_of(const ListenAddress& address) const;
  Result<LaneGroup*> find_or_open(const AppKey& app, Balance balance, const ListenAddress& address,
                                  const SocketRights& rights = {});

  template <class Visit>
  void each(const AppKey& app, Visit visit);

  // The lane of a user in a group; one that is ready already, though it binds only now, is admitted at once.
  Result<Lane*> lane_of(LaneGroup& group, InstanceKey user);

  bool holds(const AppKey& app, const ListenAddress& address) const;

  Balancing& balancing_;
  std::function<void()> unsettled_;
  SocketPool* pool_;
  std::map<AppKey, Groups> apps_;
  std::set<InstanceKey> admitted_;  // who is ready, with or without an address
};

}  // namespace clusterd
