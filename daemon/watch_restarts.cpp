#include "daemon/watch_restarts.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <nlohmann/json.hpp>

#include "common/path_text.h"
#include "daemon/clock.h"
#include "daemon/log_paths.h"
#include "daemon/unasked_restart.h"

namespace clusterd {
namespace {

using nlohmann::json;

constexpr std::chrono::microseconds kScanSlice{2'000};

}  // namespace

WatchRestarts::WatchRestarts(boost::asio::io_context& io, Supervisor& supervisor, Rollouts& rollouts,
                             HomePaths home)
    : io_(io), supervisor_(supervisor), rollouts_(rollouts), home_(std::move(home)), timer_(io) {}

void WatchRestarts::update(const App& app) {
  const AppSpec& spec = app.spec();
  if (!spec.watch.on || app.deleted || !is_wanted_up(app)) return forget(app.key);
  const auto known = entries_.find(app.key);
  const bool same = known != entries_.end() && known->second.rule == spec.watch &&
                    known->second.cwd == spec.cwd && known->second.slots >= app.slots.size();
  if (same) return arm();  // a rollout may have ended
  Entry& entry = entries_[app.key];
  if (entry.owner == 0) entry.owner = next_owner_++;
  entry.rule = spec.watch;
  entry.cwd = spec.cwd;
  entry.slots = app.slots.size();
  entry.filter = filter_of(app);
  if (!open()) return report_faults();
  tree_->add(entry.owner, entry.filter->roots(),
             [filter = entry.filter](const std::string& folder) { return filter->enters(folder); });
  scan_later();
}

// Also what rotation makes of a log's name counts as the log.
std::shared_ptr<const WatchFilter> WatchRestarts::filter_of(const App& app) const {
  const AppSpec& spec = app.spec();
  std::vector<std::string> own{home_.home + "/"};
  for (std::size_t slot = 0; slot < app.slots.size(); ++slot) {
    const InstancePaths paths = instance_paths(home_, spec, static_cast<int>(slot), app.slots[slot].id);
    own.insert(own.end(), {paths.out_file, paths.error_file, paths.pid_file});
  }
  const std::vector<std::string> cwd{spec.cwd};
  return std::make_shared<const WatchFilter>(spec.watch.paths.empty() ? cwd : spec.watch.paths,
                                             spec.watch.ignored, std::move(own));
}

bool WatchRestarts::open() {
  if (tree_) return true;
  auto tree = TreeWatch::create();
  if (!tree) {
    fault_ = tree.error().message;
    return false;
  }
  fault_.clear();
  tree_.emplace(std::move(*tree));
  watcher_ = FdWatcher(io_, tree_->fd(), [this] { hear(); });
  return true;
}

void WatchRestarts::forget(const AppKey& app) {
  const auto known = entries_.find(app);
  if (known == entries_.end()) return;
  if (tree_) tree_->remove(known->second.owner);
  entries_.erase(known);
  if (entries_.empty()) stop();
}

void WatchRestarts::stop() {
  entries_.clear();
  timer_.cancel();
  watcher_.stop();
  tree_.reset();
}

void WatchRestarts::scan_later() {
  if (std::exchange(scan_scheduled_, true)) return;
  boost::asio::post(io_, [this, alive = std::weak_ptr<int>(alive_)] {
    if (alive.expired()) return;
    scan_scheduled_ = false;
    if (!tree_) return;
    if (tree_->scan(kScanSlice)) return scan_later();
    report_faults();
  });
}

void WatchRestarts::hear() {
  const Milliseconds now = monotonic_now();
  for (const TreeWatch::Change& change : tree_->read()) {
    const auto entry =
        std::ranges::find_if(entries_, [&](const auto& one) { return one.second.owner == change.owner; });
    if (entry == entries_.end() || !entry->second.filter->counts(change.path)) continue;
    const std::string_view inside = std::string_view(change.path).starts_with(entry->second.cwd + "/")
                                        ? std::string_view(change.path).substr(entry->second.cwd.size() + 1)
                                        : change.path;
    entry->second.pace.note_change(std::string(inside), now);
  }
  if (tree_->must_scan()) scan_later();
  arm();
}

// Once for each that is new: a limit of the system is no reason for a line a minute.
void WatchRestarts::report_faults() {
  for (auto& [key, entry] : entries_) {
    const std::string fault = tree_ ? tree_->state(entry.owner).fault : fault_;
    if (!fault.empty() && fault != entry.said) spdlog::warn("{}: watch: {}", key.name, fault);
    entry.said = fault;
  }
}

void WatchRestarts::arm() {
  std::optional<Pause> next;
  for (const auto& [key, entry] : entries_) {
    const App* app = supervisor_.find(key);
    if (app == nullptr || app->rollout) continue;  // its end comes here
    const auto due = entry.pace.due(entry.rule.delay);
    if (due) next = std::min(next.value_or(*due), *due);
  }
  if (!next) {
    timer_.cancel();
    return;
  }
  timer_.expires_after(std::max(Pause{0}, *next - monotonic_now()));
  timer_.async_wait([this, alive = std::weak_ptr<int>(alive_)](const boost::system::error_code& error) {
    if (!error && !alive.expired()) act();
  });
}

void WatchRestarts::act() {
  const Milliseconds now = monotonic_now();
  std::vector<AppKey> due;
  for (const auto& [key, entry] : entries_) {
    const auto at = entry.pace.due(entry.rule.delay);
    if (at && *at <= now) due.push_back(key);
  }
  for (const AppKey& key : due) {
    App* app = supervisor_.find(key);
    const auto entry = entries_.find(key);
    if (app == nullptr || entry == entries_.end() || app->rollout) continue;
    restart(*app, entry->second);
  }
  if (!due.empty()) supervisor_.pump();
  arm();
}

void WatchRestarts::restart(App& app, Entry& entry) {
  const std::string what = entry.pace.take(monotonic_now());
  if (entry.pace.held_back()) {
    spdlog::warn(
        "{}: watch: restart after restart, now because {}: does the app write there itself? The next one "
        "is held back for {} s; ignore_watch leaves files out",
        app.key.name, what, entry.pace.pause().count() / 1'000);
  }
  restart_unasked(supervisor_, rollouts_, app, "watch: " + what);
}

json WatchRestarts::view(const App& app) const {
  const auto known = entries_.find(app.key);
  if (known == entries_.end()) return nullptr;
  if (!tree_) return {{"folders", 0}, {"complete", false}, {"fault", fault_}};
  const TreeWatch::State state = tree_->state(known->second.owner);
  return {{"folders", state.folders},
          {"complete", state.complete},
          {"fault", state.fault.empty() ? json(nullptr) : json(state.fault)}};
}

}  // namespace clusterd
