// InstanceHost: the one seam between decisions and the system. Its orders return at once; what comes of them
// is posted to the Supervisor as events, never as nested calls. ProcessHost performs them for real; the tests
// have a host that performs them in simulated time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "daemon/app.h"

namespace clusterd {

struct LaunchOrder {
  AppKey app;
  InstanceKey key = 0;
  std::uint64_t life = 0;
  int id = 0;
  int slot = 0;
  Generation generation = 0;
  std::uint64_t restarts = 0;
  std::shared_ptr<const AppSpec> spec;
};

// What is asked of an instance from outside, by its phase.
enum class Checks : std::uint8_t {
  none,
  readiness,  // its readiness probe, until it passes; answered by probed
  health,     // its health check and its watchdog; answered by checked and watchdog_missed
};

struct Instant {
  Milliseconds monotonic{0};
  std::int64_t wall_ms = 0;  // for people only; no decision is taken from it
};

class InstanceHost {
 public:
  virtual ~InstanceHost() = default;

  virtual void launch(const LaunchOrder& order) = 0;  // answered by started, executed, exited
  virtual void admit(InstanceKey key) = 0;            // it is ready: new connections for it
  // It gets this part of the app's new connections, in thousandths; 0: as the others.
  virtual void set_share(InstanceKey key, int permille) = 0;
  // No new connections for it; answered by drained when it has none left. app_stays: a successor will come,
  // so connections may wait for it. Where nothing can be steered it is told to stop, which is the only way.
  virtual void steer_away(InstanceKey key, bool app_stays) = 0;
  virtual void signal(InstanceKey key) = 0;  // stop signal to its tree, once a life
  virtual void kill(InstanceKey key) = 0;    // SIGKILL to its tree; answered by exited
  virtual void arm(InstanceKey key, std::uint64_t timer, Milliseconds delay) = 0;  // replaces the earlier one
  virtual void run_checks(InstanceKey key, Checks checks) = 0;                     // replaces those of before
  virtual void release(InstanceKey key) = 0;                                       // it is forgotten
  virtual Instant now() const = 0;

  // It can be steered away from, and what it still has be watched until it ends.
  virtual bool drains(InstanceKey key) const = 0;
  virtual std::int64_t open_connections(InstanceKey key) const = 0;  // 0 where nobody knows
};

}  // namespace clusterd
