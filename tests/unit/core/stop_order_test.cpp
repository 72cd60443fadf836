#include "daemon/core/stop_order.h"

#include <catch2/catch.hpp>
#include <deque>

namespace clusterd {
namespace {

class World {
 public:
  World& app(const std::string& name, std::vector<std::string> needs = {}, bool lives = true) {
    AppSpec& spec = specs_.emplace_back();
    spec.name = name;
    spec.name_space = "default";
    spec.depends_on = std::move(needs);
    apps_.push_back({&spec, lives, false});
    return *this;
  }
  // Tells those whose turn it is, and lets everybody who was told before go.
  std::string turn() {
    std::string names;
    for (const std::size_t index : next_to_stop(apps_)) {
      apps_[index].told = true;
      names += apps_[index].spec->name + " ";
    }
    return names;
  }
  void gone() {
    for (Leaver& app : apps_) app.lives = app.lives && !app.told;
  }
  std::string turns() {
    std::string text;
    for (std::string names = turn(); !names.empty(); names = turn()) {
      text += (text.empty() ? "" : "| ") + names;
      gone();
    }
    return text;
  }

 private:
  std::deque<AppSpec> specs_;
  std::vector<Leaver> apps_;
};

}  // namespace

TEST_CASE("without dependencies all stop at once") { CHECK(World().app("b").app("a").turns() == "b a "); }

TEST_CASE("dependents stop before what they depend on") {
  CHECK(World().app("db").app("api", {"db"}).app("web", {"api", "db"}).app("mail").turns() ==
        "web mail | api | db ");
}

TEST_CASE("nobody is told before the last dependent is gone") {
  World world;
  world.app("db").app("web", {"db"});
  CHECK(world.turn() == "web ");
  CHECK(world.turn().empty());
  world.gone();
  CHECK(world.turn() == "db ");
}

TEST_CASE("who does not live keeps nobody waiting and does not wait") {
  CHECK(World().app("db").app("web", {"db"}, false).turns() == "db web ");
  CHECK(World().app("db", {}, false).app("web", {"db"}).turns() == "db web ");
}

TEST_CASE("dependencies on other namespaces and on unknown apps") {
  CHECK(World().app("db").app("web", {"jobs:db", "nobody"}).turns() == "db web ");
}

TEST_CASE("a circle is stopped at once, after whoever depends on it") {
  CHECK(World().app("a", {"b"}).app("b", {"a"}).app("web", {"a"}).turns() == "web | a b ");
}

}  // namespace clusterd
