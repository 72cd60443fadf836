#include "daemon/dump.h"

#include <catch2/catch.hpp>

namespace clusterd {
namespace {

SavedApp saved() {
  SavedApp app;
  app.spec.name = "web";
  app.spec.script = "/srv/web";
  app.spec.cwd = "/srv";
  app.spec.args = {"a b", "", "\xff\xfe"};
  app.spec.env = {{"SECRET", "x"}};
  app.spec.stop_exit_codes = {0, 3};
  app.slots = {Goal::up, Goal::down};
  return app;
}

}  // namespace

TEST_CASE("one entry that cannot be understood keeps no other from coming up") {
  std::vector<Error> faults;
  std::string text = write_dump({saved()});
  text.insert(text.find('[') + 1, "{\"app\":{\"name\":7},\"slots\":[\"up\"]},");
  const auto apps = read_dump(text, faults);
  REQUIRE(apps);
  CHECK(apps->size() == 1);
  CHECK(faults.size() == 1);
}

TEST_CASE("what is saved comes back, stopped slots as stopped") {
  std::vector<Error> faults;
  const auto apps = read_dump(write_dump({saved()}), faults);
  REQUIRE(apps);
  REQUIRE(apps->size() == 1);
  CHECK(apps->front().spec == saved().spec);
  CHECK(apps->front().slots == saved().slots);
}

TEST_CASE("an empty list is a list") {
  std::vector<Error> faults;
  const auto apps = read_dump(write_dump({}), faults);
  REQUIRE(apps);
  CHECK(apps->empty());
}

TEST_CASE("a broken or newer dump is refused with a reason and never throws") {
  for (const char* text :
       {"", "{", "[]", "null", "{\"version\":1}", "{\"version\":\"1\",\"apps\":[]}",
        "{\"version\":1,\"apps\":[7]}", "{\"version\":1,\"apps\":[{\"app\":{},\"slots\":[]}]}"}) {
    std::vector<Error> faults;
    const auto apps = read_dump(text, faults);
    INFO(text);
    CHECK((!apps || !faults.empty()));
  }
  std::vector<Error> faults;
  const auto newer = read_dump("{\"version\":2,\"apps\":[]}", faults);
  REQUIRE_FALSE(newer);
  CHECK(newer.error().message.find("version 2") != std::string::npos);
}

}  // namespace clusterd
