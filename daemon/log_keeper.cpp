#include "daemon/log_keeper.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/post.hpp>

#include "common/local_time.h"
#include "daemon/clock.h"
#include "daemon/cron_zone.h"
#include "daemon/system/directories.h"

namespace clusterd {
namespace {

constexpr std::int64_t kSecondMs = 1'000;
constexpr std::int64_t kTickMaxMs = 60'000;   // clocks are set, machines sleep
constexpr std::int64_t kBrakeTickMs = 2'000;  // how late the brake knows of what others wrote and deleted
// Above this part of the limit the oldest rotated files go, so that there is room for new output.
constexpr std::uint64_t kBrakePercent = 90;
constexpr int kNameAttemptsMax = 10'000;  // rotations within one second

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string without_final_slash(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

RotatedFile rotated_file(const std::string& folder, const LogFolderEntry& entry) {
  return {folder + "/" + entry.name, entry.size, entry.modified_ms};
}

// What all logs take, and what of it could be deleted.
struct Usage {
  std::uint64_t bytes = 0;
  std::vector<RotatedFile> rotated;
};

void add_folder(const std::string& path, Usage& usage) {
  const auto folder = LogFolder::open(path);
  if (!folder) return;
  folder->each_file([&](const LogFolderEntry& entry) {
    usage.bytes += entry.size;
    if (is_rotated_name(entry.name, "")) usage.rotated.push_back(rotated_file(path, entry));
  });
}

}  // namespace

LogKeeper::LogKeeper(boost::asio::io_context& io, LogHub& hub, LogLimits limits)
    : io_(io),
      hub_(hub),
      limits_(std::move(limits)),
      timer_(io),
      alive_(std::make_shared<LogKeeper*>(this)),
      compressor_(
          [&io, weak = std::weak_ptr(alive_)](const Compressor::Job& job, const std::string& trouble) {
            boost::asio::post(io, [weak, job, trouble] {
              if (weak.expired() || trouble.empty()) return;
              spdlog::warn("cannot compress {}/{}: {}", job.folder, job.name, trouble);
            });
          }) {
  limits_.folder = without_final_slash(limits_.folder);
  if (!limits_.total_max) return;
  brake();
  arm();
}

LogKeeper::~LogKeeper() = default;

void LogKeeper::stop() {
  stopped_ = true;
  timer_.cancel();
}

void LogKeeper::keep(const std::shared_ptr<LogFile>& file, const std::optional<LogRotation>& rotation,
                     const std::string& zone) {
  const std::string& path = file->path();
  const auto known = kept_.find(path);
  if (!rotation) {
    if (known == kept_.end()) return;
    file->set_rotation(0, nullptr);
    kept_.erase(known);
    return;
  }
  Kept& kept = kept_[path];
  if (kept.file.lock() == file && kept.rotation == *rotation && kept.zone_name == zone) return;
  kept.file = file;
  kept.rotation = *rotation;
  kept.zone_name = zone;
  kept.zone = cron_zone(zone, path);
  kept.schedule.reset();
  if (const auto pattern = rotation_pattern(*rotation)) {
    kept.schedule.emplace(*pattern);
    const std::int64_t written = file->size() > 0 ? file->modified_ms() : wall_now_ms();
    kept.schedule->wake(*kept.zone, written / kSecondMs);
  }
  file->set_rotation(rotation->size, [this, path](MonotonicTime now) { return move_aside(path, now); });
  sweep_soon(path);
  if (!kept.schedule && rotation->age.count() == 0) return;
  rotate_due_files();
  armed_ = false;  // it may be due before the others
  arm();
}

bool LogKeeper::move_aside(const std::string& path, MonotonicTime) {
  const auto kept = kept_.find(path);
  const auto file = kept == kept_.end() ? nullptr : kept->second.file.lock();
  if (!file) return false;
  const LocalTime now = local_time(wall_now_ms());
  const std::string name = rotated_name(name_of(path), now, 1);
  if (std::exchange(kept->second.last_name, name) != name) kept->second.last_number = 0;
  for (int attempt = 0; attempt < kNameAttemptsMax; ++attempt) {
    const auto moved = file->move_to(rotated_name(name_of(path), now, ++kept->second.last_number));
    if (moved) break;
    if (moved.error().code == ErrorCode::conflict) continue;
    spdlog::warn("{}; the file grows on, the next attempt is in a minute", moved.error().message);
    return false;
  }
  sweep_soon(path);
  return true;
}

std::string LogKeeper::next_name(const std::string& path, const LocalTime& now) const {
  const std::string first = rotated_name(name_of(path), now, 1);
  const auto kept = kept_.find(path);
  const bool same_second = kept != kept_.end() && kept->second.last_name == first;
  return same_second ? rotated_name(name_of(path), now, kept->second.last_number + 1) : first;
}

void LogKeeper::sweep_soon(const std::string& path) {
  if (stopped_ || !sweeps_.insert(path).second) return;
  boost::asio::post(io_, [this, path, weak = std::weak_ptr(alive_)] {
    if (weak.expired()) return;
    sweeps_.erase(path);
    sweep(path);
  });
}

void LogKeeper::sweep(const std::string& path) {
  const auto kept = kept_.find(path);
  const std::string folder_path = parent_directory(path);
  const auto folder = LogFolder::open(folder_path);
  if (kept == kept_.end() || !folder) return;
  const LogRotation& rotation = kept->second.rotation;
  std::vector<RotatedFile> files;
  folder->each_file([&](const LogFolderEntry& entry) {
    if (is_rotated_name(entry.name, name_of(path)))
      files.push_back({entry.name, entry.size, entry.modified_ms});
  });
  const std::vector<std::string> expired = expired_files(files, rotation, wall_now_ms());
  for (const std::string& name : expired) folder->remove(name);
  if (rotation.compress == LogRotation::Compression::none) return;
  for (const RotatedFile& file : files) {
    const bool stays = std::ranges::find(expired, file.name) == expired.end();
    if (stays && !is_compressed_name(file.name))
      compressor_.submit({folder_path, file.name, rotation.compress});
  }
}

void LogKeeper::arm() {
  if (stopped_ || std::exchange(armed_, true)) return;
  timer_.expires_after(until_next_look());
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) tick();
  });
}

