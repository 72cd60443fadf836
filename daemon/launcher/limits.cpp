#include "daemon/launcher/limits.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

namespace clusterd::launcher {
namespace {

void set_rlimit(const wire::PlanLimit& wanted, const Reporter& reporter) {
  rlimit limit;
  limit.rlim_cur = wanted.soft;
  limit.rlim_max = wanted.hard;
  if (setrlimit(static_cast<__rlimit_resource_t>(wanted.resource), &limit) == 0) return;
  const int error = errno;
  char resource[16];
  std::snprintf(resource, sizeof resource, "%u", wanted.resource);
  reporter.give_up(wire::Stage::limits, error, "rlimit", wire::Fault::plain, resource);
}

// The daemon has raised its own; who has said nothing about it gets what the daemon was started with.
void set_open_files(const ReceivedPlan& plan, const Reporter& reporter) {
  if (!plan.has(wire::kHasNofile)) return;
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) reporter.give_up(wire::Stage::limits, errno, "rlimit");
  limit.rlim_cur = std::min<rlim_t>(plan.header.nofile_soft, limit.rlim_max);
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) reporter.give_up(wire::Stage::limits, errno, "rlimit");
}

void set_oom_score(const ReceivedPlan& plan, const Reporter& reporter) {
  if (!plan.has(wire::kHasOomScore)) return;
  char text[16];
  const int length = std::snprintf(text, sizeof text, "%d", plan.header.oom_score_adj);
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0 || write(file, text, static_cast<std::size_t>(length)) != length)
    reporter.give_up(wire::Stage::limits, errno, "oom_score_adj");
  close(file);
}

}  // namespace

void join_cgroups(const ReceivedPlan& plan, const Reporter& reporter) {
  for (unsigned i = 0; i < plan.header.cgroup_count; ++i) {
    if (write(plan.cgroup_fds[i], "0", 1) != 1) reporter.give_up(wire::Stage::cgroup, errno);
    close(plan.cgroup_fds[i]);
  }
}

void set_limits(const ReceivedPlan& plan, const Reporter& reporter) {
  umask(plan.has(wire::kHasUmask) ? plan.header.umask : S_IWGRP | S_IWOTH);
  set_open_files(plan, reporter);
  for (unsigned i = 0; i < plan.header.limit_count; ++i) set_rlimit(plan.limits[i], reporter);
  set_oom_score(plan, reporter);
  if (plan.has(wire::kHasNice) && setpriority(PRIO_PROCESS, 0, plan.header.nice) != 0)
    reporter.give_up(wire::Stage::limits, errno, "nice");
}

}  // namespace clusterd::launcher
