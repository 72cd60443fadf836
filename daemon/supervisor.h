// The Supervisor: the only owner of apps and instances and the only place that turns decisions into effects.
//
// Problem: exits, readiness, timers and operators' orders arrive in any order, several at once, some of them
// late. Idea: everything that happens is queued as an event; pump() takes the events one by one through the
// lifecycle table, then asks the planner of every touched app for the next steps, until nothing is left to
// do. Effects are orders to the InstanceHost whose outcomes come back as events. Nothing here blocks, reads a
// file or knows a socket.
//
// Used by: operations (orders), ProcessHost (events), views (read only). Single-threaded.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/result.h"
#include "daemon/app.h"
#include "daemon/core/notice.h"
#include "daemon/ended_by.h"
#include "daemon/instance_host.h"

namespace clusterd {

struct InstanceEvent {
  enum class Kind : std::uint8_t {
    started,          // a process exists
    executed,         // ... and has become the program
    binding,          // it called bind(): a server, of whom a listen() can be expected
    listening,        // it called listen()
    notified_ready,   // it said READY=1
    notified,         // it said something else
    probed,           // an answer to its readiness probe, or the line on its readiness descriptor
    checked,          // an answer to its health check
    watchdog_missed,  // it did not say WATCHDOG=1 in time
    drained,          // nothing is left in its queue and on its connections
    exited,           // it and everything it had started are gone
    signalled,        // pre_stop is over and the stop signal is out
    expired,          // the timer
  };
  Kind kind = Kind::started;
  InstanceKey key = 0;
  std::uint64_t life = 0;  // expired: the timer's number
  pid_t pid = 0;           // started
  ExitRecord exit{};       // exited
  std::string failure{};   // exited: why the program could not be executed; empty if it was
  std::string leftover{};  // exited: who of its tree lives on because we may not signal it; empty: nobody
  Notice notice{};         // notified
  bool passed = false;     // probed, checked
  std::string note{};      // probed, checked: what it met if it failed; watchdog_missed: why; exited: by whom
  bool may_pass = false;   // exited with a failure: of the machine, not of the program; worth another try
  EndedBy ended_by = EndedBy::itself;  // exited
  int stop_signal = 0;                 // exited: the one we had sent; 0: none
  std::string last_error{};            // exited: the end of its standard error
  std::string last_output{};           // exited: the end of its standard output if it has no error output
};

// Told about changes, from within the pump: a listener gives no orders there, it posts them.
class SupervisorListener {
 public:
  virtual ~SupervisorListener() = default;
  virtual void instance_moved(const App&, const Instance&, Phase /*from*/) {}  // one transition
  virtual void app_changed(const App&) {}                                      // after a batch
  virtual void app_removed(const AppKey&) {}
  virtual void instance_replaced(const App&, const Instance&) {}  // for the reason it has
  virtual void rollout_ended(const App&, Generation /*target*/, const Result<>& /*outcome*/) {}
  // The end of a life, whatever was the reason: the instance before and after it was handled.
  virtual void life_ended(const App&, const Instance& /*before*/, const Instance& /*after*/,
                          const InstanceEvent&, Instant /*now*/) {}
};

enum class Hurry : std::uint8_t { graceful, at_once };

class Supervisor {
 public:
  explicit Supervisor(InstanceHost& host);
  // Each is told of everything, in the order in which they came.
  void add_listener(SupervisorListener& listener) { listeners_.push_back(&listener); }
  // Called for a pair of phase and trigger that cannot happen; the event is then dropped.
  void set_bug_handler(std::function<void(const std::string&)> handler) { bug_ = std::move(handler); }

  // Events from outside. Cheap; nothing happens before pump().
  void post(InstanceEvent event) { events_.push_back(std::move(event)); }
  void pump();

