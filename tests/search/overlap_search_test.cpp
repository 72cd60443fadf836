// Rollouts, replacements and scaling with new before old: from the moment the app was fully up, never fewer
// instances get new connections than the app is to have, whatever the order of events, as long as nobody
// crashes.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "tests/search/fake_host.h"

namespace clusterd {
namespace {

class Overlap {
 public:
  explicit Overlap(unsigned seed) : random_(seed), supervisor_(host_), count_(1 + static_cast<int>(pick(4))) {
    host_.draining = true;
    host_.attach(supervisor_);
    supervisor_.set_bug_handler([](const std::string& what) { FAIL("bug: " << what); });
    supervisor_.add(spec(), count_, Goal::up);
    supervisor_.pump();
    while (admitted() < count_) happen();
  }

  void step() {
    if (pick(10) == 0) order();
    happen();
    REQUIRE(admitted() >= count_);
  }

  void finish() {
    for (int turn = 0; turn < 3'000 && !at_rest(); ++turn) happen();
    REQUIRE(at_rest());
    REQUIRE(admitted() == count_);
  }

 private:
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }
  App& app() { return *supervisor_.find({"default", "web"}); }

  AppSpec spec() {
    AppSpec result;
    result.name = "web";
    result.script = "/bin/web";
    if (pick(2) == 0) result.max_surge = 1 + static_cast<int>(pick(3));
    return result;
  }

  int admitted() const {
    return static_cast<int>(std::ranges::count_if(
        host_.processes, [](const auto& entry) { return entry.second.alive && entry.second.admitted; }));
  }
  bool at_rest() {
    return !app().rollout && app().instances.size() == static_cast<std::size_t>(count_) &&
           std::ranges::all_of(app().instances,
                               [](const Instance& one) { return one.phase == Phase::online; });
  }

  void order() {
    switch (pick(4)) {
      case 0:
        // The number counts from the end of the rollout, or at once; until then the smaller of the two.
        count_ = std::min(count_, 1 + static_cast<int>(pick(4)));
        supervisor_.scale(app(), count_);
        break;
      case 1:
        supervisor_.replace(app(), static_cast<int>(pick(static_cast<unsigned>(count_))), "unhealthy");
        break;
      default:
        supervisor_.roll_out(app(), spec(), count_);
    }
    supervisor_.pump();
  }

  void happen() {
    const std::vector<InstanceKey> alive = host_.alive();
    const InstanceKey key = alive[pick(static_cast<unsigned>(alive.size()))];
    const auto& process = host_.processes.at(key);
    const auto instance = std::ranges::find(app().instances, key, &Instance::key);
    const bool draining = instance->phase == Phase::draining;
    if (process.signalled || process.killed) {
      host_.exit(key, 0);
    } else if (!process.executed) {
      host_.execute(key);
    } else if (draining && pick(2) == 0) {
      host_.drain(key);
    } else if (!draining && instance->phase == Phase::starting) {
      host_.listen(key);
    } else if (all_have_started()) {
      host_.advance_to_next_timer();
    }
    supervisor_.pump();
  }
  // Timers fire when nothing else is to be done: nobody is late.
  bool all_have_started() {
    return std::ranges::none_of(app().instances,
                                [](const Instance& one) { return one.phase == Phase::starting; });
  }

  std::minstd_rand random_;
  test::FakeHost host_;
  Supervisor supervisor_;
  int count_;
};

}  // namespace

TEST_CASE("with new before old an app never has fewer instances that get connections than it is to have") {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    Overlap world(seed);
    for (int step = 0; step < 200; ++step) world.step();
    world.finish();
  }
}

}  // namespace clusterd
