#include "daemon/dependency_gate.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/post.hpp>

#include "daemon/core/seconds_text.h"
#include "daemon/core/start_order.h"
#include "daemon/core/verdict.h"

namespace clusterd {
namespace {

AppKey key_of(const std::string& full_name) {
  const std::size_t colon = full_name.find(':');
  return {full_name.substr(0, colon), full_name.substr(colon + 1)};
}

// Why the app is not ready; empty: it is.
std::string obstacle_at(const std::string& name, const App* app) {
  if (app == nullptr || app->deleted) return name + ", which is not known";
  if (!app->waits_for.empty()) return name + ", which waits itself";
  if (!is_wanted_up(*app)) return name + ", which is stopped";
  const std::vector<SlotVerdict> verdicts = judge_slots(app->wanted, seen_of(*app));
  for (std::size_t slot = 0; slot < verdicts.size(); ++slot) {
    const SlotState state = verdicts[slot].state;
    const bool ended_badly =
        state == SlotState::finished && !finished_well(*app, static_cast<int>(slot), app->spec());
    if (state == SlotState::failed || ended_badly) return name + ", which has failed";
    if (state == SlotState::pending) return name;
  }
  return {};
}

}  // namespace

DependencyGate::DependencyGate(boost::asio::io_context& io, Supervisor& supervisor, Waiters& waiters)
    : io_(io), supervisor_(supervisor), waiters_(waiters) {}

std::string DependencyGate::obstacle(const App& app) const {
  for (const std::string& full : dependencies_of(app.spec())) {
    const AppKey key = key_of(full);
    const auto& apps = supervisor_.apps();
    const auto found = apps.find(key);
    const std::string name = key.name_space == app.key.name_space ? key.name : full;
    const std::string why = obstacle_at(name, found == apps.end() ? nullptr : &found->second);
    if (!why.empty()) return why;
  }
  return {};
}

void DependencyGate::start(App& app, std::vector<int> slots, DoneHandler done, ProgressHandler progress) {
  const bool runs =
      std::ranges::any_of(app.instances, [](const Instance& one) { return has_process(one.phase); });
  const std::string why = runs ? "" : obstacle(app);
  if (why.empty()) return begin(app, slots, std::move(done), std::move(progress));
  hold(app, std::move(slots), why, std::move(done), std::move(progress));
}

void DependencyGate::begin(App& app, const std::vector<int>& slots, DoneHandler done,
                           ProgressHandler progress) {
  held_.erase(app.key);
  supervisor_.start(app, slots);
  waiters_.until_up(app, slots, std::move(done), std::move(progress));
}

void DependencyGate::hold(App& app, std::vector<int> slots, const std::string& why, DoneHandler done,
                          ProgressHandler progress) {
  if (const auto before = held_.find(app.key); before != held_.end() && before->second.done) {
    before->second.done({Error{ErrorCode::failed, app.key.name + ": another start took its place"}, {}});
  }
  supervisor_.hold(app, why);
  spdlog::info("{}: waits for {}", app.key.name, why);
  progress({app.key, app.key.name + ": waits for " + why, 0, 0});
  Held& held = held_[app.key];
  held = {std::move(slots), std::move(done), std::move(progress),
          std::make_unique<boost::asio::steady_timer>(io_)};
  held.timer->expires_after(app.spec().depends_timeout);
  held.timer->async_wait([this, key = app.key](const boost::system::error_code& error) {
    if (!error) give_up(key);
  });
}

// The command's patience is over, not the app's.
void DependencyGate::give_up(const AppKey& key) {
  const auto held = held_.find(key);
  const App* app = supervisor_.find(key);
  if (held == held_.end() || app == nullptr) return;
  const std::string message = key.name + ": still waits for " + app->waits_for + " after " +
                              seconds_text(app->spec().depends_timeout) +
                              " (depends_timeout); it is started when that is ready";
  spdlog::warn("{}", message);
  if (auto done = std::exchange(held->second.done, nullptr)) done({Error{ErrorCode::failed, message}, {}});
}

void DependencyGate::app_changed(const App&) { look_soon(); }

void DependencyGate::look_soon() {
  if (held_.empty() || std::exchange(look_scheduled_, true)) return;
  boost::asio::post(io_, [this] {
    look_scheduled_ = false;
    look();
  });
}

void DependencyGate::app_removed(const AppKey& app) {
  auto node = held_.extract(app);
  if (!node.empty() && node.mapped().done)
    node.mapped().done({Error{ErrorCode::failed, app.name + ": deleted meanwhile"}, {}});
  look_soon();
}

void DependencyGate::look() {
  std::vector<AppKey> keys;
  for (const auto& [key, held] : held_) keys.push_back(key);
  for (const AppKey& key : keys) {
    App* app = supervisor_.find(key);
    const auto entry = held_.find(key);
    if (app == nullptr || entry == held_.end()) continue;
    if (app->waits_for.empty()) {  // started or stopped by name
      auto done = std::move(entry->second.done);
      held_.erase(entry);
      if (done) done({Error{ErrorCode::failed, key.name + ": another command took its place"}, {}});
      continue;
    }
    const std::string why = obstacle(*app);
    if (!why.empty()) {
      supervisor_.hold(*app, why);
      continue;
    }
    Held held = std::move(entry->second);
    if (!held.done) held.done = [](const Outcome&) {};
    begin(*app, held.slots, std::move(held.done), std::move(held.progress));
  }
  supervisor_.pump();
}

void DependencyGate::stop() { held_.clear(); }

}  // namespace clusterd
