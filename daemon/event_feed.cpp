#include "daemon/event_feed.h"

#include <nlohmann/json.hpp>

#include "daemon/clock.h"
#include "daemon/core/process_event.h"
#include "daemon/views.h"

namespace clusterd {
namespace {

using nlohmann::json;

json process_of(const App& app, const Instance& instance) {
  const auto slot = static_cast<std::size_t>(instance.slot);
  const SlotRecord* record = slot < app.slots.size() ? &app.slots[slot] : nullptr;
  return {{"name", app.key.name},
          {"namespace", app.key.name_space},
          {"pm_id", record != nullptr ? json(record->id) : json(nullptr)},
          {"slot", instance.slot},
          {"pid", instance.pid ? json(*instance.pid) : json(nullptr)},
          {"status", phase_status(instance.phase)},
          {"restart_time", record != nullptr ? record->restarts : 0},
          {"generation", instance.generation}};
}

}  // namespace

struct EventFeed::Follower {
  Reply reply;
  std::set<AppKey> apps;
  std::int64_t missed = 0;

  void tell(std::string_view topic, const json& fields) {
    if (missed > 0 && reply->offer("dropped", {{"events", missed}})) missed = 0;
    if (missed > 0 || !reply->offer(topic, fields)) ++missed;
  }
};

void EventFeed::follow(const Reply& reply, std::set<AppKey> apps) {
  auto follower = std::make_shared<Follower>(Follower{reply, std::move(apps)});
  followers_.push_back(follower);
  reply->on_close([this, raw = follower.get()] {
    followers_.remove_if([&](const auto& one) { return one.get() == raw; });
  });
}

void EventFeed::tell(const AppKey& app, std::string_view topic, const json& fields) {
  for (const auto& follower : followers_) {
    if (follower->apps.empty() || follower->apps.contains(app)) follower->tell(topic, fields);
  }
}

void EventFeed::instance_moved(const App& app, const Instance& instance, Phase from) {
  if (followers_.empty()) return;
  const auto slot = static_cast<std::size_t>(instance.slot);
  const LifeStep step{from, instance.phase, slot < app.slots.size() && app.slots[slot].launches > 1};
  for (const ProcessEvent event : process_events(step)) {
    json fields{{"name", event_name(event)},
                {"at", wall_now_ms()},
                {"manually", instance.goal == Goal::down},
                {"process", process_of(app, instance)},
                {"reason", instance.reason.empty() ? json(nullptr) : json(instance.reason)}};
    if (event == ProcessEvent::exit && slot < app.slots.size())
      fields["exit"] = exit_view(app.slots[slot].last_exit);
    tell(app.key, "process:event", fields);
  }
}

void EventFeed::app_removed(const AppKey& key) {
  tell(key, "app:event",
       {{"name", "delete"}, {"at", wall_now_ms()}, {"app", key.name}, {"namespace", key.name_space}});
}

void EventFeed::rollout_ended(const App& app, Generation target, const Result<>& outcome) {
  tell(app.key, "app:event",
       {{"name", outcome ? "reload" : "reload failed"},
        {"at", wall_now_ms()},
        {"app", app.key.name},
        {"namespace", app.key.name_space},
        {"generation", target},
        {"reason", outcome ? json(nullptr) : json(outcome.error().message)}});
}

}  // namespace clusterd
