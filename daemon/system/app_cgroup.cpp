#include "daemon/system/app_cgroup.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>
#include <unordered_set>

#include "daemon/system/cgroup_folder.h"
#include "daemon/system/process_tree.h"
#include "daemon/system/procfs.h"
#include "daemon/system/system_error.h"

namespace clusterd {
namespace {

constexpr std::uint64_t kPeriodUs = 100'000;
constexpr const char* kMainFolder = "clusterd-main";
constexpr std::string_view kPrefix = "clusterd-";
constexpr std::array<const char*, 3> kControllers{"memory", "cpu", "pids"};

struct Hierarchy {
  std::string folder;  // of the daemon's own cgroup in it
  bool version2 = false;
};

// Words of the kernel's lists: "cpu memory pids\n".
bool has_controller(const std::string& file, const std::string& controller) {
  std::string text = read_proc_file(file);
  while (text.ends_with('\n')) text.pop_back();
  return is_listed(text, controller, ' ');
}

std::optional<std::string> own_folder(const std::string& controller) {
  return cgroup_folder(read_proc_file("/proc/self/cgroup"), read_proc_file("/proc/self/mountinfo"),
                       controller);
}

bool is_folder(const std::string& path) {
  struct stat about;
  return stat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
}

std::optional<Hierarchy> find_hierarchy(const std::string& controller) {
  const auto second = own_folder(std::string(kUnified));
  if (second && has_controller(*second + "/cgroup.controllers", controller)) return Hierarchy{*second, true};
  const auto first = own_folder(controller);
  // The namespace may have been made for us while our cgroup was already a deeper one.
  if (!first || !is_folder(*first)) return std::nullopt;
  return Hierarchy{*first, false};
}

Result<> write_file(const std::string& path, const std::string& text) {
  const UniqueFd file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file && write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size())) return {};
  return system_error(path, errno);
}

std::vector<pid_t> processes_in(const std::string& folder) {
  std::vector<pid_t> pids;
  std::istringstream list(read_proc_file(folder + "/cgroup.procs"));
  for (pid_t pid = 0; list >> pid;) pids.push_back(pid);
  return pids;
}

Result<> make_folder(const std::string& path) {
  if (mkdir(path.c_str(), 0755) == 0 || errno == EEXIST) return {};
  return system_error("no cgroup can be made for it: " + path, errno);
}

// The daemon and its apps move into a folder beside those of the apps, if nobody else is there.
Result<> make_room(const std::string& folder) {
  const std::vector<pid_t> below = descendants(getpid());
  const std::unordered_set<pid_t> ours(below.begin(), below.end());
  const std::vector<pid_t> present = processes_in(folder);
  for (const pid_t pid : present) {
    if (pid == getpid() || ours.contains(pid)) continue;
    return fail(ErrorCode::failed, "the cgroup " + folder + " is shared with others (pid " +
                                       std::to_string(pid) +
                                       "): run the daemon in one of its own (Delegate=yes in its unit)");
  }
  const std::string main = folder + "/" + kMainFolder;
  if (auto made = make_folder(main); !made) return made;
  for (const pid_t pid : present) {
    if (auto moved = write_file(main + "/cgroup.procs", std::to_string(pid)); !moved && pid == getpid())
      return moved;
  }
  return {};
}

// The folder below which those of apps are made.
std::string base_below(const std::string& own) {
  const std::string suffix = std::string("/") + kMainFolder;
  return own.ends_with(suffix) ? own.substr(0, own.size() - suffix.size()) : own;
}

// The same, with the controller at work there.
Result<std::string> open_version2(const std::string& own, const std::string& controller) {
  const std::string base = base_below(own);
  const std::string control = base + "/cgroup.subtree_control";
  if (has_controller(control, controller)) return base;
  if (write_file(control, "+" + controller)) return base;
  if (auto made = make_room(base); !made) return fail(made.error());
  if (auto enabled = write_file(control, "+" + controller); !enabled) return fail(enabled.error());
  return base;
}

struct Setting {
  std::string controller;
  std::vector<std::pair<std::string, std::string>> version1;
  std::vector<std::pair<std::string, std::string>> version2;
};

