#include "daemon/core/start_order.h"

#include <catch2/catch.hpp>

namespace clusterd {
namespace {

AppSpec app(const std::string& name, std::vector<std::string> needs = {},
            const std::string& name_space = "default") {
  AppSpec spec;
  spec.name = name;
  spec.name_space = name_space;
  spec.depends_on = std::move(needs);
  return spec;
}

std::string order(const std::vector<AppSpec>& apps, const std::vector<AppSpec>& others = {}) {
  std::vector<const AppSpec*> given;
  std::vector<const AppSpec*> known;
  for (const AppSpec& one : apps) given.push_back(&one);
  for (const AppSpec& one : others) known.push_back(&one);
  const auto sorted = start_order(given, known);
  if (!sorted) return sorted.error().message;
  std::string names;
  for (const std::size_t index : *sorted) names += apps[index].name + " ";
  return names;
}

}  // namespace

TEST_CASE("without dependencies the order is kept") {
  CHECK(order({app("c"), app("a"), app("b")}) == "c a b ");
}

TEST_CASE("everyone comes behind those it depends on") {
  CHECK(order({app("web", {"api", "db"}), app("api", {"db"}), app("db")}) == "db api web ");
  CHECK(order({app("web", {"jobs:db"}), app("db"), app("db", {}, "jobs")}) == "db web db ");
}

TEST_CASE("who is not there is left to others") { CHECK(order({app("web", {"db"})}) == "web "); }

TEST_CASE("a circle is refused with its names") {
  CHECK(order({app("x"), app("a", {"b"}), app("b", {"c"}), app("c", {"a"})}) ==
        "depends_on goes in a circle: a -> b -> c -> a");
  CHECK(order({app("a", {"b"})}, {app("b", {"a"})}) == "depends_on goes in a circle: a -> b -> a");
}

TEST_CASE("a long chain is no problem") {
  std::vector<AppSpec> apps;
  for (int i = 0; i < 20'000; ++i)
    apps.push_back(app("n" + std::to_string(i), {"n" + std::to_string(i + 1)}));
  std::vector<const AppSpec*> given;
  for (const AppSpec& one : apps) given.push_back(&one);
  CHECK(start_order(given).value().front() == 19'999);
}

}  // namespace clusterd