  // Orders: each changes what is wanted; the effects follow in the next pump(). An empty list of slots is
  // all.
  App& add(const AppSpec& spec, int count, Goal goal);
  void start(App& app, std::span<const int> slots);
  void stop(App& app, std::span<const int> slots, Hurry hurry);
  // renewal: why, if nobody has ordered it at this moment; stands in the reason of what it replaces.
  void restart(App& app, std::span<const int> slots, const std::string& renewal = {});
  // It is not started yet; a start or stop ends that.
  void hold(App& app, const std::string& waits_for);
  void scale(App& app, int count);
  void remove(App& app, Hurry hurry);
  // The spec of the next start or restart; running instances keep theirs. replace_spec: another program, of
  // which nothing is known yet.
  void update_spec(App& app, const AppSpec& spec);
  void replace_spec(App& app, const AppSpec& spec);
  // What concerns no process: instances keep theirs, and no generation begins.
  void amend_spec(App& app, const AppSpec& spec);
  // New before old, as a transaction; ends with rollout_ended. An earlier rollout of the app is superseded.
  Generation roll_out(App& app, const AppSpec& spec, int count, const std::string& renewal = {});
  // A canary: one more instance, of the new spec, which gets this part of the connections. Then either the
  // others follow it as in a rollout, or it goes and nothing has changed. Every other order that changes the
  // number or the version of the instances ends it first.
  int begin_canary(App& app, const AppSpec& spec, int permille);  // its slot
  Generation promote_canary(App& app);
  void abort_canary(App& app);
  void reset_counters(App& app, std::span<const int> slots);
  // The slot gets a new instance of what it runs; where the app overlaps, before the old one goes. Never more
  // than max_surge at a time. Nothing happens (false) to a slot that is being replaced already.
  bool replace(App& app, int slot, const std::string& reason);

  App* find(const AppKey& key);
  std::map<AppKey, App>& apps() { return apps_; }
  const std::map<AppKey, App>& apps() const { return apps_; }
  bool knows(InstanceKey key) const { return owner_.contains(key); }

 private:
  struct Found {
    App* app = nullptr;
    Instance* instance = nullptr;
  };

  Found find_instance(InstanceKey key);
  void handle(const InstanceEvent& event);
  void handle_exit(App& app, Instance& instance, const InstanceEvent& event);
  void handle_expiry(App& app, Instance& instance);
  void handle_start(Instance& instance, pid_t pid);
  void handle_execution(App& app, Instance& instance);
  void handle_readiness(App& app, Instance& instance, InstanceEvent::Kind kind);
  void handle_notice(App& app, Instance& instance, const Notice& notice);
  void handle_probe(App& app, Instance& instance, const InstanceEvent& event);
  void handle_check(App& app, Instance& instance, const InstanceEvent& event);
  void handle_failing(App& app, Instance& instance);
  void condemn(App& app, Instance& instance, const std::string& reason);
  void keep(App& app, Instance& instance);
  void extend(Instance& instance, Milliseconds extension);
  static void set_renewal(App& app, const std::string& renewal);
  void set_reason(App& app, Instance& instance, const std::string& reason);
  void apply(App& app, Instance& instance, Trigger trigger);
  void perform(App& app, Instance& instance, const Effects& effects);
  void launch(App& app, Instance& instance);
  void arm_for_phase(Instance& instance);
  void arm_kill(Instance& instance, Milliseconds hook_time);
  void arm(Instance& instance, Milliseconds delay);
  void settle_app(App& app);
  void act(App& app, const Action& action);
  Trigger way_down(const Instance& instance) const;
  void create(App& app, const Action& action);
  void judge(App& app);
  void go_back(App& app);
  void end_rollout(App& app, const Result<>& outcome);
  void abandon_rollout(App& app, const std::string& why);
  void start_slot(App& app, int slot);
  Generation next_generation(App& app, std::shared_ptr<const AppSpec> spec);
  void resize(App& app, int count);
  void prune(App& app);
  template <class Tell>
  void tell(Tell tell) {
    for (SupervisorListener* listener : listeners_) tell(*listener);
  }
  void touch(const App& app) { touched_.insert(app.key); }

  InstanceHost& host_;
  std::vector<SupervisorListener*> listeners_;
  std::function<void(const std::string&)> bug_;
  std::map<AppKey, App> apps_;
  std::deque<InstanceEvent> events_;
  std::set<AppKey> touched_;
  std::unordered_map<InstanceKey, AppKey> owner_;
  InstanceKey next_key_ = 1;
  int next_id_ = 0;
  bool pumping_ = false;
  std::minstd_rand random_{std::random_device{}()};
};

}  // namespace clusterd
