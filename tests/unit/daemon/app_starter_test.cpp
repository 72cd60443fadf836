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

}  // namespace clusterd
