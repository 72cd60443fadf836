// What the Supervisor makes of notices, probes, health checks and watchdogs.
#include <algorithm>
#include <catch2/catch.hpp>

#include "daemon/supervisor.h"
#include "tests/search/fake_host.h"

namespace clusterd {
namespace {

using Kind = InstanceEvent::Kind;

struct Fixture {
  test::FakeHost host;
  Supervisor supervisor{host};
  App* app = nullptr;

  Fixture() { host.attach(supervisor); }

  // All instances are executed, and online by survival.
  void run(const AppSpec& spec, int count = 1) {
    app = &supervisor.add(spec, count, Goal::up);
    supervisor.pump();
    execute_all();
  }
  void execute_all() {
    for (const InstanceKey key : host.alive()) {
      if (!host.processes.at(key).executed) host.execute(key);
    }
    supervisor.pump();
  }
  void become_online() {
    while (
        std::ranges::any_of(app->instances, [](const Instance& one) { return one.phase == Phase::starting; }))
      next_timer();
  }
  void next_timer() {
    REQUIRE(host.advance_to_next_timer());
    supervisor.pump();
  }
  void notice(InstanceKey key, Notice notice) {
    host.notify(key, std::move(notice));
    supervisor.pump();
  }
  void check(InstanceKey key, bool passed, Kind kind = Kind::checked) {
    host.probe(key, kind, passed, "answered 503");
    supervisor.pump();
  }
  // One failed check after another, until the row counts.
  void fail_checks(InstanceKey key) {
    for (int i = 0; i < 3; ++i) {
      check(key, false);
      host.time += Milliseconds{1'000};
    }
  }
  void exit(InstanceKey key, int code = 0) {
    host.exit(key, code);
    supervisor.pump();
  }
  Instance& first() { return app->instances.front(); }
  Instance& last() { return app->instances.back(); }
};

AppSpec spec() {
  AppSpec result;
  result.name = "web";
  result.script = "/srv/web";
  return result;
}

AppSpec healthy_spec() {
  AppSpec result = spec();
  result.health = HealthCheck{parse_probe("http://:80/").value(), Milliseconds{1'000}, Milliseconds{500}, 3};
  return result;
}

}  // namespace

TEST_CASE("a missed watchdog is a crash with its reason, also if the exit looks clean") {
  Fixture world;
  AppSpec app = spec();
  app.stop_exit_codes = {0};
  world.run(app);
  world.become_online();
  const InstanceKey key = world.first().key;
  CHECK(world.host.checks.at(key) == Checks::health);
  world.host.probe(key, Kind::watchdog_missed, false, "watchdog: no WATCHDOG=1 for 5.0 s");
  world.supervisor.pump();
  CHECK(world.first().phase == Phase::stopping);
  CHECK(world.host.processes.at(key).signalled);
  CHECK(world.host.checks.at(key) == Checks::none);
  world.exit(key, 0);
  CHECK(world.first().phase == Phase::starting);
  CHECK(world.first().reason == "watchdog: no WATCHDOG=1 for 5.0 s");
  CHECK(world.app->slots.front().restarts == 1);
}

TEST_CASE("WATCHDOG=trigger before readiness is a failed start") {
  Fixture world;
  world.run(spec());
  world.notice(world.first().key, {.watchdog_trigger = true});
  CHECK(world.first().phase == Phase::stopping);
  CHECK(world.first().blamed);
  world.exit(world.first().key, 1);
  CHECK(world.first().phase == Phase::backing_off);
}

TEST_CASE("STOPPING=1 is an end of its own: no signal, a limit, and the next life") {
  Fixture world;
  world.run(spec());
  world.become_online();
  const InstanceKey key = world.first().key;
  world.notice(key, {.stopping = true});
  CHECK(world.first().phase == Phase::stopping);
  CHECK_FALSE(world.host.processes.at(key).signalled);
  world.next_timer();
  CHECK(world.host.processes.at(key).killed);
  world.exit(key);
  CHECK(world.first().phase == Phase::starting);
}

TEST_CASE("STOPPING=1 in answer to an order changes nothing") {
  Fixture world;
  world.run(spec());
  world.become_online();
  world.supervisor.stop(*world.app, {}, Hurry::graceful);
  world.supervisor.pump();
  world.notice(world.first().key, {.stopping = true});
  CHECK(world.first().phase == Phase::stopping);
  world.exit(world.first().key);
  CHECK(world.app->instances.empty());
}

TEST_CASE("EXTEND_TIMEOUT_USEC moves the end of a phase, never nearer and never beyond the limit") {
  Fixture world;
  AppSpec app = spec();
  app.wait_ready = true;
  world.run(app);
  const InstanceKey key = world.first().key;
  const Milliseconds begin = world.host.time;
  world.notice(key, {.extension = Milliseconds{5}});
  CHECK(world.host.timers.at(key).due == begin + app.listen_timeout);
  world.notice(key, {.extension = Milliseconds{60'000}});
  CHECK(world.host.timers.at(key).due == begin + Milliseconds{60'000});
  world.notice(key, {.extension = std::chrono::hours{30}});
  CHECK(world.host.timers.at(key).due == begin + kExtensionMax);
  world.next_timer();
  CHECK(world.first().phase == Phase::stopping);
  CHECK(world.first().reason.find("3600.0 s") != std::string::npos);

  const Milliseconds stopped = world.host.time;
  world.notice(key, {.extension = Milliseconds{9'000}});
  CHECK(world.host.timers.at(key).due == stopped + Milliseconds{9'000});
}

TEST_CASE("without a limit of its own a stop is not given one by an extension") {
  Fixture world;
  AppSpec app = spec();
  app.kill_timeout = kNoTimeLimit;
  world.run(app);
  world.become_online();
  world.supervisor.stop(*world.app, {}, Hurry::graceful);
  world.supervisor.pump();
  const std::uint64_t armed = world.first().timer;
  world.notice(world.first().key, {.extension = Milliseconds{10}});
  CHECK(world.first().timer == armed);
}

TEST_CASE("status, main pid and reloading are remembered for a life") {
  Fixture world;
  world.run(spec());
  world.become_online();
  const InstanceKey key = world.first().key;
  world.notice(key, {.reloading = true, .status = "busy", .main_pid = 77});
  CHECK(world.first().status_text == "busy");
  CHECK(world.first().main_pid == 77);
  CHECK(world.first().reloading);
  world.supervisor.post({Kind::notified_ready, key, world.first().life});
  world.supervisor.pump();
  CHECK_FALSE(world.first().reloading);
  world.exit(key, 1);
  CHECK(world.first().status_text.empty());
  CHECK_FALSE(world.first().main_pid);
}

TEST_CASE("a probe makes an instance ready, and its last answer is the reason if it does not") {
  Fixture world;
  AppSpec app = spec();
  app.ready = {Readiness::Kind::probe, parse_probe("http://:80/").value()};
  world.run(app);
  const InstanceKey key = world.first().key;
  CHECK(world.host.checks.at(key) == Checks::readiness);
  world.check(key, false, Kind::probed);
  CHECK(world.first().phase == Phase::starting);
  SECTION("in time") {
    world.check(key, true, Kind::probed);
    CHECK(world.first().phase == Phase::online);
  }
  SECTION("never") {
    world.next_timer();
    CHECK(world.first().phase == Phase::stopping);
    CHECK(world.first().reason == "not ready within 30.0 s: http://:80/: answered 503");
    CHECK(world.host.checks.at(key) == Checks::none);
  }
}

TEST_CASE("a delay is waited for, and min_uptime counts from its end") {
  Fixture world;
  AppSpec app = spec();
  app.ready.kind = Readiness::Kind::delay;
  app.ready.delay = Milliseconds{3'000};
  world.run(app);
  const Milliseconds begin = world.host.time;
  world.next_timer();
  CHECK(world.host.time == begin + Milliseconds{3'000});
  CHECK(world.first().phase == Phase::online);
  CHECK_FALSE(world.first().settled);
  world.next_timer();
  CHECK(world.first().settled);
}

TEST_CASE("with health an instance is stable after min_uptime and a passed check, in either order") {
  Fixture world;
  world.run(healthy_spec());
  world.become_online();
  const InstanceKey key = world.first().key;
  SECTION("the check comes first") {
    world.check(key, true);
    CHECK_FALSE(world.first().settled);
    world.next_timer();
  }
  SECTION("the check comes last") {
    world.next_timer();
    CHECK_FALSE(world.first().settled);
    world.check(key, true);
  }
  CHECK(world.first().settled);
}

TEST_CASE("what has worked and fails is replaced, new before old") {
  Fixture world;
  world.run(healthy_spec());
  world.become_online();
  const InstanceKey old = world.first().key;
  world.check(old, true);
  world.next_timer();
  world.fail_checks(old);
  REQUIRE(world.app->instances.size() == 2);
  CHECK(world.first().phase == Phase::online);
  CHECK(world.app->slots.front().reason == "health: http://:80/ answered 503 (3 times in a row)");
  world.execute_all();
  world.become_online();
  const InstanceKey next = world.last().key;
  world.fail_checks(old);  // it goes on failing: its successor has nothing to do with that
  CHECK(world.last().key == next);
  CHECK_FALSE(world.host.processes.at(next).signalled);
  CHECK_FALSE(world.host.processes.at(old).signalled);
  world.check(next, true);
  world.host.time += Milliseconds{1'000};
  while (!world.last().settled) world.next_timer();
  CHECK(world.host.processes.at(old).signalled);
}

TEST_CASE("a successor that never works pauses longer and longer, and the old one goes on") {
  Fixture world;
  world.run(healthy_spec());
  world.become_online();
  const InstanceKey old = world.first().key;
  world.check(old, true);
  world.next_timer();
  world.fail_checks(old);
  for (int life = 1; life <= 3; ++life) {
    world.execute_all();
    world.become_online();
    const InstanceKey next = world.last().key;
    world.fail_checks(next);
    REQUIRE(world.last().phase == Phase::stopping);
    world.exit(next);
    CHECK(world.last().phase == Phase::backing_off);
    CHECK(world.last().attempts == life);
    world.fail_checks(old);  // still bad: that changes nothing
    CHECK(world.app->instances.size() == 2);
    CHECK_FALSE(world.host.processes.at(old).signalled);
    while (world.last().phase == Phase::backing_off) world.next_timer();
  }
}

TEST_CASE("what works again is kept") {
  Fixture world;
  world.run(healthy_spec());
  world.become_online();
  const InstanceKey old = world.first().key;
  world.check(old, true);
  world.next_timer();
  world.fail_checks(old);
  world.execute_all();
  const InstanceKey next = world.last().key;
  world.check(old, true);
  CHECK(world.host.processes.at(next).signalled);
  world.exit(next);
  REQUIRE(world.app->instances.size() == 1);
  CHECK(world.first().key == old);
  CHECK(world.first().phase == Phase::online);
}

TEST_CASE("never more replacements at a time than max_surge") {
  Fixture world;
  world.run(healthy_spec(), 4);
  world.become_online();
  std::vector<InstanceKey> keys;
  for (const Instance& one : world.app->instances) keys.push_back(one.key);
  for (const InstanceKey key : keys) world.check(key, true);
  while (std::ranges::any_of(world.app->instances, [](const Instance& one) { return !one.settled; }))
    world.next_timer();
  for (const InstanceKey key : keys) world.fail_checks(key);
  CHECK(world.app->instances.size() == 5);
}

TEST_CASE("a new version that never passes its check fails its rollout") {
  Fixture world;
  world.run(healthy_spec());
  world.become_online();
  const InstanceKey old = world.first().key;
  world.check(old, true);
  world.next_timer();
  world.supervisor.roll_out(*world.app, healthy_spec(), 1);
  world.supervisor.pump();
  world.execute_all();
  world.become_online();
  CHECK(world.app->rollout);
  const InstanceKey next = world.last().key;
  world.fail_checks(next);
  world.exit(next);
  CHECK_FALSE(world.app->rollout);
  CHECK(world.first().key == old);
  CHECK(world.first().goal == Goal::up);
}

}  // namespace clusterd
