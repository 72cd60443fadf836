#include "daemon/hook_run.h"

#include <algorithm>

#include "daemon/launch_environment.h"
#include "daemon/launch_limits.h"

namespace clusterd {

const std::vector<std::string>& HookRun::command(const AppSpec& spec, Moment moment) {
  switch (moment) {
    case Moment::pre_start:
      return spec.pre_start;
    case Moment::post_start:
      return spec.post_start;
    case Moment::pre_stop:
      return spec.pre_stop;
    case Moment::post_stop:
      break;
  }
  return spec.post_stop;
}

const char* HookRun::name(Moment moment) {
  switch (moment) {
    case Moment::pre_start:
      return "pre_start";
    case Moment::post_start:
      return "post_start";
    case Moment::pre_stop:
      return "pre_stop";
    case Moment::post_stop:
      break;
  }
  return "post_stop";
}

HookRun::HookRun(HostResources& resources, const LaunchOrder& order, Moment moment,
                 const std::optional<ResolvedUser>& user, std::vector<std::string> variables, Done done)
    : resources_(resources), order_(order), moment_(moment) {
  const ProbeDone answer = [moment, done = std::move(done)](const ProbeAnswer& answered) {
    done(answered.passed ? "" : std::string(name(moment)) + " " + answered.note);
  };
  const auto launch_plan = plan(user, std::move(variables));
  if (!launch_plan) {
    run_ = refuse_probe(resources_.io, "cannot run: " + launch_plan.error().message, answer);
  } else {
    run_ = start_exec_probe(resources_.io, resources_.launcher_path, *launch_plan, resources_.probe_children,
                            order_.spec->hook_timeout, answer);
  }
  write_ends_.clear();
}

Result<LaunchPlan> HookRun::plan(const std::optional<ResolvedUser>& user,
                                 std::vector<std::string> variables) {
  const AppSpec& spec = *order_.spec;
  LaunchPlan plan;
  plan.argv = command(spec, moment_);
  plan.cwd = spec.cwd;
  plan.environment = without_instance_marks(launch_environment(order_, {"", "", user ? &*user : nullptr}));
  plan.environment.push_back("CLUSTERD_HOOK=" + std::string(name(moment_)));
  std::ranges::move(variables, std::back_inserter(plan.environment));
  if (user) plan.identity = user->identity;
  add_limits(plan, spec, resources_.limits);
  const InstancePaths paths = instance_paths(resources_.home, spec, order_.slot, order_.id);
  for (const Stream stream : {Stream::out, Stream::err}) {
    auto end = HostedProcess::open_stream(resources_, order_, paths, stream, streams_.emplace_back());
    if (!end) return fail(end.error());
    (stream == Stream::out ? plan.out_fd : plan.err_fd) = end->get();
    write_ends_.push_back(std::move(*end));
  }
  return plan;
}

}  // namespace clusterd
