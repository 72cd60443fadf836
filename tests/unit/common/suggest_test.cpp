#include "common/suggest.h"

#include <array>
#include <catch2/catch.hpp>
#include <string>

using namespace clusterd;
using namespace std::string_view_literals;

namespace {
constexpr std::array kWords{"web"sv, "worker"sv, "max_restarts"sv, "restart_delay"sv, "api"sv};
}

TEST_CASE("a slip of the finger finds its word") {
  CHECK(closest("wbe", kWords) == "web");
  CHECK(closest("worcker", kWords) == "worker");
  CHECK(closest("max_restart", kWords) == "max_restarts");
  CHECK(closest("maxRestarts", kWords) == "max_restarts");
  CHECK(closest("WEB", kWords) == "web");
}

TEST_CASE("a word unlike all others suggests nothing") {
  CHECK_FALSE(closest("database", kWords));
  CHECK_FALSE(closest("", kWords));
  CHECK_FALSE(closest("x", kWords));
  CHECK_FALSE(closest("web", {}));
  constexpr std::array kShort{"a"sv};
  CHECK_FALSE(closest("b", kShort));
}

TEST_CASE("a huge word costs nothing and suggests nothing") {
  const std::string huge(10'000'000, 'w');
  CHECK_FALSE(closest(huge, kWords));
  const std::array<std::string_view, 2> words{huge, "web"};
  CHECK(closest("weeb", words) == "web");
}

TEST_CASE("the suggestion is an end of a sentence, or nothing") {
  CHECK(did_you_mean("wbe", kWords) == "; did you mean 'web'?");
  CHECK(did_you_mean("zzzzzz", kWords).empty());
}
