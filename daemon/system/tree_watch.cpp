#include "daemon/system/tree_watch.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "daemon/system/state_file.h"
#include "daemon/system/system_error.h"

namespace clusterd {
namespace {

constexpr std::uint32_t kEvents = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO;
constexpr int kEntriesPerLook = 64;  // between two looks at the clock
constexpr std::size_t kBytesPerTurnMax = 256 * 1024;

constexpr std::array<long, 10> kKernelFileSystems{
    PROC_SUPER_MAGIC, SYSFS_MAGIC,      CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, DEBUGFS_MAGIC,
    TRACEFS_MAGIC,    SECURITYFS_MAGIC, DEVPTS_SUPER_MAGIC, BPF_FS_MAGIC,        PSTOREFS_MAGIC};

std::string joined(const std::string& folder, const std::string& name) {
  return folder.ends_with('/') ? folder + name : folder + "/" + name;
}

bool is_below(const std::string& path, const std::string& folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

bool is_folder(const std::string& path) {
  struct stat about;
  return stat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
}

std::string limit_text(const char* name) {
  const auto text = read_whole(std::string("/proc/sys/fs/inotify/") + name, 64);
  if (!text) return "";
  return " (now " + text->substr(0, text->find('\n')) + ")";
}

std::string watch_fault(int error, const std::string& path, std::size_t folders) {
  if (error == ENOSPC) {
    return "the system's limit of watched folders is reached at " + path + ", after " +
           std::to_string(folders) + " folders: raise fs.inotify.max_user_watches" +
           limit_text("max_user_watches") + " with sysctl, or name fewer folders in watch and ignore_watch";
  }
  return "cannot watch " + path + ": " + errno_text(error);
}

bool is_kernels(int folder) {
  struct statfs about;
  if (fstatfs(folder, &about) != 0) return false;
  return std::ranges::find(kKernelFileSystems, static_cast<long>(about.f_type)) != kKernelFileSystems.end();
}

}  // namespace

Result<TreeWatch> TreeWatch::create() {
  UniqueFd inotify(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (inotify) return TreeWatch(std::move(inotify));
  if (errno != EMFILE) return system_error("cannot watch files", errno);
  return fail(ErrorCode::failed,
              "cannot watch files: this user has as many inotify instances as the system allows; raise "
              "fs.inotify.max_user_instances" +
                  limit_text("max_user_instances") + " with sysctl");
}

void TreeWatch::add(Owner owner, const std::vector<std::string>& roots, Enters enters) {
  remove(owner);
  trees_[owner] = {roots, std::move(enters), 0, {}};
  for (const std::string& root : roots) begin(owner, root);
}

void TreeWatch::begin(Owner owner, const std::string& root) {
  Tree& tree = trees_.at(owner);
  const std::size_t slash = root.rfind('/');
  if (slash + 1 < root.size()) {
    const std::string folder = slash == 0 ? "/" : root.substr(0, slash);
    if (!watch(tree, {owner, folder, root.substr(slash + 1)})) return;
  }
  if (is_folder(root)) pending_.push_back({owner, root});
}

void TreeWatch::remove(Owner owner) {
  trees_.erase(owner);
  forget_below(owner, "");
}

// Uses of folders at or below the path; "": all of them, the names of roots, too.
void TreeWatch::forget_below(Owner owner, const std::string& path) {
  const auto meant = [&](const Use& use) {
    return use.owner == owner && (path.empty() || (use.name.empty() && is_below(use.path, path)));
  };
  std::vector<int> unused;
  const auto tree = trees_.find(owner);
  for (auto& [watch, uses] : uses_) {
    const std::size_t gone = std::erase_if(uses, meant);
    if (tree != trees_.end()) tree->second.folders -= std::min(gone, tree->second.folders);
    if (uses.empty()) unused.push_back(watch);
  }
  drop_unused(std::move(unused));
  const bool first_goes = !pending_.empty() && pending_.front().owner == owner &&
                          (path.empty() || is_below(pending_.front().path, path));
  if (first_goes) open_.reset();
  std::erase_if(pending_, [&](const Pending& one) {
    return one.owner == owner && (path.empty() || is_below(one.path, path));
  });
}

void TreeWatch::drop_unused(std::vector<int> watches) {
  for (const int watch : watches) {
    inotify_rm_watch(inotify_.get(), watch);
    uses_.erase(watch);
  }
}

// False: the limit is reached, and there is no point in going on with this tree. What is gone or closed to us
// is left out in silence: it cannot be read by us, and the app's files are those it can read.
bool TreeWatch::watch(Tree& tree, Use use) {
  const int watch =
      inotify_add_watch(inotify_.get(), use.path.c_str(), kEvents | IN_ONLYDIR | IN_EXCL_UNLINK);
  if (watch < 0) {
    const int error = errno;
    const bool is_root = !use.name.empty();
    if (!is_root && (error == ENOENT || error == ENOTDIR || error == EACCES)) return true;
    if (tree.fault.empty()) tree.fault = watch_fault(error, use.path, tree.folders);
    return false;
  }
  std::vector<Use>& uses = uses_[watch];
  const bool known = std::ranges::any_of(uses, [&](const Use& one) {
    return one.owner == use.owner && one.path == use.path && one.name == use.name;
  });
  if (known) return true;
  if (use.name.empty()) ++tree.folders;
  uses.push_back(std::move(use));
  return true;
}

bool TreeWatch::scan(std::chrono::microseconds slice) {
  const auto end = std::chrono::steady_clock::now() + slice;
  while (!pending_.empty()) {
    if (open_ || open_front()) read_front();
    if (std::chrono::steady_clock::now() >= end) break;
  }
  return must_scan();
}

// The first of the queue, watched and open; false: it has been taken out.
bool TreeWatch::open_front() {
  const Pending first = pending_.front();
  Tree& tree = trees_.at(first.owner);
  UniqueFd folder(open(first.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK));
  if (!folder || is_kernels(folder.get())) {
    pending_.pop_front();
    return false;
  }
  if (!watch(tree, {first.owner, first.path, {}})) {
    std::erase_if(pending_, [&](const Pending& one) { return one.owner == first.owner; });
    return false;
  }
  open_.reset(fdopendir(folder.get()));
  if (open_) {
    [[maybe_unused]] const int now_the_streams = folder.release();
    return true;
  }
  pending_.pop_front();
  return false;
}

void TreeWatch::read_front() {
  const Pending first = pending_.front();
  const Tree& tree = trees_.at(first.owner);
  for (int i = 0; i < kEntriesPerLook; ++i) {
    const dirent* entry = readdir(open_.get());
    if (entry == nullptr) {
      open_.reset();
      pending_.pop_front();
      return;
    }
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN) continue;
    const std::string path = joined(first.path, name);
    struct stat about;
    const bool unknown = entry->d_type == DT_UNKNOWN;
    if (unknown && (lstat(path.c_str(), &about) != 0 || !S_ISDIR(about.st_mode))) continue;
    if (tree.enters(path)) pending_.push_back({first.owner, path});
  }
}

std::vector<TreeWatch::Change> TreeWatch::read() {
  alignas(inotify_event) std::array<char, 16 * 1024> buffer;
  std::vector<Change> changes;
  std::size_t taken = 0;
  while (taken < kBytesPerTurnMax) {
    const ssize_t length = ::read(inotify_.get(), buffer.data(), buffer.size());
    if (length <= 0) break;
    taken += static_cast<std::size_t>(length);
    for (const char* at = buffer.data(); at < buffer.data() + length;) {
      const auto* event = reinterpret_cast<const inotify_event*>(at);
      at += sizeof(inotify_event) + event->len;
      if ((event->mask & IN_Q_OVERFLOW) != 0) {
        start_over(changes);
      } else {
        hear(event->wd, event->mask, event->len > 0 ? event->name : "", changes);
      }
    }
  }
  return changes;
}

void TreeWatch::hear(int watch, std::uint32_t mask, const std::string& name, std::vector<Change>& changes) {
  const auto known = uses_.find(watch);
  if (known == uses_.end()) return;
  if ((mask & IN_IGNORED) != 0) {  // the folder is gone
    for (const Use& use : known->second) {
      const auto tree = trees_.find(use.owner);
      if (tree != trees_.end() && use.name.empty() && tree->second.folders > 0) --tree->second.folders;
    }
    uses_.erase(known);
    return;
  }
  const std::vector<Use> uses = known->second;  // what follows changes the table
  for (const Use& use : uses) hear_use(use, mask, name, changes);
}

void TreeWatch::hear_use(const Use& use, std::uint32_t mask, const std::string& name,
                         std::vector<Change>& changes) {
  const auto tree = trees_.find(use.owner);
  if (tree == trees_.end() || name.empty()) return;
  const std::string path = joined(use.path, name);
  const bool comes = (mask & (IN_CREATE | IN_MOVED_TO)) != 0;
  const bool goes = (mask & (IN_DELETE | IN_MOVED_FROM)) != 0;
  if (!use.name.empty()) {
    if (use.name != name) return;
    if (comes || goes) forget_below(use.owner, path);  // another one may stand there now
    if (comes && is_folder(path)) pending_.push_back({use.owner, path});
    return changes.push_back({use.owner, path});
  }
  if ((mask & IN_ISDIR) != 0) {
    if (goes) forget_below(use.owner, path);
    if (comes && tree->second.enters(path)) pending_.push_back({use.owner, path});
  } else if ((mask & IN_CREATE) != 0) {
    // A plain file counts when it is closed; links and sockets are not, and are complete at once.
    struct stat about;
    if (lstat(path.c_str(), &about) != 0 || (S_ISREG(about.st_mode) && about.st_nlink == 1)) return;
  }
  changes.push_back({use.owner, path});
}

void TreeWatch::start_over(std::vector<Change>& changes) {
  for (auto& [owner, tree] : trees_) {
    for (const std::string& root : tree.roots) {
      changes.push_back({owner, root});
      begin(owner, root);
    }
  }
}

TreeWatch::State TreeWatch::state(Owner owner) const {
  const auto tree = trees_.find(owner);
  if (tree == trees_.end()) return {};
  const bool waits = std::ranges::any_of(pending_, [&](const Pending& one) { return one.owner == owner; });
  return {tree->second.folders, !waits, tree->second.fault};
}

}  // namespace clusterd
