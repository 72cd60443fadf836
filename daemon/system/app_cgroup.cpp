#include "daemon/system/app_cgroup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <sstream>
#include <unordered_set>

#include "daemon/system/process_tree.h"
#include "daemon/system/procfs.h"
#include "daemon/system/system_error.h"

namespace clusterd {
namespace {

constexpr std::uint64_t kPeriodUs = 100'000;
constexpr const char* kMainFolder = "clusterd-main";

struct Hierarchy {
  std::string folder;  // of the daemon's own cgroup in it
  bool version2 = false;
};

std::vector<std::string> words_of(const std::string& text, char separator) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, separator);) {
    while (!word.empty() && word.back() == '\n') word.pop_back();
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

bool holds(const std::vector<std::string>& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

// "4:memory:/web" and "0::/web": the path of our cgroup in the hierarchy of a controller; "" is version 2.
std::optional<std::string> own_path(const std::string& controller) {
  for (const std::string& line : words_of(read_proc_file("/proc/self/cgroup"), '\n')) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string names = line.substr(first + 1, second - first - 1);
    const bool meant = controller.empty() ? line.starts_with("0::") : holds(words_of(names, ','), controller);
    if (meant) return line.substr(second + 1);
  }
  return std::nullopt;
}

// proc_pid_mountinfo(5): root and mount point are the fourth and fifth field, type and options follow the
// lone "-".
std::optional<Hierarchy> find_mount(const std::string& controller) {
  const auto path = own_path(controller);
  if (!path) return std::nullopt;
  for (const std::string& line : words_of(read_proc_file("/proc/self/mountinfo"), '\n')) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    const std::vector<std::string> front = words_of(line.substr(0, dash), ' ');
    const std::vector<std::string> back = words_of(line.substr(dash + 3), ' ');
    if (front.size() < 5 || back.size() < 3) continue;
    const bool meant = controller.empty() ? back[0] == "cgroup2"
                                          : back[0] == "cgroup" && holds(words_of(back[2], ','), controller);
    if (!meant) continue;
    const std::string& root = front[3];
    const bool inside = root != "/" && path->starts_with(root);
    std::string below = inside ? path->substr(root.size()) : *path;
    if (below == "/") below.clear();
    return Hierarchy{front[4] + below, controller.empty()};
  }
  return std::nullopt;
}

bool is_folder(const std::string& path) {
  struct stat about;
  return stat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
}

std::optional<Hierarchy> find_hierarchy(const std::string& controller) {
  auto second = find_mount("");
  if (second && holds(words_of(read_proc_file(second->folder + "/cgroup.controllers"), ' '), controller))
    return second;
  auto first = find_mount(controller);
  // The namespace may have been made for us while our cgroup was already a deeper one.
  if (first && !is_folder(first->folder)) return std::nullopt;
  return first;
}

Result<> write_file(const std::string& path, const std::string& text) {
  const UniqueFd file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file && write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size())) return {};
  return system_error(path, errno);
}

std::vector<pid_t> processes_in(const std::string& folder) {
  std::vector<pid_t> pids;
  for (const std::string& line : words_of(read_proc_file(folder + "/cgroup.procs"), '\n')) {
    pid_t pid = 0;
    std::from_chars(line.data(), line.data() + line.size(), pid);
    pids.push_back(pid);
  }
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

// The folder below which those of apps are made, with the controller at work there.
Result<std::string> open_version2(const std::string& own, const std::string& controller) {
  const std::string suffix = std::string("/") + kMainFolder;
  const std::string base = own.ends_with(suffix) ? own.substr(0, own.size() - suffix.size()) : own;
  const std::string control = base + "/cgroup.subtree_control";
  if (holds(words_of(read_proc_file(control), ' '), controller)) return base;
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

}  // namespace

Result<AppCgroup> AppCgroup::make(const std::string& name, const CgroupLimits& limits) {
  AppCgroup cgroup;
  for (const Setting& setting : settings_of(limits)) {
    bool version2 = false;
    auto base = base_of(setting.controller, version2);
    if (!base) return fail(base.error().code, "cgroup." + setting.controller + ": " + base.error().message);
    const std::string path = *base + "/clusterd-" + std::to_string(getpid()) + "-" + name;
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

std::string AppCgroup::hindrance() {
  for (const char* controller : {"memory", "cpu", "pids"}) {
    const auto hierarchy = find_hierarchy(controller);
    if (!hierarchy) return std::string("there is no cgroup controller ") + controller + " for us";
    if (access(hierarchy->folder.c_str(), W_OK) != 0) return "no cgroup can be made in " + hierarchy->folder;
  }
  return {};
}

}  // namespace clusterd
