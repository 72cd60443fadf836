#include "daemon/system/log_hub.h"

#include <algorithm>
#include <utility>

#include "common/path_text.h"

namespace clusterd {
namespace {

constexpr std::size_t kFirstSweepSize = 64;

}  // namespace

LogHub::LogHub(LogNotice notice) : notice_(std::move(notice)), sweep_size_(kFirstSweepSize) {}

std::shared_ptr<LogFile> LogHub::file_for(const std::string& path) {
  if (files_.size() >= sweep_size_) forget_closed_files();
  const std::string name = join_path("/", path);
  std::weak_ptr<LogFile>& known = files_[name];
  if (auto file = known.lock()) return file;
  auto file = std::make_shared<LogFile>(name, notice_);
  file->set_budget(&budget_);
  known = file;
  return file;
}

std::shared_ptr<LogFile> LogHub::open_file(const std::string& path) const {
  const auto known = files_.find(join_path("/", path));
  return known == files_.end() ? nullptr : known->second.lock();
}

std::vector<std::shared_ptr<LogFile>> LogHub::open_files() const {
  std::vector<std::shared_ptr<LogFile>> open;
  for (const auto& [path, known] : files_) {
    if (auto file = known.lock()) open.push_back(std::move(file));
  }
  return open;
}

Result<void> LogHub::reopen_all() {
  std::string failures;
  for (const auto& file : open_files()) {
    if (auto reopened = file->reopen(); !reopened) {
      failures += (failures.empty() ? "" : "; ") + reopened.error().message;
    }
  }
  if (!failures.empty()) return fail(ErrorCode::failed, failures);
  return {};
}

// Sweeping when the map has doubled costs the same per file however many there are.
void LogHub::forget_closed_files() {
  std::erase_if(files_, [](const auto& entry) { return entry.second.expired(); });
  sweep_size_ = std::max(kFirstSweepSize, 2 * files_.size());
}

}  // namespace clusterd
