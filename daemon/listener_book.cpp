#include "daemon/listener_book.h"

#include <algorithm>
#include <cerrno>

#include "daemon/listen_errno.h"

namespace clusterd {
namespace {

CallVerdict refuse(int error, std::string note) {
  return {CallVerdict::Kind::refuse, -1, error, std::move(note)};
}

}  // namespace

const ListenerBook::Groups* ListenerBook::groups(const AppKey& app) const {
  const auto entry = apps_.find(app);
  return entry == apps_.end() ? nullptr : &entry->second;
}

template <class Predicate>
LaneGroup* ListenerBook::find_if(const AppKey& app, Predicate predicate) const {
  const Groups* of_app = groups(app);
  if (of_app == nullptr) return nullptr;
  const auto found = std::ranges::find_if(*of_app, [&](const auto& group) { return predicate(*group); });
  return found == of_app->end() ? nullptr : found->get();
}

LaneGroup* ListenerBook::find(const AppKey& app, const ListenAddress& address) const {
  return find_if(app, [&](const LaneGroup& group) { return group.matches(address); });
}

LaneGroup* ListenerBook::find_port(const AppKey& app, std::uint16_t port) const {
  return find_if(app, [&](const LaneGroup& group) { return group.bound().port == port; });
}

// It is open, or the operator has ordered it to be taken over.
bool ListenerBook::holds(const AppKey& app, const ListenAddress& address) const {
  return find(app, address) != nullptr || (pool_ != nullptr && pool_->has(app, address));
}

const AppKey* ListenerBook::owner_of(const ListenAddress& address) const {
  for (const auto& [key, groups] : apps_) {
    if (std::ranges::any_of(groups, [&](const auto& group) { return group->matches(address); })) return &key;
  }
  return nullptr;
}

Result<LaneGroup*> ListenerBook::find_or_open(const AppKey& app, Balance balance,
                                              const ListenAddress& address, const SocketRights& rights) {
  if (LaneGroup* known = find(app, address)) return known;
  if (const AppKey* owner = owner_of(address)) {
    return fail(ErrorCode::conflict, to_string(address) + " belongs to the app '" + owner->name + "'");
  }
  if (UniqueFd taken = pool_ != nullptr ? pool_->take_out(app, address) : UniqueFd()) {
    return apps_[app].emplace_back(LaneGroup::take_over(balancing_, address, std::move(taken))).get();
  }
  auto opened = LaneGroup::open(balancing_, balance, address, rights);
  if (!opened) return fail(opened.error());
  return apps_[app].emplace_back(std::move(*opened)).get();
}

Result<Lane*> ListenerBook::lane_of(LaneGroup& group, InstanceKey user) {
  auto lane = group.lane_for(user);
  if (lane && admitted_.contains(user)) group.admit(user);
  if (group.unsettled()) unsettled_();
  return lane;
}

Result<std::vector<int>> ListenerBook::declare(const AppKey& app, InstanceKey user, const AppSpec& spec) {
  std::vector<int> descriptors;
  for (const ListenEntry& entry : spec.listen) {
    auto group = find_or_open(app, spec.balance, entry.address, entry.rights);
    if (!group) return fail(group.error());
    if (auto declared = (*group)->declare(entry.rights); !declared) return fail(declared.error());
    auto lane = lane_of(**group, user);
    if (!lane) return fail(lane.error());
    if (auto started = (*group)->listen(**lane); !started) return fail(started.error());
    descriptors.push_back((*lane)->fd.get());
  }
  return descriptors;
}

CallVerdict ListenerBook::on_bind(const AppKey& app, InstanceKey user, Balance balance,
                                  const SocketCall& call, const std::function<std::vector<pid_t>()>& tree) {
  if (!call.address) return {};
  // The daemon may be privileged where the program is not: it lends nobody a port below 1024.
  if (!call.privileged_port_allowed && !holds(app, *call.address)) {
    return refuse(EACCES, to_string(*call.address) + ": this port needs CAP_NET_BIND_SERVICE or `listen`");
  }
  auto group = find_or_open(app, balance, *call.address);
  if (!group) return refuse(listen_errno(group.error()), group.error().message);
  const bool again = (*group)->users().contains(user);
  auto lane = lane_of(**group, user);
  if (!lane) return refuse(listen_errno(lane.error()), lane.error().message);
  if (again && !call.reuse_port && !(*group)->declared() && tree_holds_socket(tree(), (*lane)->inode)) {
    return refuse(EADDRINUSE, to_string(*call.address) + " is already bound by this instance");
  }
  return {CallVerdict::Kind::substitute, (*lane)->fd.get(), 0, {}};
}

CallVerdict ListenerBook::on_listen(const AppKey& app, const SocketCall& call) {
  const Groups* groups_of_app = groups(app);
  if (groups_of_app == nullptr || call.socket_inode == 0) return {};
  for (const auto& group : *groups_of_app) {
    Lane* lane = group->find(call.socket_inode);
    if (lane == nullptr) continue;
    if (auto started = group->listen(*lane); !started) {
      return refuse(listen_errno(started.error()), started.error().message);
    }
    return {CallVerdict::Kind::succeed, -1, 0, {}};
  }
  return {};
}

Result<int> ListenerBook::hand_out(const AppKey& app, InstanceKey user, Balance balance,
                                   const ListenAddress& address) {
  auto group = find_or_open(app, balance, address);
  if (!group) return fail(group.error());
  auto lane = lane_of(**group, user);
  if (!lane) return fail(lane.error());
  return (*lane)->fd.get();
}

Result<void> ListenerBook::listening(const AppKey& app, InstanceKey user, const ListenAddress& address) {
  LaneGroup* group = find(app, address);
  if (group == nullptr) return fail(ErrorCode::not_found, to_string(address) + " is not open");
  auto lane = lane_of(*group, user);
  if (!lane) return fail(lane.error());
  return group->listen(**lane);
}

template <class Visit>
void ListenerBook::each(const AppKey& app, Visit visit) {
  const auto entry = apps_.find(app);
  if (entry == apps_.end()) return;
  bool unsettled = false;
  for (const auto& group : entry->second) {
    visit(*group);
    unsettled |= group->unsettled();
  }
  if (unsettled) unsettled_();
}

void ListenerBook::settle() {
  bool unsettled = false;
  for (const auto& [app, groups] : apps_) {
    for (const auto& group : groups) {
      group->settle();
      unsettled |= group->unsettled();
    }
  }
  if (unsettled) unsettled_();
}

void ListenerBook::admit(const AppKey& app, InstanceKey user) {
  admitted_.insert(user);
  each(app, [&](LaneGroup& group) { group.admit(user); });
}

void ListenerBook::set_share(const AppKey& app, InstanceKey user, unsigned permille) {
  each(app, [&](LaneGroup& group) { group.set_share(user, permille); });
}

void ListenerBook::withdraw(const AppKey& app, InstanceKey user, bool app_stays) {
  admitted_.erase(user);
  each(app, [&](LaneGroup& group) { group.withdraw(user, app_stays); });
}

void ListenerBook::lost(const AppKey& app, InstanceKey user) {
  admitted_.erase(user);
  each(app, [&](LaneGroup& group) { group.lost(user); });
}

void ListenerBook::forget(const AppKey& app, InstanceKey user) {
  admitted_.erase(user);
  each(app, [&](LaneGroup& group) { group.forget(user); });
}

void ListenerBook::end_life(const AppKey& app, InstanceKey user) {
  each(app, [&](LaneGroup& group) { group.end_life(user); });
}

bool ListenerBook::steers(const AppKey& app, InstanceKey user) const {
  return find_if(app, [&](const LaneGroup& group) { return group.steers(user); }) != nullptr;
}

LaneLoad ListenerBook::load_of(const AppKey& app, InstanceKey user) const {
  LaneLoad sum;
  const Groups* of_app = groups(app);
  if (of_app == nullptr) return sum;
  for (const auto& group : *of_app) {
    const LaneLoad load = group->load_of(user);
    sum.queued += load.queued;
    sum.handshakes += load.handshakes;
    sum.total += load.total;
    sum.counted |= load.counted;
    if (load.open) sum.open = sum.open.value_or(0) + *load.open;
  }
  return sum;
}

std::vector<std::uint16_t> ListenerBook::ports(const AppKey& app) const {
  std::vector<std::uint16_t> ports;
  const Groups* of_app = groups(app);
  if (of_app == nullptr) return ports;
  for (const auto& group : *of_app) {
    if (group->bound().port != 0) ports.push_back(group->bound().port);
  }
  return ports;
}

void ListenerBook::repair(const Found& found) {
  for (const int listener : balancing_.guard().wronged()) {
    for (const auto& [app, groups] : apps_) {
      for (const auto& group : groups) {
        if (const auto repair = group->repair(listener)) found(app, *repair);
      }
    }
  }
}

void ListenerBook::inspect(const AppKey& app, const Found& found) {
  each(app, [&](LaneGroup& group) {
    for (const Repair& repair : group.inspect()) found(app, repair);
  });
}

void ListenerBook::close_app(const AppKey& app) {
  apps_.erase(app);
  if (pool_ != nullptr) pool_->drop(app);
}

void ListenerBook::rebalance(const AppKey& app, Balance balance) {
  each(app, [&](LaneGroup& group) { group.rebalance(balance); });
}

void ListenerBook::close_unused(const AppKey& app, std::span<const ListenEntry> declared) {
  const auto entry = apps_.find(app);
  if (entry == apps_.end()) return;
  std::erase_if(entry->second, [&](const auto& group) {
    const bool wanted =
        std::ranges::any_of(declared, [&](const ListenEntry& one) { return group->matches(one.address); });
    return !wanted && group->users().empty();
  });
}

}  // namespace clusterd
