#include "daemon/death.h"

#include <catch2/catch.hpp>
#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/search/fake_host.h"

namespace clusterd {
namespace {

using nlohmann::json;

// A supervisor whose deaths are written down.
struct Fixture : SupervisorListener {
  test::FakeHost host;
  Supervisor supervisor{host};
  std::vector<json> deaths;

  Fixture() {
    host.attach(supervisor);
    supervisor.add_listener(*this);
  }
  void life_ended(const App& app, const Instance& before, const Instance& after, const InstanceEvent& event,
                  Instant now) override {
    deaths.push_back(death_record(app, before, after, event, now));
  }
  App& add(const AppSpec& spec, int count = 1) {
    App& app = supervisor.add(spec, count, Goal::up);
    supervisor.pump();
    return app;
  }
  InstanceKey execute() {
    const InstanceKey key = host.alive().back();
    host.execute(key);
    supervisor.pump();
    return key;
  }
  const json& exit(InstanceKey key, int code) {
    host.exit(key, code);
    supervisor.pump();
    REQUIRE_FALSE(deaths.empty());
    return deaths.back();
  }
};

AppSpec spec() {
  AppSpec result;
  result.name = "web";
  result.script = "/srv/web";
  return result;
}

}  // namespace

TEST_CASE("an early death: how, after how long, when the next start is") {
  Fixture fixture;
  fixture.add(spec());
  const InstanceKey key = fixture.execute();
  const json& death = fixture.exit(key, 3);
  CHECK(death["name"] == "web");
  CHECK(death["namespace"] == "default");
  CHECK(death["slot"] == 0);
  CHECK(death["id"] == 0);
  CHECK(death["exit"] == json{{"code", 3}});
  CHECK(death["by"] == "itself");
  CHECK(death["phase"] == "starting");
  CHECK(death["cause"].get<std::string>().starts_with("exited with code 3 after 0."));
  CHECK(death["decision"] == "restart_later");
  CHECK(death["attempts"] == 1);
  CHECK(death["next_start_ms"].get<int>() > 0);
  CHECK(death["decision_text"].get<std::string>().find("unstable lives in a row: 1") != std::string::npos);
}

TEST_CASE("what is not started again says why") {
  Fixture fixture;
  AppSpec once = spec();
  once.autorestart = false;
  fixture.add(once);
  CHECK(fixture.exit(fixture.execute(), 1)["decision_text"] == "not started again: autorestart is off");

  AppSpec final_code = spec();
  final_code.name = "job";
  final_code.stop_exit_codes = {7};
  fixture.add(final_code);
  CHECK(fixture.exit(fixture.execute(), 7)["decision_text"] == "not started again: stop_exit_codes has 7");

  AppSpec limited = spec();
  limited.name = "limited";
  limited.max_restarts = 0;
  fixture.add(limited);
  const json& death = fixture.exit(fixture.execute(), 1);
  CHECK(death["decision"] == "give_up");
  CHECK(death["decision_text"].get<std::string>().find("max_restarts (0)") != std::string::npos);
}

TEST_CASE("an order is the cause, whatever the exit") {
  Fixture fixture;
  App& app = fixture.add(spec());
  const InstanceKey key = fixture.execute();
  fixture.supervisor.stop(app, {}, Hurry::graceful);
  fixture.supervisor.pump();
  const json& death = fixture.exit(key, 0);
  CHECK(death["cause"].get<std::string>().starts_with("the app was stopped: exited with code 0"));
  CHECK(death["decision"] == "stay_down");
}

TEST_CASE("SIGKILL after kill_timeout names the limit and the signal before") {
  App app;
  app.key = {"default", "web"};
  app.wanted.slots.push_back({1, Goal::down});
  Instance before;
  before.spec = std::make_shared<const AppSpec>(spec());
  before.goal = Goal::down;
  before.generation = 1;
  before.phase = Phase::killing;
  InstanceEvent event{InstanceEvent::Kind::exited};
  event.exit.signal = SIGKILL;
  event.ended_by = EndedBy::clusterd;
  event.stop_signal = SIGTERM;
  event.last_error = "last words";
  const json death = death_record(app, before, before, event, {Milliseconds{2'000}, 5});
  CHECK(death["cause"] ==
        "the app was stopped: killed by SIGKILL after 2.0 s, because it did not end within kill_timeout (1.6 "
        "s) "
        "after SIGTERM");
  CHECK(death["exit"] == json{{"signal", "SIGKILL"}, {"core_dumped", false}});
  CHECK(death["stderr"] == "last words");
  CHECK(death["at_ms"] == 5);
}

TEST_CASE("a reason of ours stands in front") {
  App app;
  app.key = {"default", "web"};
  app.wanted.slots.push_back({2, Goal::up});
  Instance before;
  before.spec = std::make_shared<const AppSpec>(spec());
  before.goal = Goal::down;
  before.generation = 1;
  before.ending_reason = "it uses more than max_memory";
  InstanceEvent event{InstanceEvent::Kind::exited};
  const json death = death_record(app, before, before, event, {});
  CHECK(death["cause"] ==
        "another one takes its place, because it uses more than max_memory: exited with code 0 after 0.0 s");
}

TEST_CASE("a program that could not be executed has no exit") {
  Fixture fixture;
  fixture.add(spec());
  InstanceEvent event{InstanceEvent::Kind::exited, fixture.host.alive().back(), 1};
  event.failure = "/srv/web: no such file";
  fixture.supervisor.post(event);
  fixture.supervisor.pump();
  REQUIRE(fixture.deaths.size() == 1);
  CHECK(fixture.deaths[0]["exit"].is_null());
  CHECK(fixture.deaths[0]["by"] == "failure");
  CHECK(fixture.deaths[0]["cause"] == "/srv/web: no such file");
  CHECK(fixture.deaths[0]["decision"] == "give_up");
}

}  // namespace clusterd
