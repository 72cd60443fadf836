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
  fresh,  // the name must be free or belong to the same program
  apply,  // the spec is the truth
};

enum class ApplyPlan : std::uint8_t { add, start, scale, roll_out, conflict };

// `known` is null for a new app.
ApplyPlan plan_apply(const App* known, const AppSpec& spec, int count, StartMode mode);

// The spec that counts if `spec` is applied to an app that runs `known`: what only the operator's shell or an
// earlier
// --env said stays as it was.
AppSpec merge_with_known(const AppSpec& known, AppSpec spec);

class AppStarter {
 public:
  explicit AppStarter(DaemonContext& context) : context_(context) {}

  // Adds {"name","namespace","outcome"} to result["apps"] of `gather`.
  void start(const std::shared_ptr<Gather>& gather, const AppSpec& spec, StartMode mode);
  void start_known(const std::shared_ptr<Gather>& gather, App& app, std::span<const int> slots,
                   const Environment* inherited_env);

 private:
  void apply(const std::shared_ptr<Gather>& gather, App& app, const AppSpec& spec, int count, ApplyPlan plan);
  void start_down(const std::shared_ptr<Gather>& gather, App& app, std::span<const int> slots,
                  std::string_view outcome);

  DaemonContext& context_;
};

}  // namespace clusterd
