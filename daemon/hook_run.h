// HookRun: one of an app's own commands around a start or stop (pre_start, post_start, pre_stop, post_stop).
//
// Started and owned by ProcessHost. The command runs like the app: its user, working directory, environment
// and limits, and its output goes into the app's logs; CLUSTERD_HOOK tells it which hook it is. Answers
// exactly once, from the loop, within hook_timeout; destroying it before drops the answer and ends the
// command.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/hosted_process.h"
#include "daemon/probe_run.h"

namespace clusterd {

class HookRun {
 public:
  enum class Moment : std::uint8_t { pre_start, post_start, pre_stop, post_stop };
  // Empty: it succeeded. Else what went wrong, as a sentence that begins with the hook's name.
  using Done = std::function<void(const std::string& fault)>;

  static const std::vector<std::string>& command(const AppSpec& spec, Moment moment);
  static const char* name(Moment moment);

  // variables: more for its environment, "KEY=VALUE".
  HookRun(HostResources& resources, const LaunchOrder& order, Moment moment,
          const std::optional<ResolvedUser>& user, std::vector<std::string> variables, Done done);
  HookRun(const HookRun&) = delete;
  HookRun& operator=(const HookRun&) = delete;

  Moment moment() const { return moment_; }
  const LaunchOrder& order() const { return order_; }
  // Its output may last longer than the command, as that of a process.
  const std::vector<std::shared_ptr<OutputStream>>& streams() const { return streams_; }

 private:
  Result<LaunchPlan> plan(const std::optional<ResolvedUser>& user, std::vector<std::string> variables);

  HostResources& resources_;
  LaunchOrder order_;
  Moment moment_;
  std::vector<std::shared_ptr<OutputStream>> streams_;
  std::vector<UniqueFd> write_ends_;
  std::unique_ptr<ProbeRun> run_;
};

}  // namespace clusterd
