#include "daemon/spec_changes.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace clusterd {

using nlohmann::json;

TEST_CASE("each setting that differs is named with both values") {
  AppSpec known;
  known.args = {"a"};
  AppSpec next = known;
  next.args = {"b"};
  next.max_restarts = 3;
  CHECK(spec_changes(known, known) == json::array());
  CHECK(spec_changes(known, next) == json::array({{{"key", "args"}, {"from", {"a"}}, {"to", {"b"}}},
                                                  {{"key", "max_restarts"}, {"from", nullptr}, {"to", 3}}}));
}

TEST_CASE("of variables only the names are told, the shell's not at all") {
  AppSpec known;
  known.inherited_env = {{"SHELL_ONLY", "1"}};
  known.env = {{"STAYS", "1"}, {"GOES", "secret1"}, {"CHANGES", "secret2"}};
  AppSpec next = known;
  next.inherited_env.clear();
  next.env = {{"STAYS", "1"}, {"CHANGES", "secret3"}, {"COMES", "secret4"}};
  const json changes = spec_changes(known, next);
  CHECK(changes == json::array({{{"key", "env.CHANGES"}, {"kind", "changed"}},
                                {{"key", "env.COMES"}, {"kind", "added"}},
                                {{"key", "env.GOES"}, {"kind", "removed"}}}));
  CHECK(changes.dump().find("secret") == std::string::npos);
}

TEST_CASE("a profile that is chosen counts, others do not") {
  AppSpec known;
  known.env_profiles = {{"production", {{"A", "1"}}}, {"staging", {{"A", "1"}}}};
  known.env_profile = "production";
  AppSpec next = known;
  next.env_profiles["staging"]["A"] = "2";
  CHECK(spec_changes(known, next).empty());
  next.env_profiles["production"]["A"] = "2";
  CHECK(spec_changes(known, next) == json::array({{{"key", "env.A"}, {"kind", "changed"}}}));
}

}  // namespace clusterd
