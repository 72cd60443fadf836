// The whole Supervisor over a fake system, with seeded orders and faults: no event ever meets a cell that
// cannot happen, no process is started twice or forgotten alive, every rollout ends, and calm leads to what
// is wanted.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "tests/search/fake_host.h"

namespace clusterd {
namespace {

class Chaos {
 public:
  enum class Sockets { shared, own };

  Chaos(unsigned seed, Sockets sockets) : random_(seed), supervisor_(host_), watch_(*this) {
    host_.attach(supervisor_);
    host_.draining = sockets == Sockets::own;
    supervisor_.add_listener(watch_);
    supervisor_.set_bug_handler([](const std::string& what) { FAIL("bug: " << what); });
    for (const char* name : {"a", "b"}) supervisor_.add(spec(name), 1 + static_cast<int>(pick(4)), Goal::up);
    supervisor_.pump();
  }

  void step() {
    if (pick(6) == 0) {
      order();
    } else {
      happen();
    }
    supervisor_.pump();
    REQUIRE(host_.double_launches == 0);
    REQUIRE(host_.released_alive == 0);
    check_admission();
  }

  void calm_down() {
    for (int turn = 0; turn < 2'000; ++turn) {
      // Executed and listening before any timer fires.
      for (int acts = 0; acts < 2; ++acts) {
        for (const InstanceKey key : host_.alive()) behave(key);
        supervisor_.pump();
        check_admission();
      }
      if (!host_.advance_to_next_timer()) break;
      supervisor_.pump();
      check_admission();
    }
  }

  void check_rest() const {
    std::size_t wanted = 0;
    for (const auto& [key, app] : supervisor_.apps()) {
      std::string shown;
      for (const Instance& one : app.instances) {
        shown += std::to_string(one.slot) + ":" + std::to_string(one.generation) + " " +
                 std::string(phase_name(one.phase)) + (one.goal == Goal::up ? " up" : " down") +
                 (one.settled ? " settled; " : "; ");
      }
      for (const WantedSlot& slot : app.wanted.slots) {
        shown += "wants " + std::to_string(slot.generation) + (slot.goal == Goal::up ? " up; " : " down; ");
      }
      INFO(key.name << ": " << shown);
      REQUIRE_FALSE(app.rollout);
      REQUIRE_FALSE(app.deleted);
      for (std::size_t slot = 0; slot < app.wanted.slots.size(); ++slot) {
        const bool up = app.wanted.slots[slot].goal == Goal::up;
        const auto here = std::ranges::count_if(
            app.instances, [&](const Instance& one) { return one.slot == static_cast<int>(slot); });
        // After a way back to a version that had given up, what serves is not taken away for it.
        const bool gave_up = std::ranges::any_of(app.instances, [&](const Instance& one) {
          return one.slot == static_cast<int>(slot) && one.phase == Phase::errored;
        });
        REQUIRE((here == (up ? 1 : 0) || (up && gave_up && here == 2)));
      }
      for (const Instance& instance : app.instances) {
        INFO(key.name << "." << instance.slot << " is " << phase_name(instance.phase) << " "
                      << instance.reason);
        REQUIRE((instance.phase == Phase::online || has_ended(instance.phase)));
        wanted += instance.phase == Phase::online ? 1 : 0;
      }
      REQUIRE(app.slots.size() == app.wanted.slots.size());
      REQUIRE(app.specs.size() <= app.instances.size() + app.wanted.slots.size() + 1);
    }
    REQUIRE(host_.alive().size() == wanted);
  }

 private:
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }

  AppSpec spec(const std::string& name) {
    AppSpec result;
    result.name = name;
    result.script = "/bin/" + name;
    result.exec_mode = pick(3) ? ExecMode::cluster : ExecMode::fork;
    result.autorestart = pick(8) != 0;
    if (pick(4) == 0) result.max_restarts = static_cast<int>(pick(3));
    if (pick(4) == 0) result.restart_delay = Milliseconds(700);
    constexpr std::array kReady{Readiness::Kind::notify, Readiness::Kind::fd, Readiness::Kind::probe,
                                Readiness::Kind::delay};
    if (pick(3) == 0) {
      result.ready.kind = kReady[pick(kReady.size())];
      result.ready.probe = parse_probe("http://:80/").value();
      result.ready.delay = Milliseconds(400);
    }
    if (pick(3) == 0) result.health = HealthCheck{parse_probe("tcp").value(), Milliseconds(100), {}, 2};
    return result;
  }

  void order() {
    std::vector<App*> apps;
    for (auto& [key, app] : supervisor_.apps()) {
      if (!app.deleted) apps.push_back(&app);
    }
    if (apps.empty() || (apps.size() < 3 && pick(6) == 0)) {
      const std::string name(1, static_cast<char>('a' + pick(5)));
      if (supervisor_.find({"default", name}) == nullptr)
        supervisor_.add(spec(name), 1 + static_cast<int>(pick(3)), Goal::up);
      return;
    }
    App& app = *apps[pick(static_cast<unsigned>(apps.size()))];
    const std::vector<int> one{static_cast<int>(pick(static_cast<unsigned>(app.wanted.slots.size())))};
    const std::span<const int> slots = pick(2) ? std::span<const int>(one) : std::span<const int>();
    const Hurry hurry = pick(3) ? Hurry::graceful : Hurry::at_once;
    const int count = 1 + static_cast<int>(pick(5));
    switch (pick(9)) {
      case 0:
        return supervisor_.stop(app, slots, hurry);
      case 1:
        return supervisor_.start(app, slots);
      case 2:
        return supervisor_.restart(app, slots);
      case 3:
        return supervisor_.scale(app, count);
      case 4:
        return supervisor_.remove(app, hurry);
      case 5:
        return supervisor_.reset_counters(app, slots);
      case 6:
        return supervisor_.update_spec(app, spec(app.key.name));
      default:
        supervisor_.roll_out(app, spec(app.key.name), count);
        return;
    }
  }

