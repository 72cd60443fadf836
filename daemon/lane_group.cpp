#include "daemon/lane_group.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>

#include "daemon/system/listening_socket.h"
#include "daemon/system/socket_inode.h"

namespace clusterd {
namespace {

// The file of a unix socket is the daemon's: made with the listener, gone with it.
void remove_file(const ListenAddress& address) {
  if (address.family != AddressFamily::unix_stream || address.path.starts_with('@')) return;
  std::error_code ignored;
  if (std::filesystem::is_socket(address.path, ignored)) std::filesystem::remove(address.path, ignored);
}

// Of the lanes that nobody has, the one in which most wait.
std::list<Lane>::iterator fullest_orphan(std::list<Lane>& lanes) {
  auto fullest = lanes.end();
  int most = -1;
  for (auto lane = lanes.begin(); lane != lanes.end(); ++lane) {
    if (lane->owner) continue;
    const int waiting = lane->listening ? accept_queue_length(lane->fd.get()) : 0;
    if (waiting > most) fullest = lane;
    most = std::max(most, waiting);
  }
  return fullest;
}

}  // namespace

LaneGroup::LaneGroup(Balancing& balancing, BalanceChoice choice, const ListenAddress& address)
    : balancing_(balancing), choice_(std::move(choice)), asked_(address), bound_(address) {
  steering_ = balancing_.make_steering(choice_.balance);
}

LaneGroup::~LaneGroup() {
  if (steering_) {
    for (const Lane& lane : lanes_) steering_->remove(lane.fd.get());
  }
  if (!lanes_.empty()) remove_file(bound_);
}

Result<std::unique_ptr<LaneGroup>> LaneGroup::open(Balancing& balancing, Balance asked,
                                                   const ListenAddress& address,
                                                   const SocketRights& rights) {
  std::unique_ptr<LaneGroup> group(
      new LaneGroup(balancing, balancing.choose(asked, address.family), address));
  group->rights_ = rights;
  auto first = group->open_lane();
  if (!first) return fail(first.error());
  if (const auto bound = local_address((*first)->fd.get())) group->bound_ = *bound;
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
  if (found == lanes_.end()) found = fullest_orphan(lanes_);
  Lane* lane = found == lanes_.end() ? nullptr : &*found;
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
  if (lane->state != LaneState::leaving)
    lane->state = admitted_.contains(user) ? LaneState::serving : LaneState::starting;
  steer();
  return lane;
}

Lane* LaneGroup::find(ino_t inode) {
  const auto found = std::ranges::find(lanes_, inode, &Lane::inode);
  return found == lanes_.end() ? nullptr : &*found;
}

Result<void> LaneGroup::listen(Lane& lane) {
  if (lane.listening) return {};
  if (auto started = start_listening(lane.fd.get()); !started) return started;
  lane.listening = true;
  if (!steering_) return {};
  if (auto joined = steering_->listening(lane.fd.get()); !joined) return joined;
  steer();
  return {};
}

template <class Visit>
void LaneGroup::each_of(InstanceKey user, Visit visit) {
  for (Lane& lane : lanes_) {
    if (lane.owner == user) visit(lane);
  }
}

void LaneGroup::admit(InstanceKey user) {
  if (!steering_) return;
  admitted_.insert(user);
  each_of(user, [](Lane& lane) { lane.state = LaneState::serving; });
  steer();
  // What has waited for one that has died need not wait until it is there again.
  for (Lane& lane : lanes_) {
    if (lane.state == LaneState::lost) move_queue(lane);
  }
  close_spare();
}

void LaneGroup::withdraw(InstanceKey user, bool app_stays) {
  if (!steering_ || !steers(user)) return;
  closing_ = !app_stays;
  admitted_.erase(user);
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
  admitted_.erase(user);
  each_of(user, [](Lane& lane) {
    if (lane.state != LaneState::leaving) lane.state = LaneState::lost;
  });
  steer();
  each_of(user, [this](Lane& lane) { move_queue(lane); });
}

bool LaneGroup::serves_beside(const Lane& lane) const {
  return std::ranges::any_of(lanes_, [&](const Lane& other) {
    return &other != &lane && other.listening && other.state == LaneState::serving;
  });
}

// A listener that stops listening gives its queue to the others of the group, if the steering lets it; handshakes
// that are under way follow when they end, so it stays like that until its next owner listens.
void LaneGroup::move_queue(Lane& lane) {
  if (!steering_->migrates() || !lane.listening || !serves_beside(lane)) return;
  lane.listening = false;
  stop_listening(lane.fd.get());
}

void LaneGroup::forget(InstanceKey user) {
  users_.erase(user);
  admitted_.erase(user);
  weights_.erase(user);
  if (!steering_) return;
  each_of(user, [](Lane& lane) {
    lane.owner.reset();
    lane.state = LaneState::orphan;
  });
  close_spare();
  steer();
}

// A lane that nobody has is kept only for what waits in it, or as the place to wait when nobody serves.
void LaneGroup::close_spare() {
  std::erase_if(lanes_, [this](const Lane& lane) {
    if (lane.owner || !serves_beside(lane)) return false;
    if (lane.listening && !steering_->migrates() && accept_queue_length(lane.fd.get()) > 0) return false;
    steering_->remove(lane.fd.get());
    return true;
  });
}

void LaneGroup::set_weight(InstanceKey user, unsigned weight) {
  weights_[user] = weight;
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
  for (const std::size_t index : choose_lanes(views)) {
    const Lane& lane = *lanes[index];
    const auto weight = lane.owner ? weights_.find(*lane.owner) : weights_.end();
    shares.push_back({lane.fd.get(), weight == weights_.end() ? 1 : weight->second});
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
