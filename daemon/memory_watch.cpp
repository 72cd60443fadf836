#include "daemon/memory_watch.h"

#include "daemon/system/tree_memory.h"

namespace clusterd {

MemoryWatch::MemoryWatch(boost::asio::io_context& io, Supervisor& supervisor, const ProcessHost& host)
    : supervisor_(supervisor), host_(host), timer_(io) {}

void MemoryWatch::update(const App& app) {
  const bool watched = app.spec().max_memory_restart && !app.deleted && is_wanted_up(app);
  if (!watched) return forget(app.key);
  apps_.insert(app.key);
  if (!waiting_) wait();
}

void MemoryWatch::forget(const AppKey& app) {
  if (apps_.erase(app) == 0) return;
  std::erase_if(records_, [&](const auto& one) { return one.first.first == app; });
  if (apps_.empty()) stop();
}

void MemoryWatch::stop() {
  apps_.clear();
  records_.clear();
  waiting_ = false;
  timer_.cancel();
}

void MemoryWatch::wait() {
  waiting_ = true;
  timer_.expires_after(kMemoryInterval);
  timer_.async_wait([this, alive = std::weak_ptr<int>(alive_)](const boost::system::error_code& error) {
    if (!error && !alive.expired() && waiting_) look();
  });
}

void MemoryWatch::look() {
  for (const AppKey& key : apps_) {
    if (App* app = supervisor_.find(key)) look_at(*app);
  }
  wait();
  supervisor_.pump();
}

void MemoryWatch::look_at(App& app) {
  if (app.rollout) return;  // everything is being replaced anyway
  for (const Instance& instance : app.instances) {
    const auto used = excess(instance);
    if (!used) continue;
    MemoryRecord& record = records_[{app.key, instance.slot}];
    const Milliseconds lived = host_.now().monotonic - instance.started_at;
    if (lived < memory_patience(record)) continue;
    if (!supervisor_.replace(app, instance.slot, memory_reason(*used, *instance.spec->max_memory_restart)))
      continue;
    note_replacement(record, lived);
  }
}

std::optional<std::uint64_t> MemoryWatch::excess(const Instance& instance) const {
  const auto& limit = instance.spec->max_memory_restart;
  if (!limit || instance.phase != Phase::online || instance.goal == Goal::down) return std::nullopt;
  const std::vector<pid_t> tree = host_.tree_of(instance.key);
  const auto resident = resident_memory(tree);
  if (!may_exceed(*limit, resident)) return std::nullopt;
  const auto proportional = proportional_memory(tree);
  if (!exceeds(*limit, resident, proportional)) return std::nullopt;
  return proportional ? proportional : resident;
}

}  // namespace clusterd
