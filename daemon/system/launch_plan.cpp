#include "daemon/system/launch_plan.h"

#include <algorithm>
#include <string_view>

#include "daemon/launcher/launch_wire.h"

namespace clusterd {

static_assert(kLaunchSocketsMax == wire::kSocketsMax && kLaunchPassedMax == wire::kPassedMax);

namespace {

constexpr std::string_view kOwnKeys[] = {
    "LISTEN_FDS=", "LISTEN_PID=", "LISTEN_FDNAMES=", "LISTEN_PIDFDID=", "WATCHDOG_USEC=", "WATCHDOG_PID="};

bool is_launchers(std::string_view entry) {
  return std::ranges::any_of(kOwnKeys, [&](std::string_view key) { return entry.starts_with(key); });
}

bool valid_socket_name(std::string_view name) {
  const auto printable = [](char c) { return c > ' ' && c < 0x7f && c != ':'; };
  return !name.empty() && name.size() <= 255 && std::ranges::all_of(name, printable);
}

std::string joined_socket_names(const LaunchPlan& plan) {
  std::string joined;
  for (std::size_t i = 0; i < plan.sockets.size(); ++i) {
    const bool named = i < plan.socket_names.size() && valid_socket_name(plan.socket_names[i]);
    if (i > 0) joined += ':';
    joined += named ? plan.socket_names[i] : "unknown";
  }
  return joined;
}

bool names_passed(const LaunchPlan& plan, std::string_view entry) {
  return std::ranges::any_of(plan.passed, [&](const PassedFd& one) {
    return entry.starts_with(one.variable) && entry.substr(one.variable.size()).starts_with('=');
  });
}

std::vector<std::string> environment_with_descriptors(const LaunchPlan& plan) {
  std::vector<std::string> environment;
  environment.reserve(plan.environment.size() + 3 + plan.passed.size());
  for (const std::string& entry : plan.environment) {
    if (!is_launchers(entry) && !names_passed(plan, entry)) environment.push_back(entry);
  }
  if (!plan.sockets.empty() && plan.announce_sockets) {
    environment.push_back("LISTEN_FDS=" + std::to_string(plan.sockets.size()));
    environment.push_back("LISTEN_FDNAMES=" + joined_socket_names(plan));
    environment.emplace_back(wire::kListenPidEntry);
  }
  if (plan.watchdog) {
    environment.push_back("WATCHDOG_USEC=" + std::to_string(plan.watchdog->count()));
    environment.emplace_back(wire::kWatchdogPidEntry);
  }
  std::size_t number = wire::kFirstSocket + plan.sockets.size();
  for (const PassedFd& one : plan.passed) {
    environment.push_back(one.variable + "=" + std::to_string(number++));
  }
  return environment;
}

wire::PlanHeader header_of(const LaunchPlan& plan, std::size_t environment_count) {
  wire::PlanHeader header;
  header.argument_count = static_cast<std::uint32_t>(plan.argv.size());
  header.environment_count = static_cast<std::uint32_t>(environment_count);
  header.socket_count = static_cast<std::uint32_t>(plan.sockets.size());
  header.passed_count = static_cast<std::uint32_t>(plan.passed.size());
  if (plan.input) header.flags |= wire::kHasInput;
  if (plan.out_fd >= 0) header.flags |= wire::kHasOut;
  if (plan.err_fd >= 0) header.flags |= wire::kHasErr;
  header.limit_count = static_cast<std::uint32_t>(plan.limits.size());
  header.cgroup_count = static_cast<std::uint32_t>(plan.cgroups.size());
  if (plan.nice) {
    header.flags |= wire::kHasNice;
    header.nice = *plan.nice;
  }
  if (plan.oom_score_adj) {
    header.flags |= wire::kHasOomScore;
    header.oom_score_adj = *plan.oom_score_adj;
  }
  if (plan.umask) {
    header.flags |= wire::kHasUmask;
    header.umask = *plan.umask;
  }
  if (plan.take_over_bind) header.flags |= wire::kTakeOverBind;
  if (plan.nofile_soft) {
    header.flags |= wire::kHasNofile;
    header.nofile_soft = *plan.nofile_soft;
  }
  if (plan.identity) {
    header.flags |= wire::kHasIdentity;
    header.uid = plan.identity->uid;
    header.gid = plan.identity->gid;
    header.group_count = static_cast<std::uint32_t>(plan.identity->groups.size());
  }
  return header;
}

Result<void> check_passed(const LaunchPlan& plan) {
  if (plan.passed.size() > kLaunchPassedMax) {
    return fail(ErrorCode::usage,
                "more than " + std::to_string(kLaunchPassedMax) + " passed descriptors for one process");
  }
  for (const PassedFd& one : plan.passed) {
    if (!one.variable.empty() && one.variable.find('=') == std::string::npos) continue;
    return fail(ErrorCode::usage, "a passed descriptor needs a variable, not \"" + one.variable + '"');
  }
  return {};
}

void append_bytes(std::string& bytes, const void* data, std::size_t size) {
  bytes.append(static_cast<const char*>(data), size);
}

Result<void> append_strings(std::string& bytes, const std::vector<std::string>& strings, const char* what) {
  for (const std::string& text : strings) {
    if (text.find('\0') != std::string::npos) {
      return fail(ErrorCode::usage, std::string(what) + " must not contain NUL bytes");
    }
    append_bytes(bytes, text.c_str(), text.size() + 1);
  }
  return {};
}

}  // namespace

Result<std::string> encode(const LaunchPlan& plan) {
  if (plan.argv.empty() || plan.argv[0].empty()) return fail(ErrorCode::usage, "no program to execute");
  if (plan.sockets.size() > kLaunchSocketsMax) {
    return fail(ErrorCode::usage,
                "more than " + std::to_string(kLaunchSocketsMax) + " sockets for one process");
  }
  if (plan.limits.size() > wire::kLimitsMax || plan.cgroups.size() > wire::kCgroupsMax)
    return fail(ErrorCode::usage, "too many limits for one process");
  if (auto checked = check_passed(plan); !checked) return fail(checked.error());
  const std::vector<std::string> environment = environment_with_descriptors(plan);
  const wire::PlanHeader header = header_of(plan, environment.size());
  std::string bytes;
  append_bytes(bytes, &header, sizeof header);
  for (const LaunchLimit& one : plan.limits) {
    const wire::PlanLimit limit{static_cast<std::uint32_t>(one.resource), 0, one.soft, one.hard};
    append_bytes(bytes, &limit, sizeof limit);
  }
  if (plan.identity) {
    append_bytes(bytes, plan.identity->groups.data(), plan.identity->groups.size() * sizeof(gid_t));
  }
  if (auto added = append_strings(bytes, {plan.cwd}, "the working directory"); !added)
    return fail(added.error());
  if (auto added = append_strings(bytes, plan.argv, "arguments"); !added) return fail(added.error());
  if (auto added = append_strings(bytes, environment, "environment variables"); !added)
    return fail(added.error());
  if (bytes.size() > kLaunchPlanBytesMax) {
    return fail(ErrorCode::usage, "arguments and environment are " + std::to_string(bytes.size()) +
                                      " bytes together; the limit is " + std::to_string(kLaunchPlanBytesMax));
  }
  return bytes;
}

}  // namespace clusterd
