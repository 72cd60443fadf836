#include "daemon/app_starter.h"

#include <catch2/catch.hpp>

#include "tests/search/fake_host.h"

namespace clusterd {
namespace {

struct Known {
  test::FakeHost host;
  Supervisor supervisor{host};
  AppSpec spec;

  Known() {
    spec.name = "web";
    spec.script = "/srv/web";
    spec.instances = {InstanceCount::Kind::exactly, 2};
    spec.inherited_env = {{"PORT", "1"}};
    spec.env_profiles = {{"production", {{"A", "2"}}}};
    spec.env_profile = "production";
    host.attach(supervisor);
  }
  App& app(Goal goal = Goal::up) { return supervisor.add(spec, 2, goal); }
};

}  // namespace

TEST_CASE("a new name is added, whatever the mode") {
  CHECK(plan_apply(nullptr, AppSpec{}, 1, StartMode::fresh) == ApplyPlan::add);
  CHECK(plan_apply(nullptr, AppSpec{}, 1, StartMode::apply) == ApplyPlan::add);
}

TEST_CASE("the name of another program is a conflict on the command line and the truth in a file") {
  Known known;
  AppSpec other = known.spec;
  other.script = "/opt/web";
  CHECK(plan_apply(&known.app(), other, 2, StartMode::fresh) == ApplyPlan::conflict);
  CHECK(plan_apply(&known.app(), other, 2, StartMode::apply) == ApplyPlan::roll_out);
}

TEST_CASE("an app that runs as it should is left alone, a changed one rolls, a changed count scales") {
  Known known;
  const App& app = known.app();
  CHECK(plan_apply(&app, known.spec, 2, StartMode::apply) == ApplyPlan::start);
  AppSpec changed = known.spec;
  changed.args = {"--verbose"};
  CHECK(plan_apply(&app, changed, 2, StartMode::apply) == ApplyPlan::roll_out);
  AppSpec more = known.spec;
  more.instances.value = 5;
  CHECK(plan_apply(&app, more, 5, StartMode::apply) == ApplyPlan::scale);
}

TEST_CASE("a Node program that becomes a cluster worker needs new processes, others only a new count") {
  Known known;
  AppSpec counted = known.spec;
  counted.instances_given = true;
  counted.exec_mode_given = true;
  CHECK(plan_apply(&known.app(), counted, 3, StartMode::apply) == ApplyPlan::scale);

  Known node;
  node.spec.interpreter = "node";
  counted.interpreter = "node";
  CHECK(plan_apply(&node.app(), counted, 3, StartMode::apply) == ApplyPlan::roll_out);
}

TEST_CASE("a stopped app takes its new settings with the next start") {
  Known known;
  AppSpec changed = known.spec;
  changed.args = {"--verbose"};
  CHECK(plan_apply(&known.app(Goal::down), changed, 2, StartMode::apply) == ApplyPlan::start);
}

TEST_CASE("another shell and a missing --env are no change") {
  Known known;
  AppSpec again = known.spec;
  again.inherited_env = {{"PORT", "2"}, {"SHLVL", "3"}};
  again.env_profile.clear();
  CHECK(plan_apply(&known.app(), again, 2, StartMode::apply) == ApplyPlan::start);
  CHECK(merge_with_known(known.spec, again) == known.spec);
}

TEST_CASE("reload and restart take what runs unchanged, and start what does not run") {
  Known known;
  const App& app = known.app();
  CHECK(plan_apply(&app, known.spec, 2, StartMode::reload) == ApplyPlan::roll_out);
  CHECK(plan_apply(&app, known.spec, 2, StartMode::restart) == ApplyPlan::restart);
  CHECK(plan_apply(nullptr, known.spec, 2, StartMode::restart) == ApplyPlan::add);
  Known down;
  CHECK(plan_apply(&down.app(Goal::down), down.spec, 2, StartMode::reload) == ApplyPlan::start);
}

TEST_CASE("what is not to start by itself stays down, and stays up") {
  Known known;
  known.spec.autostart = false;
  CHECK(plan_apply(&known.app(Goal::down), known.spec, 2, StartMode::apply) == ApplyPlan::keep_down);
  Known up;
  up.spec.autostart = false;
  CHECK(plan_apply(&up.app(), up.spec, 2, StartMode::apply) == ApplyPlan::start);
  CHECK(outcome_word(ApplyPlan::add, nullptr, up.spec) == "registered");
}

TEST_CASE("where an app comes from is no change of it") {
  Known known;
  AppSpec moved = known.spec;
  moved.source_file = "/srv/other.json";
  moved.autostart = false;
  moved.env_file = {"/srv/.env"};
  CHECK(plan_apply(&known.app(), moved, 2, StartMode::apply) == ApplyPlan::start);
}

}  // namespace clusterd
