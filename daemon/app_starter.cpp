#include "daemon/app_starter.h"

#include <algorithm>

#include "config/node_role.h"

namespace clusterd {
namespace {

// Whether a Node program is a cluster worker depends on whether a number was given, and needs a new process.
bool same_but_for_count(AppSpec a, const AppSpec& b) {
  if (node_role_of(a) != node_role_of(b)) return false;
  a.instances = b.instances;
  a.instances_given = b.instances_given;
  a.exec_mode_given = b.exec_mode_given;
  return a == b;
}

bool same_program(const AppSpec& a, const AppSpec& b) {
  return a.script == b.script && a.interpreter == b.interpreter;
}

void note(const std::shared_ptr<Gather>& gather, const AppKey& key, std::string_view outcome) {
  gather->result()["apps"].push_back(
      {{"name", key.name}, {"namespace", key.name_space}, {"outcome", outcome}});
}

Error name_taken(const App& app, const AppSpec& spec) {
  return {ErrorCode::conflict, "the name '" + spec.name + "' belongs to " + app.spec().script +
                                   "; give this one another with --name, or delete the other first"};
}

}  // namespace

AppSpec merge_with_known(const AppSpec& known, AppSpec spec) {
  spec.inherited_env = known.inherited_env;
  if (spec.env_profile.empty() && spec.env_profiles.contains(known.env_profile))
    spec.env_profile = known.env_profile;
  return spec;
}

ApplyPlan plan_apply(const App* known, const AppSpec& spec, int count, StartMode mode) {
  if (known == nullptr) return ApplyPlan::add;
  if (mode == StartMode::fresh && !same_program(known->spec(), spec)) return ApplyPlan::conflict;
  if (!is_wanted_up(*known)) return ApplyPlan::start;
  if (!same_but_for_count(merge_with_known(known->spec(), spec), known->spec())) return ApplyPlan::roll_out;
  return static_cast<int>(known->size()) == count ? ApplyPlan::start : ApplyPlan::scale;
}

void AppStarter::start(const std::shared_ptr<Gather>& gather, const AppSpec& spec, StartMode mode) {
  if (auto user = context_.host.user_of(spec); !user) {
    return gather->refuse({user.error().code, spec.name + ": " + user.error().message});
  }
  App* known = context_.supervisor.find({spec.name_space, spec.name});
  const int count = resolve_instances(spec.instances, usable_cpus().count);
  const ApplyPlan plan = plan_apply(known, spec, count, mode);
  if (plan == ApplyPlan::conflict) return gather->refuse(name_taken(*known, spec));
  if (known != nullptr && known->deleted) {
    return gather->refuse({ErrorCode::conflict, spec.name + ": is just being deleted; try again"});
  }
  if (plan != ApplyPlan::add) return apply(gather, *known, spec, count, plan);
  App& app = context_.supervisor.add(spec, count, Goal::down);
  note(gather, app.key, "started");
  context_.gate.start(app, {}, gather->part(), gather->progress());
}

void AppStarter::apply(const std::shared_ptr<Gather>& gather, App& app, const AppSpec& spec, int count,
                       ApplyPlan plan) {
  Supervisor& supervisor = context_.supervisor;
  switch (plan) {
    case ApplyPlan::roll_out:
      note(gather, app.key, "reloaded");
      return context_.rollouts.request(app, {spec, std::nullopt, count}, gather->part(), gather->progress());
    case ApplyPlan::scale:
      note(gather, app.key, "scaled");
      supervisor.scale(app, count);
      return context_.waiters.until_up(app, {}, gather->part(), gather->progress());
    default:
      break;
  }
  if (!is_wanted_up(app)) {
    supervisor.replace_spec(app, spec);
    supervisor.scale(app, count);
    return start_down(gather, app, {}, "started");
  }
  start_down(gather, app, {}, "already_running");
}

void AppStarter::start_down(const std::shared_ptr<Gather>& gather, App& app, std::span<const int> slots,
                            std::string_view outcome) {
  note(gather, app.key, outcome);
  context_.gate.start(app, {slots.begin(), slots.end()}, gather->part(), gather->progress());
}

void AppStarter::start_known(const std::shared_ptr<Gather>& gather, App& app, std::span<const int> slots,
                             const Environment* inherited_env) {
  const bool up = is_wanted_up(app);
  if (inherited_env != nullptr && up) {
    note(gather, app.key, "reloaded");
    return context_.rollouts.request(app, {std::nullopt, *inherited_env, std::nullopt}, gather->part(),
                                     gather->progress());
  }
  if (inherited_env != nullptr) {
    AppSpec spec = app.spec();
    spec.inherited_env = *inherited_env;
    context_.supervisor.update_spec(app, spec);
  }
  start_down(gather, app, slots, up ? "already_running" : "started");
}

}  // namespace clusterd
