// FakeHost: an InstanceHost in simulated time. Its processes do what the test says, its timers fire when the
// test advances the clock. Used by the supervisor search and by unit tests of the Supervisor.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "daemon/instance_host.h"
#include "daemon/supervisor.h"

namespace clusterd::test {

class FakeHost final : public InstanceHost {
 public:
  struct Process {
    std::uint64_t life = 0;
    bool alive = false;
    bool executed = false;
    bool signalled = false;
    bool killed = false;
    bool admitted = false;
    bool clients_wait = false;  // steered away from while somebody was to follow
    int slot = 0;
    Generation generation = 0;
    AppKey app;
  };
  struct Timer {
    std::uint64_t number = 0;
    Milliseconds due{0};
  };

  void attach(Supervisor& supervisor) { supervisor_ = &supervisor; }

  void launch(const LaunchOrder& order) override {
    Process& process = processes[order.key];
    double_launches += process.alive ? 1 : 0;
    process = {order.life, true, false, false, false, false, false, order.slot, order.generation, order.app};
    ++launches;
    if (!starts_at_once) return;
    start(order.key);
  }
  void start(InstanceKey key) {
    InstanceEvent event{InstanceEvent::Kind::started, key, processes.at(key).life};
    event.pid = static_cast<pid_t>(key) + 1;
    supervisor_->post(std::move(event));
  }
  void set_share(InstanceKey key, int permille) override { shares[key] = permille; }
  void admit(InstanceKey key) override { processes[key].admitted = true; }
  void steer_away(InstanceKey key, bool app_stays) override {
    processes[key].admitted = false;
    processes[key].clients_wait = app_stays;
    if (!draining) signal(key);
  }
  void signal(InstanceKey key) override { processes[key].signalled = true; }
  void kill(InstanceKey key) override { processes[key].killed = true; }
  void arm(InstanceKey key, std::uint64_t timer, Milliseconds delay) override {
    timers[key] = {timer, time + delay};
  }
  void run_checks(InstanceKey key, Checks wanted) override { checks[key] = wanted; }
  void release(InstanceKey key) override {
    released_alive += processes[key].alive ? 1 : 0;
    processes.erase(key);
    timers.erase(key);
    checks.erase(key);
  }
  Instant now() const override { return {time, 0}; }
  bool drains(InstanceKey) const override { return draining; }
  std::int64_t open_connections(InstanceKey) const override { return 1; }

  void drain(InstanceKey key) {
    supervisor_->post({InstanceEvent::Kind::drained, key, processes.at(key).life});
  }

  void execute(InstanceKey key) {
    Process& process = processes.at(key);
    process.executed = true;
    supervisor_->post({InstanceEvent::Kind::executed, key, process.life});
  }
  void listen(InstanceKey key) {
    supervisor_->post({InstanceEvent::Kind::listening, key, processes.at(key).life});
  }
  void notify(InstanceKey key, Notice notice) {
    InstanceEvent event{InstanceEvent::Kind::notified, key, processes.at(key).life};
    event.notice = std::move(notice);
    supervisor_->post(std::move(event));
  }
  void probe(InstanceKey key, InstanceEvent::Kind kind, bool passed, std::string note = {}) {
    InstanceEvent event{kind, key, processes.at(key).life};
    event.passed = passed;
    event.note = std::move(note);
    supervisor_->post(std::move(event));
  }
  void exit(InstanceKey key, int code, std::string failure = {}) {
    Process& process = processes.at(key);
    process.alive = false;
    InstanceEvent event{InstanceEvent::Kind::exited, key, process.life};
    event.exit.code = code;
    event.failure = std::move(failure);
    supervisor_->post(std::move(event));
  }
  // To the next timer; false if there is none.
  bool advance_to_next_timer() {
    const auto next = std::min_element(timers.begin(), timers.end(), [](const auto& a, const auto& b) {
      return a.second.due < b.second.due;
    });
    if (next == timers.end()) return false;
    time = std::max(time, next->second.due);
    const auto [key, timer] = *next;
    timers.erase(next);
    supervisor_->post({InstanceEvent::Kind::expired, key, timer.number});
    return true;
  }
  std::vector<InstanceKey> alive() const {
    std::vector<InstanceKey> keys;
    for (const auto& [key, process] : processes) {
      if (process.alive) keys.push_back(key);
    }
    return keys;
  }

  Milliseconds time{1'000'000};
  std::map<InstanceKey, Process> processes;
  std::map<InstanceKey, Timer> timers;
  bool starts_at_once = true;
  bool draining = false;  // as where each instance has sockets of its own
  std::map<InstanceKey, Checks> checks;
  std::map<InstanceKey, int> shares;
  int launches = 0;
  int double_launches = 0;
  int released_alive = 0;

 private:
  Supervisor* supervisor_ = nullptr;
};

}  // namespace clusterd::test