std::vector<Setting> settings_of(const CgroupLimits& limits) {
  std::vector<Setting> settings;
  if (limits.memory) {
    const std::string bytes = std::to_string(*limits.memory);
    settings.push_back({"memory", {{"memory.limit_in_bytes", bytes}}, {{"memory.max", bytes}}});
  }
  if (limits.cpu) {
    const std::string period = std::to_string(kPeriodUs);
    const std::string quota = std::to_string(std::max<std::uint64_t>(*limits.cpu * kPeriodUs / 1'000, 1'000));
    settings.push_back({"cpu",
                        {{"cpu.cfs_period_us", period}, {"cpu.cfs_quota_us", quota}},
                        {{"cpu.max", quota + " " + period}}});
  }
  if (limits.pids) {
    const std::string pids = std::to_string(*limits.pids);
    settings.push_back({"pids", {{"pids.max", pids}}, {{"pids.max", pids}}});
  }
  return settings;
}

Result<std::string> base_of(const std::string& controller, bool& version2) {
  const auto hierarchy = find_hierarchy(controller);
  if (!hierarchy)
    return fail(ErrorCode::failed, "this system has no cgroup controller " + controller + " for us");
  version2 = hierarchy->version2;
  return version2 ? open_version2(hierarchy->folder, controller) : Result<std::string>(hierarchy->folder);
}

std::string folder_name(const std::string& name) {
  return std::string(kPrefix) + std::to_string(getpid()) + "-" + name;
}

// The daemon that made a folder of an app; 0: it is none.
pid_t maker_of(std::string_view folder) {
  if (!folder.starts_with(kPrefix)) return 0;
  folder.remove_prefix(kPrefix.size());
  pid_t pid = 0;
  const auto [end, fault] = std::from_chars(folder.begin(), folder.end(), pid);
  return fault == std::errc{} && end != folder.end() && *end == '-' ? pid : 0;
}

// Where /proc hides others, they are alive.
bool is_dead(pid_t pid) {
  if (kill(pid, 0) != 0 && errno == ESRCH) return true;
  const auto about = read_process_stat(pid);
  return about && !about->living();
}

void remove_leftovers_in(const std::string& parent) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error)) {
    const pid_t maker = maker_of(entry->path().filename().string());
    // The kernel keeps a folder with somebody in it.
    if (maker > 0 && (maker == getpid() || is_dead(maker))) rmdir(entry->path().c_str());
  }
}

}  // namespace

Result<AppCgroup> AppCgroup::make(const std::string& name, const CgroupLimits& limits) {
  AppCgroup cgroup;
  for (const Setting& setting : settings_of(limits)) {
    bool version2 = false;
    auto base = base_of(setting.controller, version2);
    if (!base) return fail(base.error().code, "cgroup." + setting.controller + ": " + base.error().message);
    const std::string path = *base + "/" + folder_name(name);
    const bool shared =
        std::ranges::any_of(cgroup.folders_, [&](const Folder& one) { return one.path == path; });
    if (!shared) {
      if (auto made = make_folder(path); !made) return fail(made.error());
      UniqueFd procs(open((path + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
      cgroup.folders_.push_back({path, std::move(procs)});
      if (!cgroup.folders_.back().procs) return system_error(path + "/cgroup.procs", errno);
    }
    for (const auto& [file, value] : version2 ? setting.version2 : setting.version1) {
      if (auto written = write_file(path + "/" + file, value); !written) return fail(written.error());
    }
  }
  return cgroup;
}

AppCgroup::~AppCgroup() {
  for (const Folder& folder : folders_) rmdir(folder.path.c_str());
}

std::vector<int> AppCgroup::entrances() const {
  std::vector<int> fds;
  for (const Folder& folder : folders_) fds.push_back(folder.procs.get());
  return fds;
}

void AppCgroup::remove_leftovers() {
  std::set<std::string> parents;
  for (const char* controller : kControllers) {
    if (const auto hierarchy = find_hierarchy(controller)) parents.insert(base_below(hierarchy->folder));
  }
  for (const std::string& parent : parents) remove_leftovers_in(parent);
}

std::string AppCgroup::hindrance() {
  for (const char* controller : kControllers) {
    const auto hierarchy = find_hierarchy(controller);
    if (!hierarchy) return std::string("there is no cgroup controller ") + controller + " for us";
    if (access(hierarchy->folder.c_str(), W_OK) != 0) return "no cgroup can be made in " + hierarchy->folder;
  }
  return {};
}

}  // namespace clusterd
