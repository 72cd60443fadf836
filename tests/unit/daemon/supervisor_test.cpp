#include "daemon/supervisor.h"

#include <catch2/catch.hpp>

#include "tests/search/fake_host.h"

namespace clusterd {
namespace {

struct Fixture {
  test::FakeHost host;
  Supervisor supervisor{host};

  Fixture() { host.attach(supervisor); }

  App& add(const AppSpec& spec, int count = 1) {
    App& app = supervisor.add(spec, count, Goal::up);
    supervisor.pump();
    return app;
  }
  // The process of the only instance becomes the program.
  InstanceKey execute() {
    const InstanceKey key = host.alive().back();
    host.execute(key);
    supervisor.pump();
    return key;
  }
  void listen(InstanceKey key) {
    host.listen(key);
    supervisor.pump();
  }
  void exit(InstanceKey key, int code) {
    host.exit(key, code);
    supervisor.pump();
  }
  void next_timer() {
    host.advance_to_next_timer();
    supervisor.pump();
  }
  Phase phase(const App& app) const { return app.instances.front().phase; }
};

AppSpec spec() {
  AppSpec result;
  result.name = "web";
  result.script = "/srv/web";
  return result;
}

}  // namespace

TEST_CASE("an app that never binds is ready after min_uptime and stable with it") {
  Fixture fixture;
  App& app = fixture.add(spec());
  fixture.execute();
  CHECK(fixture.phase(app) == Phase::starting);
  fixture.next_timer();
  CHECK(fixture.phase(app) == Phase::online);
  CHECK(app.instances.front().settled);
}

TEST_CASE("waiting for its turn to be started is not counted as being late") {
  Fixture fixture;
  fixture.host.starts_at_once = false;
  App& app = fixture.add(spec());
  const InstanceKey key = fixture.host.alive().back();
  for (int times = 0; times < 3; ++times) fixture.next_timer();
  REQUIRE(fixture.phase(app) == Phase::starting);
  fixture.host.start(key);
  fixture.supervisor.pump();
  CHECK(fixture.host.timers.at(key).due == fixture.host.time + app.spec().listen_timeout);
  fixture.next_timer();  // the launcher hangs
  CHECK(fixture.phase(app) == Phase::stopping);
}

TEST_CASE("a program that has called bind() has to listen, however long it has lived") {
  Fixture fixture;
  App& app = fixture.add(spec());
  const InstanceKey key = fixture.execute();
  fixture.supervisor.post({InstanceEvent::Kind::binding, key, app.instances.front().life});
  fixture.supervisor.pump();
  fixture.next_timer();
  CHECK(fixture.phase(app) == Phase::starting);
  fixture.next_timer();
  CHECK(fixture.phase(app) == Phase::stopping);
  CHECK(app.instances.front().reason.find("bind() but not listen()") != std::string::npos);
}

TEST_CASE("an app that has listened once has to listen again") {
  Fixture fixture;
  App& app = fixture.add(spec());
  fixture.listen(fixture.execute());
  CHECK(fixture.phase(app) == Phase::online);
  fixture.next_timer();
  fixture.exit(app.instances.front().key, 1);
  fixture.execute();
  fixture.next_timer();
  CHECK(fixture.phase(app) == Phase::stopping);
}

TEST_CASE("with wait_ready listening is not enough") {
  Fixture fixture;
  AppSpec waiting = spec();
  waiting.wait_ready = true;
  App& app = fixture.add(waiting);
  const InstanceKey key = fixture.execute();
  fixture.listen(key);
  CHECK(fixture.phase(app) == Phase::starting);
  fixture.supervisor.post({InstanceEvent::Kind::notified_ready, key, app.instances.front().life});
  fixture.supervisor.pump();
  CHECK(fixture.phase(app) == Phase::online);
}

TEST_CASE("a crash after a stable life starts again at once, an early one waits") {
  Fixture fixture;
  App& app = fixture.add(spec());
  fixture.listen(fixture.execute());
  fixture.next_timer();
  fixture.exit(app.instances.front().key, 1);
  CHECK(fixture.phase(app) == Phase::starting);
  CHECK(fixture.host.launches == 2);
  fixture.exit(app.instances.front().key, 1);
  CHECK(fixture.phase(app) == Phase::backing_off);
  CHECK(app.slots[0].reason == "exited with code 1 after 0.0 s");
}

TEST_CASE("the pause between two lives is not counted as uptime") {
  Fixture fixture;
  AppSpec slow = spec();
  slow.restart_delay = Milliseconds(60'000);
  slow.min_uptime = Milliseconds(2'000);
  slow.max_restarts = 3;
  App& app = fixture.add(slow);
  for (int life = 0; life < 3; ++life) {
    fixture.exit(fixture.execute(), 1);
    if (life < 2) fixture.next_timer();
  }
  CHECK(fixture.phase(app) == Phase::errored);
  CHECK(fixture.host.launches == 3);
}

TEST_CASE("a stop during the pause sticks, also when the timer was already on its way") {
  Fixture fixture;
  App& app = fixture.add(spec());
  fixture.exit(fixture.execute(), 1);
  fixture.host.advance_to_next_timer();  // the event is in the queue
  fixture.supervisor.stop(app, {}, Hurry::graceful);
  fixture.supervisor.pump();
  CHECK(app.instances.empty());
  CHECK(fixture.host.launches == 1);
}

TEST_CASE("restart during the pause starts at once and the delay begins anew") {
  Fixture fixture;
  App& app = fixture.add(spec());
  for (int life = 0; life < 6; ++life) {
    fixture.exit(fixture.execute(), 1);
    if (life < 5) fixture.next_timer();
  }
  CHECK(app.instances.front().attempts == 6);
  fixture.supervisor.restart(app, {});
  fixture.supervisor.pump();
  REQUIRE(app.instances.size() == 1);
  CHECK(fixture.phase(app) == Phase::starting);
  CHECK(app.instances.front().attempts == 0);
  CHECK(fixture.host.alive().size() == 1);
}

TEST_CASE("late events of an earlier life change nothing") {
  Fixture fixture;
  App& app = fixture.add(spec());
  const InstanceKey key = fixture.execute();
  const std::uint64_t first_life = app.instances.front().life;
  fixture.listen(key);
  fixture.next_timer();
  fixture.exit(key, 1);
  fixture.supervisor.post({InstanceEvent::Kind::listening, key, first_life});
  fixture.supervisor.post({InstanceEvent::Kind::exited, key, first_life});
  fixture.supervisor.pump();
  CHECK(fixture.phase(app) == Phase::starting);
  CHECK(fixture.host.alive().size() == 1);
}

TEST_CASE("a process that outlives SIGKILL is said to be stuck and goes on being stopping") {
  Fixture fixture;
  App& app = fixture.add(spec());
  fixture.listen(fixture.execute());
  fixture.supervisor.stop(app, {}, Hurry::at_once);
  fixture.supervisor.pump();
  fixture.next_timer();
  CHECK(fixture.phase(app) == Phase::killing);
  CHECK(app.instances.front().stuck);
}

TEST_CASE("kill_timeout without limit never kills") {
  Fixture fixture;
  AppSpec patient = spec();
  patient.kill_timeout = kNoTimeLimit;
  App& app = fixture.add(patient);
  const InstanceKey key = fixture.execute();
  fixture.listen(key);
  fixture.supervisor.stop(app, {}, Hurry::graceful);
  fixture.supervisor.pump();
  while (fixture.host.advance_to_next_timer()) fixture.supervisor.pump();
  CHECK(fixture.phase(app) == Phase::stopping);
  CHECK_FALSE(fixture.host.processes.at(key).killed);
}

TEST_CASE("ids are given by slot, survive a reload, and begin at zero when nothing is left") {
  Fixture fixture;
  App& app = fixture.add(spec(), 2);
  CHECK(app.slots[0].id == 0);
  CHECK(app.slots[1].id == 1);
  fixture.supervisor.remove(app, Hurry::at_once);
  fixture.supervisor.pump();
  for (const InstanceKey key : fixture.host.alive()) fixture.exit(key, 0);
  CHECK(fixture.supervisor.apps().empty());
  CHECK(fixture.add(spec()).slots[0].id == 0);
}

namespace {

// One instance that serves and has sockets of its own.
struct Draining : Fixture {
  Draining() {
    host.draining = true;
    AppSpec wish = spec();
    wish.drain_timeout = Milliseconds(20'000);
    app = &add(wish);
    key = execute();
    listen(key);
    next_timer();  // it is stable
    REQUIRE(phase(*app) == Phase::online);
  }
  void stop(Hurry hurry = Hurry::graceful) {
    supervisor.stop(*app, {}, hurry);
    supervisor.pump();
  }
  const test::FakeHost::Process& process() const { return host.processes.at(key); }

  App* app = nullptr;
  InstanceKey key = 0;
};

}  // namespace

TEST_CASE("an instance is admitted when it is ready, and a stop lets it drain before the signal") {
  Draining world;
  CHECK(world.process().admitted);
  world.stop();
  CHECK(world.phase(*world.app) == Phase::draining);
  CHECK_FALSE(world.process().admitted);
  CHECK_FALSE(world.process().signalled);
  world.host.drain(world.key);
  world.supervisor.pump();
  CHECK(world.phase(*world.app) == Phase::stopping);
  CHECK(world.process().signalled);
  CHECK(world.app->instances.front().cut == 0);
  world.exit(world.key, 0);
  CHECK(world.host.alive().empty());
  CHECK(world.app->instances.empty());
}

TEST_CASE("when drain_timeout is over, what is still open is noted and the signal goes out") {
  Draining world;
  world.stop();
  const Milliseconds begin = world.host.time;
  world.next_timer();
  CHECK(world.host.time - begin == Milliseconds(20'000));
  CHECK(world.phase(*world.app) == Phase::stopping);
  CHECK(world.process().signalled);
  CHECK(world.app->instances.front().cut == 1);
  CHECK(world.app->instances.front().reason == "drain_timeout (20.0 s) is over with 1 connection open");
  // It may have become empty in that very moment: too late, and no mistake.
  world.host.drain(world.key);
  world.supervisor.pump();
  CHECK(world.phase(*world.app) == Phase::stopping);
}

TEST_CASE("a kill does not wait for anybody, also not in the middle of draining") {
  Draining world;
  SECTION("at once") { world.stop(Hurry::at_once); }
  SECTION("while it drains") {
    world.stop();
    world.stop(Hurry::at_once);
  }
  CHECK(world.phase(*world.app) == Phase::killing);
  CHECK(world.process().killed);
}

TEST_CASE("a second stop while it drains does not hasten it") {
  Draining world;
  world.stop();
  const auto timer = world.host.timers.at(world.key);
  world.stop();
  world.supervisor.remove(*world.app, Hurry::graceful);
  world.supervisor.pump();
  CHECK(world.phase(*world.app) == Phase::draining);
  CHECK_FALSE(world.process().signalled);
  CHECK(world.host.timers.at(world.key).due == timer.due);
  world.host.drain(world.key);
  world.supervisor.pump();
  world.exit(world.key, 0);
  CHECK(world.supervisor.apps().empty());
}

TEST_CASE("a stop in the middle of a restart tells those that drain that nobody will follow") {
  Draining world;
  world.supervisor.restart(*world.app, {});
  world.supervisor.pump();
  REQUIRE(world.phase(*world.app) == Phase::draining);
  CHECK(world.process().clients_wait);
  world.stop();
  CHECK(world.phase(*world.app) == Phase::draining);
  CHECK_FALSE(world.process().clients_wait);
}

TEST_CASE("a crash while draining is an end") {
  Draining world;
  world.stop();
  world.exit(world.key, 1);
  CHECK(world.host.alive().empty());
  CHECK(world.app->instances.empty());
}

TEST_CASE("one that is not ready yet has nobody to drain and gets the signal") {
  Fixture fixture;
  fixture.host.draining = true;
  App& app = fixture.add(spec());
  const InstanceKey key = fixture.execute();
  fixture.supervisor.stop(app, {}, Hurry::graceful);
  fixture.supervisor.pump();
  CHECK(fixture.phase(app) == Phase::stopping);
  CHECK(fixture.host.processes.at(key).signalled);
}

}  // namespace clusterd
