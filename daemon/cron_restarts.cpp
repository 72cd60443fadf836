#include "daemon/cron_restarts.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "daemon/clock.h"
#include "daemon/cron_zone.h"
#include "daemon/unasked_restart.h"

namespace clusterd {
namespace {

using nlohmann::json;

constexpr int kTimesShown = 5;

std::int64_t wall_seconds() { return wall_now_ms() / 1'000; }

bool skips_overlap(const AppSpec& spec) {
  const CronOverlap by_default = spec.autorestart ? CronOverlap::restart : CronOverlap::skip;
  return spec.cron.overlap.value_or(by_default) == CronOverlap::skip;
}

bool runs(const App& app) {
  return std::ranges::any_of(app.instances, [](const Instance& one) { return has_process(one.phase); });
}

}  // namespace

CronRestarts::CronRestarts(boost::asio::io_context& io, Supervisor& supervisor, Rollouts& rollouts)
    : io_(io), supervisor_(supervisor), rollouts_(rollouts) {}

void CronRestarts::update(const App& app) {
  const AppSpec& spec = app.spec();
  if (spec.cron.pattern.empty() || app.deleted || !is_wanted_up(app)) return forget(app.key);
  const std::string zone_name = cron_zone_name(spec);
  const auto known = entries_.find(app.key);
  const bool same =
      known != entries_.end() && known->second.rule == spec.cron && known->second.zone_name == zone_name;
  if (same) return;
  auto pattern = CronPattern::parse(spec.cron.pattern);
  if (!pattern) return forget(app.key);  // config has refused it already
  Entry entry{spec.cron, zone_name, cron_zone(zone_name, app.key.name), CronSchedule(*pattern)};
  entry.schedule.wake(*entry.zone, wall_seconds());
  entries_.insert_or_assign(app.key, std::move(entry));
  arm();
}

void CronRestarts::forget(const AppKey& app) {
  if (entries_.erase(app) > 0) arm();
}

void CronRestarts::stop() {
  entries_.clear();
  watcher_.stop();
  timer_.reset();
}

void CronRestarts::arm() {
  std::optional<std::int64_t> next;
  for (const auto& [key, entry] : entries_) {
    const auto due = entry.schedule.due();
    if (due) next = std::min(next.value_or(*due), *due);
  }
  if (!timer_ && next) {
    auto timer = WallTimer::create();
    if (!timer) return spdlog::error("no app is restarted by its cron pattern: {}", timer.error().message);
    timer_ = std::move(*timer);
    watcher_ = FdWatcher(io_, timer_->fd(), [this] { wake(); });
  }
  if (timer_) timer_->set(next);
}

void CronRestarts::wake() {
  timer_->read();
  const std::int64_t now = wall_seconds();
  std::vector<AppKey> due;
  for (auto& [key, entry] : entries_) {
    if (entry.schedule.wake(*entry.zone, now)) due.push_back(key);
  }
  for (const AppKey& key : due) {
    App* app = supervisor_.find(key);
    if (app != nullptr && !app->deleted && is_wanted_up(*app)) fire(*app, entries_.at(key));
  }
  arm();
  if (!due.empty()) supervisor_.pump();
}

void CronRestarts::fire(App& app, const Entry& entry) {
  if (skips_overlap(app.spec()) && runs(app))
    return spdlog::warn("{}: cron: it still runs; this time is left out", app.key.name);
  restart_unasked(supervisor_, rollouts_, app, "cron: " + entry.rule.pattern);
}

json CronRestarts::view(const App& app) const {
  const auto known = entries_.find(app.key);
  if (known == entries_.end()) return nullptr;
  const Entry& entry = known->second;
  json next = json::array();
  std::optional<std::int64_t> at = entry.schedule.due();
  for (int i = 0; i < kTimesShown && at; ++i) {
    next.push_back(entry.zone->iso_text(*at));
    at = next_fire(entry.schedule.pattern(), *entry.zone, *at);
  }
  return {{"pattern", entry.rule.pattern}, {"time_zone", entry.zone->name()}, {"next", std::move(next)}};
}

}  // namespace clusterd