  void happen() {
    const std::vector<InstanceKey> alive = host_.alive();
    if (alive.empty() || pick(3) == 0) {
      host_.advance_to_next_timer();
      return;
    }
    const InstanceKey key = alive[pick(static_cast<unsigned>(alive.size()))];
    const bool executed = host_.processes.at(key).executed;
    if (executed && pick(4) == 0) return say(key);
    switch (pick(8)) {
      case 0:
        return host_.exit(key, static_cast<int>(pick(2)));
      case 1:
        return executed ? host_.exit(key, 1) : host_.exit(key, 127, "no such file");
      case 2:
      case 3:
        return executed ? host_.listen(key) : host_.execute(key);
      default:
        return behave(key);
    }
  }

  // Whatever an instance may say of itself, and checks may say of it, at any moment.
  void say(InstanceKey key) {
    using Kind = InstanceEvent::Kind;
    switch (pick(7)) {
      case 0:
        return host_.notify(key, {.stopping = true});
      case 1:
        return host_.notify(key, {.watchdog_trigger = true});
      case 2:
        return host_.notify(key, {.reloading = true, .status = "x", .extension = Milliseconds(pick(50'000))});
      case 3:
        return host_.probe(key, Kind::watchdog_missed, false, "watchdog");
      case 4:
        return host_.probe(key, Kind::probed, pick(2) == 0, "no");
      default:
        host_.time += Milliseconds(100);
        return host_.probe(key, Kind::checked, pick(3) == 0, "no");
    }
  }

  // Whoever is ready gets connections, and whoever drains gets none and is left alone.
  void check_admission() const {
    for (const auto& [key, app] : supervisor_.apps()) {
      for (const Instance& one : app.instances) {
        const auto process = host_.processes.find(one.key);
        if (process == host_.processes.end() || !process->second.alive) continue;
        INFO(key.name << "." << one.slot << " is " << phase_name(one.phase));
        if (one.phase == Phase::online) REQUIRE(process->second.admitted);
        if (one.phase == Phase::starting || one.phase == Phase::draining)
          REQUIRE_FALSE(process->second.admitted);
        if (one.phase == Phase::draining && host_.draining) REQUIRE_FALSE(process->second.signalled);
      }
    }
  }

  // Draining ends with its event, its timer, an exit or SIGKILL: nothing else brings the stop signal.
  void check_move(const Instance& instance, Phase from) const {
    if (!host_.draining) return;
    if (from == Phase::draining && instance.phase == Phase::stopping) {
      const bool over = host_.time >= drain_ends_.at(instance.key);
      INFO("drained " << drained_.contains(instance.key) << ", over " << over);
      REQUIRE((drained_.contains(instance.key) || over));
    }
    // One that was ready and is told to go is not signalled before it has drained.
    if (from == Phase::online && instance.phase == Phase::stopping) REQUIRE(instance.goal == Goal::up);
  }

  void note_move(const Instance& instance, Phase from) {
    if (instance.phase == Phase::draining && from != Phase::draining) {
      drain_ends_[instance.key] = host_.time + instance.spec->drain_timeout;
      drained_.erase(instance.key);
    }
    check_move(instance, from);
  }

  void drain(InstanceKey key) {
    drained_.insert(key);
    host_.drain(key);
  }
  bool drains(InstanceKey key) const {
    for (const auto& [name, app] : supervisor_.apps()) {
      for (const Instance& one : app.instances) {
        if (one.key == key) return host_.draining && one.phase == Phase::draining;
      }
    }
    return false;
  }

  // What a healthy program does next.
  void behave(InstanceKey key) {
    const auto& process = host_.processes.at(key);
    if (process.killed || process.signalled) return host_.exit(key, 0);
    if (drains(key)) return drain(key);
    if (!process.executed) return host_.execute(key);
    host_.listen(key);
    supervisor_.post({InstanceEvent::Kind::notified_ready, key, process.life});
    const auto asked = host_.checks.find(key);
    if (asked == host_.checks.end() || asked->second == Checks::none) return;
    host_.probe(key,
                asked->second == Checks::health ? InstanceEvent::Kind::checked : InstanceEvent::Kind::probed,
                true);
  }

  struct Watch : SupervisorListener {
    explicit Watch(Chaos& owner) : chaos(owner) {}
    void instance_moved(const App&, const Instance& instance, Phase from) override {
      chaos.note_move(instance, from);
    }
    void app_changed(const App&) override {}
    void app_removed(const AppKey&) override {}
    void rollout_ended(const App&, Generation, const Result<>&) override {}
    Chaos& chaos;
  };

  std::minstd_rand random_;
  test::FakeHost host_;
  Supervisor supervisor_;
  Watch watch_;
  std::map<InstanceKey, Milliseconds> drain_ends_;
  std::set<InstanceKey> drained_;  // since draining began
};

}  // namespace

TEST_CASE("the supervisor survives every order at every moment") {
  for (const auto sockets : {Chaos::Sockets::shared, Chaos::Sockets::own}) {
    for (unsigned seed = 1; seed <= 1'000; ++seed) {
      INFO("seed " << seed << (sockets == Chaos::Sockets::own ? ", own sockets" : ", shared sockets"));
      Chaos chaos(seed, sockets);
      for (int step = 0; step < 150; ++step) chaos.step();
      chaos.calm_down();
      chaos.check_rest();
    }
  }
}

}  // namespace clusterd
