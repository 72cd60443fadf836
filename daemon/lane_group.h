// LaneGroup: the listening sockets of one address of one app.
//
// Balanced: one socket ("lane") an instance, in one SO_REUSEPORT group, and a steering that says who gets new
// connections. Shared: one socket for all instances. The daemon holds every one of them, so no accept queue
// dies with a process: after a crash the queue moves to the others or waits for the successor, which inherits
// the lane. Owned by ListenerBook, which knows whose instances these are. Nothing here blocks.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "common/result.h"
#include "daemon/app.h"
#include "daemon/balancing.h"
#include "daemon/core/lane_choice.h"
#include "daemon/system/steering.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {

struct Lane {
  UniqueFd fd;
  ino_t inode = 0;
  bool listening = false;
  ListenerHealth health;  // as it was when it began to listen
  int repairs = 0;
  LaneState state = LaneState::orphan;
  bool deserted = false;  // the process that accepted here has died, and no other has come
  bool quiet = false;     // for a settling tick nobody new has been sent here
  std::optional<InstanceKey> owner;
};

struct Repair {
  std::optional<InstanceKey> owner;  // absent: the socket is shared by all
  std::string what;
};

// What an instance still has to do, or has done, on its lanes.
struct LaneLoad {
  std::int64_t queued = 0;             // wait to be accepted
  std::int64_t handshakes = 0;         // under way; 0 where they cannot be counted
  std::optional<std::int64_t> open{};  // accepted or queued; absent where they cannot be counted
  std::uint64_t total = 0;
  bool counted = false;  // by the kernel: `open` includes those in the queue
  // Those in the queue included, whoever counts.
  std::int64_t connections() const { return open.value_or(0) + (counted ? 0 : queued); }
  bool drained() const { return queued == 0 && handshakes == 0 && open.value_or(0) <= 0; }
};

class LaneGroup {
 public:
  // `rights` are those of the file of a unix socket.
  static Result<std::unique_ptr<LaneGroup>> open(Balancing& balancing, Balance asked,
                                                 const ListenAddress& address,
                                                 const SocketRights& rights = {});
  // Around a socket that listens already and is somebody else's as well: one for all, whatever was asked for.
  static std::unique_ptr<LaneGroup> take_over(Balancing& balancing, const ListenAddress& address,
                                              UniqueFd socket);
  ~LaneGroup();
  LaneGroup(const LaneGroup&) = delete;
  LaneGroup& operator=(const LaneGroup&) = delete;

  const ListenAddress& bound() const { return bound_; }  // what the kernel made of port 0
  bool matches(const ListenAddress& address) const { return asked_ == address || bound_ == address; }
  // Another balance from now on. Between one socket for all and one each there is no way while they are open.
  void rebalance(Balance asked);
  const BalanceChoice& choice() const { return choice_; }
  bool steered() const { return steering_ != nullptr; }
  bool declared() const { return declared_; }
  // Named in `listen`; the rights may have changed since the file was made.
  Result<void> declare(const SocketRights& rights);
  bool listening() const;
  const std::list<Lane>& lanes() const { return lanes_; }
  const std::set<InstanceKey>& users() const { return users_; }

  // The socket of this instance: its own, else one that waits for an owner, else a new one.
  Result<Lane*> lane_for(InstanceKey user);
  Lane* find(ino_t inode);
  Result<void> listen(Lane& lane);

  void admit(InstanceKey user);  // it is ready: it gets new connections
  // It gets no new ones. app_stays: a successor will come, so connections may wait for it; otherwise they are
  // refused from the moment nobody is left.
  void withdraw(InstanceKey user, bool app_stays);
  void lost(InstanceKey user);    // its process has died; the instance may start again
  void forget(InstanceKey user);  // it will not come back
  void end_life(InstanceKey user) { users_.erase(user); }

  // Deserted queues move to who serves and lanes that nobody has are closed, but not at once: a handshake
  // that ends while its listener stops listening is reset by the kernel (inet_csk_reqsk_queue_add), and one
  // that began before the lane was steered around may still be under way. To be called every kSettlingTick
  // while unsettled.
  static constexpr Milliseconds kSettlingTick{5};
  bool unsettled() const;
  void settle();
  void set_share(InstanceKey user, unsigned permille);  // of the new connections; 0: as the others

  // Undoes what an app has done to sockets that outlive it: shutdown(), a smaller backlog, blocking mode of a
  // shared one. `listener` is one that the guard found; inspect() looks at all. What was found is said for
  // people.
  std::optional<Repair> repair(int listener);
  std::vector<Repair> inspect();

  // The next connection from this port of ours goes to the instance's lane, until undirect().
  bool direct(InstanceKey user, std::uint16_t port);
  void undirect(std::uint16_t port);

  bool steers(InstanceKey user) const;
  LaneLoad load_of(InstanceKey user) const;

 private:
  LaneGroup(Balancing& balancing, BalanceChoice choice, const ListenAddress& address);

  Result<Lane*> open_lane();
  Lane* spare_lane();
  void open_waiting_lane();
  bool serves_beside(const Lane& lane) const;
  bool has_to_move(const Lane& lane) const;
  void move_queue(Lane& lane);
  void steer();
  template <class Visit>
  void each_of(InstanceKey user, Visit visit);

  Balancing& balancing_;
  BalanceChoice choice_;
  ListenAddress asked_;
  ListenAddress bound_;
  SocketRights rights_;
  bool declared_ = false;
  bool closing_ = false;
  std::unique_ptr<Steering> steering_;
  std::list<Lane> lanes_;
  std::set<InstanceKey> users_;             // whose present life bound it or inherited it
  std::map<InstanceKey, unsigned> shares_;  // in thousandths, of a canary
};

}  // namespace clusterd
