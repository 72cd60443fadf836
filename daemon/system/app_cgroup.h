// AppCgroup: the cgroup of one instance, with limits of memory, CPU time and number of processes.
//
// Made by HostedProcess for apps with `cgroup`; clusterd-exec moves itself into it before it becomes the
// program, so everything the program starts is in it as well. Removed with this object. Works below the
// daemon's own cgroup, version 2 or, where the controllers are there, version 1.
//
// Version 2 gives a controller only to the children of a folder without processes (cgroups(7), "no internal
// processes"). If nobody but the daemon and its apps is in its cgroup (Delegate=yes in its unit), they are
// moved into a folder beside; otherwise the cgroup is not ours to divide, and the error says so.
#pragma once

#include <string>
#include <vector>

#include "common/result.h"
#include "config/process_limits.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {

class AppCgroup {
 public:
  // `name` is unique among the living ones of the daemon.
  static Result<AppCgroup> make(const std::string& name, const CgroupLimits& limits);
  AppCgroup(AppCgroup&&) noexcept = default;
  AppCgroup& operator=(AppCgroup&&) noexcept = default;
  ~AppCgroup();

  std::vector<int> entrances() const;  // for LaunchPlan::cgroups

  // Folders of daemons that were killed, where nobody is in them any more. For the start of a daemon, before
  // it makes any: one with its own pid is then a leftover, too, as happens in containers.
  static void remove_leftovers();

  // Why no limits can be set here; empty: they can. For `doctor`.
  static std::string hindrance();

 private:
  AppCgroup() = default;

  struct Folder {
    std::string path;
    UniqueFd procs;
  };
  std::vector<Folder> folders_;
};

}  // namespace clusterd