void LogKeeper::tick() {
  armed_ = false;
  std::erase_if(kept_, [](const auto& entry) { return entry.second.file.expired(); });
  rotate_due_files();
  for (const auto& [path, kept] : kept_) {
    if (kept.rotation.age.count() > 0) sweep_soon(path);
  }
  if (limits_.total_max) brake();
  if (is_timed()) arm();
}

void LogKeeper::rotate_due_files() {
  const std::int64_t now = wall_now_ms() / kSecondMs;
  for (auto& [path, kept] : kept_) {
    const auto file = kept.file.lock();
    if (file && kept.schedule && kept.schedule->wake(*kept.zone, now)) file->rotate_soon(monotonic_now());
  }
}

bool LogKeeper::is_timed() const {
  return limits_.total_max || std::ranges::any_of(kept_, [](const auto& entry) {
           return entry.second.rotation.age.count() > 0 || entry.second.schedule;
         });
}

std::chrono::milliseconds LogKeeper::until_next_look() const {
  const std::int64_t now = wall_now_ms();
  std::int64_t wait = limits_.total_max ? kBrakeTickMs : kTickMaxMs;
  for (const auto& [path, kept] : kept_) {
    const auto due = kept.schedule ? kept.schedule->due() : std::nullopt;
    if (due) wait = std::clamp(*due * kSecondMs - now, std::int64_t{0}, wait);
  }
  return std::chrono::milliseconds(wait);
}

// Deletes the oldest rotated files while everything together is too much; what then is left is what may be
// written until the next look.
void LogKeeper::brake() {
  const std::uint64_t limit = *limits_.total_max;
  Usage usage;
  add_folder(limits_.folder, usage);
  for (const std::string& name : LogFolder::folders_in(limits_.folder))
    add_folder(limits_.folder + "/" + name, usage);
  for (const auto& file : hub_.open_files()) {
    if (file->path().starts_with(limits_.folder + "/")) continue;
    usage.bytes += file->size();
    const std::string folder_path = parent_directory(file->path());
    const auto folder =
        kept_.contains(file->path()) ? LogFolder::open(folder_path) : fail(ErrorCode::not_found, "");
    if (!folder) continue;
    folder->each_file([&](const LogFolderEntry& entry) {
      if (!is_rotated_name(entry.name, name_of(file->path()))) return;
      usage.bytes += entry.size;
      usage.rotated.push_back(rotated_file(folder_path, entry));
    });
  }
  for (const std::string& path : files_over_limit(usage.rotated, usage.bytes, limit / 100 * kBrakePercent)) {
    const auto file = std::ranges::find(usage.rotated, path, &RotatedFile::name);
    if (const auto folder = LogFolder::open(parent_directory(path))) folder->remove(name_of(path));
    usage.bytes -= std::min(usage.bytes, file->size);
    spdlog::warn("{} was deleted: all logs together are close to max_total_log_size", path);
  }
  hub_.budget().set(static_cast<std::int64_t>(limit) - static_cast<std::int64_t>(usage.bytes));
}

}  // namespace clusterd
