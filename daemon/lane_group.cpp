#include "daemon/lane_group.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "daemon/system/listening_socket.h"
#include "daemon/system/socket_inode.h"

namespace clusterd {
namespace {

constexpr int kRepairsMax = 20;  // of one socket

// The file of a unix socket is the daemon's: made with the listener, gone with it.
void remove_file(const ListenAddress& address) {
  if (address.family != AddressFamily::unix_stream || address.path.starts_with('@')) return;
  std::error_code ignored;
  if (std::filesystem::is_socket(address.path, ignored)) std::filesystem::remove(address.path, ignored);
}

}  // namespace

LaneGroup::LaneGroup(Balancing& balancing, BalanceChoice choice, const ListenAddress& address)
    : balancing_(balancing), choice_(std::move(choice)), asked_(address), bound_(address) {
  steering_ = balancing_.make_steering(choice_.balance);
}

LaneGroup::~LaneGroup() {
  for (const Lane& lane : lanes_) {
    if (steering_) steering_->remove(lane.fd.get());
    balancing_.guard().forget(lane.fd.get());
  }
  if (!lanes_.empty()) remove_file(bound_);
}

Result<std::unique_ptr<LaneGroup>> LaneGroup::open(Balancing& balancing, Balance asked,
                                                   const ListenAddress& address, const SocketRights& rights) {
  std::unique_ptr<LaneGroup> group(
      new LaneGroup(balancing, balancing.choose(asked, address.family), address));
  group->rights_ = rights;
  auto first = group->open_lane();
  if (!first) return fail(first.error());
  if (const auto bound = local_address((*first)->fd.get())) group->bound_ = *bound;
  return group;
}

std::unique_ptr<LaneGroup> LaneGroup::take_over(Balancing& balancing, const ListenAddress& address,
                                                UniqueFd socket) {
  BalanceChoice choice{Balance::shared, "the socket was taken over from another process with its one queue"};
  std::unique_ptr<LaneGroup> group(new LaneGroup(balancing, std::move(choice), address));
  Lane& lane = group->lanes_.emplace_back();
  lane.inode = socket_inode(socket.get());
  lane.fd = std::move(socket);
  lane.listening = true;
  lane.health = listener_health(lane.fd.get());
  balancing.guard().watch(lane.fd.get());
  return group;
}

Result<Lane*> LaneGroup::open_lane() {
  LaneSocket how;
  if (steering_) how.role = lanes_.empty() ? LaneSocket::Role::first_of_group : LaneSocket::Role::further;
  if (steering_) how.prepared = balancing_.take_socket(bound_.family);
  auto socket = open_listening_socket(bound_, rights_, std::move(how));
  if (!socket) return fail(socket.error());
  if (steering_) {
    if (auto added = steering_->add(socket->get()); !added) return fail(added.error());
  }
  Lane& lane = lanes_.emplace_back();
  lane.inode = socket_inode(socket->get());
  lane.fd = std::move(*socket);
  return &lane;
}

Result<void> LaneGroup::declare(const SocketRights& rights) {
  declared_ = true;
  if (rights == rights_) return {};
  rights_ = rights;
  return set_socket_rights(bound_, rights);
}

bool LaneGroup::listening() const { return std::ranges::any_of(lanes_, &Lane::listening); }

Result<Lane*> LaneGroup::lane_for(InstanceKey user) {
  closing_ = false;
  users_.insert(user);
  if (!steering_) return &lanes_.front();
  auto found = std::ranges::find(lanes_, std::optional(user), &Lane::owner);
  // The next life need not wait for its predecessor's queue to move, nor the queue for the next life.
  if (found != lanes_.end() && found->listening && has_to_move(*found)) {
    found->owner.reset();
    found->state = LaneState::orphan;
    found = lanes_.end();
  }
  Lane* lane = found == lanes_.end() ? spare_lane() : &*found;
  if (lane == nullptr) {
    auto opened = open_lane();
    if (!opened) {
      // It serves beside another one rather than not at all.
      spdlog::warn("{}: an instance shares a lane: {}", to_string(bound_), opened.error().message);
      return &lanes_.front();
    }
    lane = *opened;
  }
  lane->owner = user;
  lane->deserted = false;
  // Who asks for its lane once more is what it was.
  if (lane->state == LaneState::orphan || lane->state == LaneState::lost) lane->state = LaneState::starting;
  steer();
  return lane;
}

// One in which somebody waits before all others.
Lane* LaneGroup::spare_lane() {
  Lane* best = nullptr;
  int longest = -1;
  for (Lane& lane : lanes_) {
    if (lane.owner || has_to_move(lane)) continue;
    const int waiting = lane.listening ? accept_queue_length(lane.fd.get()) : 0;
    if (waiting > longest) best = &lane;
    longest = std::max(longest, waiting);
  }
  return best;
}

Lane* LaneGroup::find(ino_t inode) {
  const auto found = std::ranges::find(lanes_, inode, &Lane::inode);
  return found == lanes_.end() ? nullptr : &*found;
}

Result<void> LaneGroup::listen(Lane& lane) {
  if (lane.listening) return {};
  if (auto started = start_listening(lane.fd.get()); !started) return started;
  lane.listening = true;
  lane.health = listener_health(lane.fd.get());
  if (bound_.family != AddressFamily::unix_stream) balancing_.guard().watch(lane.fd.get());
  if (!steering_) return {};
  if (auto joined = steering_->listening(lane.fd.get()); !joined) return joined;
  steer();
  return {};
}

void LaneGroup::rebalance(Balance asked) {
  BalanceChoice next = balancing_.choose(asked, bound_.family);
  if (next.balance == choice_.balance) {
    choice_ = std::move(next);
    return;
  }
  if (!steering_ || next.balance == Balance::shared) {
    choice_.reason = "another `balance` is asked for that needs other sockets: stop the app, then start it";
    choice_.as_asked = false;
    return;
  }
  choice_ = std::move(next);
  balancing_.respread(*steering_, choice_.balance);
  steer();
}

template <class Visit>
void LaneGroup::each_of(InstanceKey user, Visit visit) {
  for (Lane& lane : lanes_) {
    if (lane.owner == user) visit(lane);
  }
}

void LaneGroup::admit(InstanceKey user) {
  if (!steering_) return;
  each_of(user, [](Lane& lane) { lane.state = LaneState::serving; });
  steer();
}

void LaneGroup::withdraw(InstanceKey user, bool app_stays) {
  if (!steering_ || !steers(user)) return;
  closing_ = !app_stays;
  each_of(user, [](Lane& lane) { lane.state = LaneState::leaving; });
  const auto may_wait = [](const Lane& lane) { return lane.state != LaneState::leaving && lane.listening; };
  // Where the kernel cannot refuse for us, those who come too late wait in a socket that will be closed.
  if (std::ranges::none_of(lanes_, may_wait) && (app_stays || !steering_->migrates())) open_waiting_lane();
  steer();
}

void LaneGroup::open_waiting_lane() {
  auto lane = open_lane();
  if (lane) {
    if (auto listening = listen(**lane); listening) return;
  }
  spdlog::warn("{}: no socket for connections to wait in: {}", to_string(bound_),
               lane ? "cannot listen" : lane.error().message);
}

void LaneGroup::lost(InstanceKey user) {
  if (!steering_) return;
  each_of(user, [](Lane& lane) {
    if (lane.state != LaneState::leaving) lane.state = LaneState::lost;
    lane.deserted = true;
  });
  steer();
}

bool LaneGroup::serves_beside(const Lane& lane) const {
  return std::ranges::any_of(lanes_, [&](const Lane& other) {
    return &other != &lane && other.listening && other.state == LaneState::serving;
  });
}

// What has waited for one that has died need not wait until it is there again, and a lane that nobody has is
// kept only as the place to wait when nobody serves. Without migration whoever is on the way into it would be
// reset, and the kernel renumbers the others at a moment that no new program can meet: it stays as it is.
bool LaneGroup::has_to_move(const Lane& lane) const {
  if (!steering_ || !steering_->migrates() || !serves_beside(lane)) return false;
  return !lane.owner || (lane.deserted && lane.listening);
}

bool LaneGroup::unsettled() const {
  return std::ranges::any_of(lanes_, [this](const Lane& lane) { return has_to_move(lane); });
}

void LaneGroup::settle() {
  std::erase_if(lanes_, [this](Lane& lane) {
    const bool was_quiet = std::exchange(lane.quiet, has_to_move(lane));
    if (!was_quiet || !lane.quiet) return false;
    move_queue(lane);
    if (lane.owner) return false;
    // What waited in it has moved while the steering still knew the lane: else it might have landed,
    // uncounted, where somebody is about to leave.
    steering_->remove(lane.fd.get());
    return true;
  });
}

// A listener that stops listening gives its queue to the others of the group; handshakes that are under way
// follow when they end, so it stays like that until its next owner listens.
void LaneGroup::move_queue(Lane& lane) {
  if (!lane.listening) return;
  lane.listening = false;
  balancing_.guard().forget(lane.fd.get());
  stop_listening(lane.fd.get());
}

void LaneGroup::forget(InstanceKey user) {
  users_.erase(user);
  shares_.erase(user);
  if (!steering_) return;
  std::list<Lane> released;
  for (auto lane = lanes_.begin(); lane != lanes_.end();) {
    const auto next = std::next(lane);
    if (lane->owner == user) released.splice(released.end(), lanes_, lane);
    lane = next;
  }
  for (Lane& lane : released) {
    lane.owner.reset();
    lane.state = LaneState::orphan;
  }
  // To the end: where somebody waits already, everybody goes on waiting.
  lanes_.splice(lanes_.end(), released);
  steer();
}

std::optional<Repair> LaneGroup::repair(int listener) {
  const auto lane = std::ranges::find_if(lanes_, [&](const Lane& one) { return one.fd.get() == listener; });
  if (lane == lanes_.end()) return std::nullopt;
  balancing_.guard().forget(listener);
  lane->listening = false;
  // That is how some servers stop accepting: on its own socket an instance that leaves may do it.
  if (lane->state == LaneState::leaving) return Repair{lane->owner, "has shut its listening socket down"};
  if (lane->repairs++ >= kRepairsMax) {
    steer();
    return Repair{lane->owner, "shuts its listening socket down again and again: it is left alone"};
  }
  if (auto again = listen(*lane); !again) return Repair{lane->owner, again.error().message};
  return Repair{lane->owner, "has shut down its listening socket, which the daemon has repaired"};
}

std::vector<Repair> LaneGroup::inspect() {
  std::vector<Repair> repairs;
  for (Lane& lane : lanes_) {
    if (!lane.listening) continue;
    const ListenerHealth now = listener_health(lane.fd.get());
    if (now.backlog < lane.health.backlog && start_listening(lane.fd.get())) {
      repairs.push_back({lane.owner, "has shrunk the backlog of its listening socket to " +
                                         std::to_string(now.backlog) + ", which the daemon has repaired"});
    }
    if (steering_ == nullptr && now.blocking && !lane.health.blocking) {
      make_nonblocking(lane.fd.get());
      repairs.push_back({lane.owner,
                         "has made a listening socket blocking that others use too, which the daemon "
                         "has repaired"});
    }
    lane.health.blocking = lane.health.blocking && now.blocking;
  }
  return repairs;
}

void LaneGroup::set_share(InstanceKey user, unsigned permille) {
  if (permille == 0 && !shares_.contains(user)) return;
  shares_[user] = permille;
  steer();
}

void LaneGroup::steer() {
  if (!steering_) return;
  std::vector<const Lane*> lanes;
  std::vector<LaneView> views;
  for (const Lane& lane : lanes_) {
    lanes.push_back(&lane);
    views.push_back({lane.state, lane.listening});
  }
  std::vector<LaneShare> shares;
  // Nobody will come any more, also not to a lane that has just lost its owner.
  const bool refuses = closing_ && steering_->migrates();
  for (const std::size_t index :
       refuses ? std::vector<std::size_t>() : choose_lanes(views, steering_->migrates())) {
    const Lane& lane = *lanes[index];
    const auto share = lane.owner ? shares_.find(*lane.owner) : shares_.end();
    shares.push_back({lane.fd.get(), 1, share == shares_.end() ? 0 : share->second});
  }
  const WhenNobody when_nobody = closing_ ? WhenNobody::refuse : WhenNobody::any;
  if (auto chosen = steering_->choose(shares, when_nobody); !chosen) {
    spdlog::warn("{}: {}", to_string(bound_), chosen.error().message);
  }
}

bool LaneGroup::direct(InstanceKey user, std::uint16_t port) {
  const auto lane = std::ranges::find(lanes_, std::optional(user), &Lane::owner);
  return steering_ && lane != lanes_.end() && lane->listening && steering_->direct(port, lane->fd.get());
}

void LaneGroup::undirect(std::uint16_t port) {
  if (steering_) steering_->undirect(port);
}

bool LaneGroup::steers(InstanceKey user) const {
  return steering_ && std::ranges::any_of(lanes_, [&](const Lane& lane) { return lane.owner == user; });
}

LaneLoad LaneGroup::load_of(InstanceKey user) const {
  LaneLoad load;
  if (!steering_) return load;
  for (const Lane& lane : lanes_) {
    if (lane.owner != user) continue;
    if (lane.listening) load.queued += accept_queue_length(lane.fd.get());
    const auto counts = steering_->counts(lane.fd.get());
    if (!counts) continue;
    load.counted = true;
    load.open = load.open.value_or(0) + counts->open;
    load.total += counts->total;
    load.handshakes += counts->handshakes;
  }
  return load;
}

}  // namespace clusterd
