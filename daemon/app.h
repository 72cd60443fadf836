// App, SlotRecord and Instance: what the daemon knows about one app. Plain data.
//
// Owned and changed by the Supervisor alone; operations and views read it. Times are monotonic milliseconds
// unless the name says wall. An Instance covers the lives of one generation in one slot: a crash starts the
// next life of the same instance, a reload makes a new instance.
#pragma once

#include <sys/types.h>

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/app_spec.h"
#include "daemon/core/health_record.h"
#include "daemon/core/lifecycle.h"
#include "daemon/core/readiness_rule.h"
#include "daemon/core/reconcile.h"
#include "daemon/core/rollout.h"
#include "daemon/system/exit_record.h"

namespace clusterd {

struct AppKey {
  std::string name_space;
  std::string name;
  auto operator<=>(const AppKey&) const = default;
};

// What outlives the instances of a slot.
struct SlotRecord {
  int id = 0;  // unique among all apps; what PM2 calls pm_id
  std::uint64_t launches = 0;
  std::uint64_t restarts = 0;
  bool rests = false;  // stopped by order: its next start is no restart
  std::int64_t created_at_wall_ms = 0;
  std::optional<ExitRecord> last_exit;
  std::string reason;  // why it last failed or stopped, as a sentence
};

struct Instance {
  InstanceKey key = 0;
  int slot = 0;
  Generation generation = 0;
  std::shared_ptr<const AppSpec> spec;

  Phase phase = Phase::stopped;
  Goal goal = Goal::up;
  bool settled = false;
  bool blamed = false;
  bool stuck = false;  // SIGKILL did not end it in time
  int attempts = 0;    // unstable lives in a row

  std::uint64_t life = 0;         // counts processes; an event of an earlier life is dropped
  std::uint64_t timer = 0;        // counts arms; a timer that was replaced is dropped
  bool executed = false;          // this life has become the program
  bool binds = false;             // this life has called bind(): a server, whatever the app did before
  bool listened = false;          // this life has called listen()
  bool replaced = false;          // one of our checks has found it to be replaced, for the reason it has
  bool condemned = false;         // this life is being ended because a check of ours failed
  bool reloading = false;         // it said RELOADING=1 and not yet READY=1
  std::string status_text;        // its STATUS=
  std::optional<pid_t> main_pid;  // its MAINPID=
  std::string probe_note;         // what the last readiness probe met
  HealthRecord health;
  Milliseconds phase_since{0};  // of the phase, or of the execution if that came later
  Milliseconds deadline{0};     // of the timer that was armed last
  std::optional<pid_t> pid;
  Milliseconds started_at{0};
  std::int64_t started_at_wall_ms = 0;
  std::optional<Milliseconds> next_start_at;  // backing off
  std::int64_t cut = 0;                       // connections that were open when its drain_timeout was over
  std::string reason;
  std::string ending_reason;  // why we end this life, or want another in its place; empty: no reason of ours
  std::string leftover;       // who of the last life's tree lives on because we may not signal it
};

// One instance of a new version beside the old ones: a slot behind the last one.
struct Canary {
  Generation target = 0;
  int permille = 0;  // of the connections
};

struct App {
  AppKey key;
  std::map<Generation, std::shared_ptr<const AppSpec>> specs;
  Generation latest = 0;   // counter; every change of what runs raises it
  Generation current = 0;  // the generation whose spec counts; a rollout in progress is ahead of it
  Wanted wanted;
  std::vector<SlotRecord> slots;
  std::list<Instance> instances;
  std::optional<Rollout> rollout;
  std::optional<Canary> canary;  // holds the last slot
  bool has_listened = false;     // some instance listened once: from then on readiness needs a listen()
  bool deleted = false;          // forget it when the last process is gone
  std::string renewal;           // why all of it is being restarted, if nobody ordered it
  std::string waits_for;         // what has to be ready before it is started; empty: it is not held back

  const AppSpec& spec() const { return *specs.at(current); }
  // As the operator knows it: without a canary.
  std::size_t size() const { return wanted.slots.size() - (canary ? 1 : 0); }
};

// Some slot is wanted up: the app is not stopped.
bool is_wanted_up(const App& app);

// A slot whose program has run to its end did so with an exit status that is no failure.
bool finished_well(const App& app, int slot, const AppSpec& spec);

// How many replacements may be under way at a time.
int surge_of(const AppSpec& spec, std::size_t count);

ReadyFacts ready_facts(const App& app, const Instance& instance);
Seen seen_of(const Instance& instance);
std::vector<Seen> seen_of(const App& app);

}  // namespace clusterd
