#include "daemon/core/selector.h"

#include <catch2/catch.hpp>

namespace clusterd {
namespace {

const std::vector<AppFacts> kApps{
    {"default", "web", {0, 1}}, {"default", "api", {2}}, {"staging", "web", {3}},
    {"jobs", "mailer", {4}},    {"jobs", "7", {5}},      {"default", "01", {6}},
};

// "app:slots" of each selection, in order.
std::string selected(std::vector<std::string> targets) {
  const auto result = select_targets(kApps, targets);
  if (!result) return std::string("error: ") + result.error().message;
  std::string text;
  for (const Selection& one : *result) {
    text += kApps[one.app].name_space + "/" + kApps[one.app].name;
    for (const int slot : one.slots) text += "." + std::to_string(slot);
    text += " ";
  }
  return text;
}

}  // namespace

TEST_CASE("names, namespaces, ids, patterns and all") {
  CHECK(selected({"api"}) == "default/api ");
  CHECK(selected({"jobs"}) == "jobs/mailer jobs/7 ");
  CHECK(selected({"staging/web"}) == "staging/web ");
  CHECK(selected({"1"}) == "default/web.1 ");
  CHECK(selected({"0", "1"}) == "default/web.0.1 ");
  CHECK(selected({"/^m/"}) == "jobs/mailer ");
  CHECK(selected({"all"}).size() > 60);
}

TEST_CASE("an exact name comes before an id, and odd numbers are names") {
  CHECK(selected({"7"}) == "jobs/7 ");
  CHECK(selected({"01"}) == "default/01 ");
  CHECK(selected({"+1"}).starts_with("error: no app"));
}

TEST_CASE("a name with a number is one instance") {
  CHECK(selected({"api.0"}) == "default/api.0 ");
  CHECK(selected({"default/web.1", "0"}) == "default/web.0.1 ");
  CHECK(selected({"jobs/7.0"}) == "jobs/7.0 ");
  CHECK(selected({"api.1"}) == "error: api has no instance 1; it has 1, counted from 0");
  CHECK(selected({"web.0"}).find("staging/web") != std::string::npos);
  CHECK(selected({"jobs.0"}).starts_with("error: no app"));
  CHECK(selected({"api.x"}).starts_with("error: no app"));
  CHECK(selected({"api."}).starts_with("error: no app"));
}

TEST_CASE("a name in two namespaces is an error that lists both") {
  const std::string answer = selected({"web"});
  CHECK(answer.find("default/web") != std::string::npos);
  CHECK(answer.find("staging/web") != std::string::npos);
}

TEST_CASE("an unknown target selects nothing, not even with others, and proposes the nearest name") {
  CHECK(selected({"api", "maler"}) ==
        "error: no app, namespace or id matches 'maler'; did you mean 'mailer'?");
  CHECK(selected({"99999"}).starts_with("error:"));
}

TEST_CASE("the whole app swallows its single instances, in any order") {
  CHECK(selected({"1", "default/web"}) == "default/web ");
  CHECK(selected({"default/web", "1"}) == "default/web ");
}

TEST_CASE("a broken or hostile pattern is an error and cannot stall the daemon") {
  CHECK(selected({"/(/"}).starts_with("error: /(/ is not a regular expression"));
  CHECK(selected({"/" + std::string(300, 'a') + "/"}).starts_with("error:"));
  const std::vector<AppFacts> apps{{"default", std::string(100, 'a') + "!", {0}}};
  const std::vector<std::string> targets{"/(a+)+$/"};
  CHECK_FALSE(select_targets(apps, targets));  // exponential for a backtracking matcher
}

}  // namespace clusterd
