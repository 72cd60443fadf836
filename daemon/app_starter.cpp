#include "daemon/app_starter.h"

#include <algorithm>

#include "config/node_role.h"

namespace clusterd {
namespace {

// What matters only when the daemon or an operator acts.
void take_what_concerns_no_process(AppSpec& to, const AppSpec& from) {
  to.source_file = from.source_file;
  to.autostart = from.autostart;
  to.env_file = from.env_file;
  to.port = from.port;
  to.append_env_to_name = from.append_env_to_name;
}

// Whether a Node program is a cluster worker depends on whether a number was given, and needs a new process.
bool same_but_for_count(AppSpec a, const AppSpec& b) {
  if (node_role_of(a) != node_role_of(b)) return false;
  a.instances = b.instances;
  a.instances_given = b.instances_given;
  a.exec_mode_given = b.exec_mode_given;
  take_what_concerns_no_process(a, b);
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
  if (!is_wanted_up(*known)) return spec.autostart ? ApplyPlan::start : ApplyPlan::keep_down;
  if (mode == StartMode::restart) return ApplyPlan::restart;
  if (mode == StartMode::reload) return ApplyPlan::roll_out;
  if (!same_but_for_count(merge_with_known(known->spec(), spec), known->spec())) return ApplyPlan::roll_out;
  return static_cast<int>(known->size()) == count ? ApplyPlan::start : ApplyPlan::scale;
}

std::string_view outcome_word(ApplyPlan plan, const App* known, const AppSpec& spec) {
  switch (plan) {
    case ApplyPlan::add:
      return spec.autostart ? "started" : "registered";
    case ApplyPlan::start:
      return is_wanted_up(*known) ? "already_running" : "started";
    case ApplyPlan::keep_down:
      return "registered";
    case ApplyPlan::scale:
      return "scaled";
    case ApplyPlan::roll_out:
      return "reloaded";
    case ApplyPlan::restart:
      return "restarted";
    case ApplyPlan::conflict:
      break;
  }
  return "conflict";
}

void AppStarter::start(const std::shared_ptr<Gather>& gather, const AppSpec& spec, StartMode mode,
                       bool update_env) {
  if (auto user = context_.host.user_of(spec); !user) {
    return gather->refuse({user.error().code, spec.name + ": " + user.error().message});
  }
  App* known = context_.supervisor.find({spec.name_space, spec.name});
  const int count = resolve_instances(spec.instances, usable_cpus().count);
  ApplyPlan plan = plan_apply(known, spec, count, mode);
  if (plan == ApplyPlan::conflict) return gather->refuse(name_taken(*known, spec));
  if (known != nullptr && known->deleted) {
    return gather->refuse({ErrorCode::conflict, spec.name + ": is just being deleted; try again"});
  }
  const bool is_up = plan == ApplyPlan::start && is_wanted_up(*known);
  if (update_env && (is_up || plan == ApplyPlan::scale) &&
      known->spec().inherited_env != spec.inherited_env) {
    plan = ApplyPlan::roll_out;
  }
  if (plan != ApplyPlan::add) return apply(gather, *known, {spec, count, plan, update_env});
  App& app = context_.supervisor.add(spec, count, Goal::down);
  note(gather, app.key, outcome_word(plan, nullptr, spec));
  if (spec.autostart) context_.gate.start(app, {}, gather->part(), gather->progress());
}

void AppStarter::apply(const std::shared_ptr<Gather>& gather, App& app, const Order& order) {
  Supervisor& supervisor = context_.supervisor;
  const AppSpec& spec = order.spec;
  const std::string_view outcome = outcome_word(order.plan, &app, spec);
  switch (order.plan) {
    case ApplyPlan::roll_out: {
      RolloutIntent intent{spec, std::nullopt, order.count};
      if (order.update_env) intent.inherited_env = spec.inherited_env;
      note(gather, app.key, outcome);
      return context_.rollouts.request(app, std::move(intent), gather->part(), gather->progress());
    }
    case ApplyPlan::restart:
      return restart(gather, app, order);
    case ApplyPlan::scale:
      note(gather, app.key, outcome);
      take_over(app, spec, order.count);
      supervisor.scale(app, order.count);
      return context_.waiters.until_up(app, {}, gather->part(), gather->progress());
    case ApplyPlan::keep_down:
      note(gather, app.key, outcome);
      supervisor.replace_spec(app, spec);
      supervisor.scale(app, order.count);
      return supervisor.stop(app, {}, Hurry::graceful);  // what the scaling has added
    default:
      break;
  }
  if (is_wanted_up(app)) {
    take_over(app, spec, static_cast<int>(app.size()));
  } else {
    supervisor.replace_spec(app, spec);
    supervisor.scale(app, order.count);
  }
  start_down(gather, app, {}, outcome);
}

void AppStarter::restart(const std::shared_ptr<Gather>& gather, App& app, const Order& order) {
  AppSpec spec = merge_with_known(app.spec(), order.spec);
  if (order.update_env) spec.inherited_env = order.spec.inherited_env;
  note(gather, app.key, "restarted");
  if (same_program(app.spec(), spec)) {
    context_.supervisor.update_spec(app, spec);
  } else {
    context_.supervisor.replace_spec(app, spec);
  }
  context_.supervisor.restart(app, {});
  context_.supervisor.scale(app, order.count);
  context_.waiters.until_up(app, {}, gather->part(), gather->progress());
}

// An app that goes on running as it is: only what concerns no process changes.
void AppStarter::take_over(App& app, const AppSpec& spec, int count) {
  AppSpec amended = app.spec();
  take_what_concerns_no_process(amended, spec);
  if (resolve_instances(spec.instances, usable_cpus().count) == count) amended.instances = spec.instances;
  if (!app.rollout) context_.supervisor.amend_spec(app, amended);
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
