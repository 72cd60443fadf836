// AppStarter: from specs to running apps: new ones are added, known ones are made equal to their spec.
//
// Used by `start`, `start_known` and `resurrect`. What to do with a known app is one decision (plan_apply,
// pure): nothing, start what is down, scale, or roll out. Every fault of one app leaves the others alone.
#pragma once

#include <memory>
#include <span>

#include "daemon/daemon_context.h"
#include "daemon/gather.h"

namespace clusterd {

enum class StartMode : std::uint8_t {
  fresh,    // the name must be free or belong to the same program
  apply,    // the spec is the truth
  reload,   // ... and what runs is reloaded, changed or not: the program itself may have changed
  restart,  // ... or restarted
};

enum class ApplyPlan : std::uint8_t {
  add,
  start,      // it is down, or runs as it should
  keep_down,  // it is down, and is not to be started by itself
  scale,
  roll_out,
  restart,
  conflict,
};

// `known` is null for a new app.
ApplyPlan plan_apply(const App* known, const AppSpec& spec, int count, StartMode mode);

// As the word of an answer; `known` as above.
std::string_view outcome_word(ApplyPlan plan, const App* known, const AppSpec& spec);

// The spec that counts if `spec` is applied to an app that runs `known`: what only the operator's shell or an
// earlier
// --env said stays as it was.
AppSpec merge_with_known(const AppSpec& known, AppSpec spec);

class AppStarter {
 public:
  explicit AppStarter(DaemonContext& context) : context_(context) {}

  // Adds {"name","namespace","outcome"} to result["apps"] of `gather`.
  // The environment of the caller's shell reaches an app that is known already only if `update_env`.
  void start(const std::shared_ptr<Gather>& gather, const AppSpec& spec, StartMode mode, bool update_env);
  void start_known(const std::shared_ptr<Gather>& gather, App& app, std::span<const int> slots,
                   const Environment* inherited_env);

 private:
  struct Order {
    const AppSpec& spec;
    int count;
    ApplyPlan plan;
    bool update_env;
  };
  void apply(const std::shared_ptr<Gather>& gather, App& app, const Order& order);
  void restart(const std::shared_ptr<Gather>& gather, App& app, const Order& order);
  void take_over(App& app, const AppSpec& spec, int count);
  void start_down(const std::shared_ptr<Gather>& gather, App& app, std::span<const int> slots,
                  std::string_view outcome);

  DaemonContext& context_;
};

}  // namespace clusterd
