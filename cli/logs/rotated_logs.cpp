#include "cli/logs/rotated_logs.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <memory>

#include "common/path_text.h"
#include "common/rotated_log.h"

namespace clusterd::cli {
namespace {

constexpr std::array<std::string_view, 3> kForms{"", kGzipSuffix, kZstdSuffix};  // in the order of its life
// A name does not say enough if the clock was put back by more than this.
constexpr std::int64_t kClockSlackMs = 60'000;

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

void add_names(const std::string& folder, std::vector<std::string>& names) {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(folder.c_str()), closedir);
  if (!entries) return;
  while (const dirent* entry = readdir(entries.get())) {
    if (is_rotated_name(entry->d_name, "")) names.emplace_back(without_compression(entry->d_name));
  }
}

std::optional<std::int64_t> changed_ms(const std::string& path) {
  for (const std::string_view form : kForms) {
    struct stat info{};
    if (stat((path + std::string(form)).c_str(), &info) == 0)
      return info.st_mtim.tv_sec * 1000 + info.st_mtim.tv_nsec / 1'000'000;
  }
  return std::nullopt;
}

}  // namespace

Result<FileTail> RotatedLog::open() const {
  for (const std::string_view form : kForms) {
    auto file = FileTail::open(path + std::string(form));
    if (file || file.error().code != ErrorCode::not_found || form == kForms.back()) return file;
  }
  return fail(ErrorCode::not_found, path + " has gone");
}

// Twice: a file that gets its other name while the folder is read may be missed the first time.
const RotatedLogs::Names& RotatedLogs::names_in(const std::string& folder, bool anew) {
  Names& names = folders_[folder];
  if (!names.empty() && !anew) return names;
  names.clear();
  add_names(folder, names);
  add_names(folder, names);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<RotatedLog> RotatedLogs::all(const std::string& path, bool anew) {
  const std::string folder = folder_of(path);
  const std::string_view file = base_name(path);
  const std::string prefix = rotated_prefix(file);
  const Names& names = names_in(folder, anew);
  std::vector<RotatedFile> files;
  for (auto name = std::ranges::lower_bound(names, prefix); name != names.end() && name->starts_with(prefix);
       ++name) {
    if (!is_rotated_name(*name, file)) continue;
    if (const auto changed = changed_ms(folder + *name)) files.push_back({*name, 0, *changed});
  }
  sort_newest_first(files);
  std::vector<RotatedLog> logs;
  for (const RotatedFile& found : files) logs.push_back({folder + found.name, found.modified_ms, {}});
  return logs;
}

std::vector<RotatedLog> RotatedLogs::before(const std::string& path, const std::string& next_name,
                                            std::int64_t moment) {
  std::vector<RotatedLog> logs = all(path, false);
  std::erase_if(logs, [&](const RotatedLog& log) {
    return !rotated_before(base_name(log.path), next_name) && log.changed_wall_ms + kClockSlackMs >= moment;
  });
  return logs;
}

std::optional<RotatedLog> RotatedLogs::first_after(const std::string& path, const std::string& next_name) {
  std::optional<RotatedLog> first;
  for (RotatedLog& log : all(path, true)) {
    const bool later = !rotated_before(base_name(log.path), next_name);
    if (later && (!first || rotated_before(base_name(log.path), base_name(first->path))))
      first = std::move(log);
  }
  return first;
}

}  // namespace clusterd::cli
