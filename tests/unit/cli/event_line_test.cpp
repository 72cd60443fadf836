#include "cli/event_line.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace clusterd::cli {
namespace {

using nlohmann::json;

Event process_event(json fields) {
  fields["at"] = 1'790'000'000'123;
  return {1, "process:event", std::move(fields)};
}

}  // namespace

TEST_CASE("an event of a process says when, who, what and why") {
  const json process{{"name", "web"}, {"slot", 2}, {"pid", nullptr}};
  CHECK(event_line(process_event({{"name", "exit"},
                                  {"process", process},
                                  {"exit", {{"signal", "SIGSEGV"}}},
                                  {"reason", "SIGSEGV after 3.1 s"}})) ==
        "2026-09-21T14:13:20.123Z web.2 exit SIGSEGV: SIGSEGV after 3.1 s");
  CHECK(event_line(process_event({{"name", "exit"}, {"process", process}, {"exit", {{"code", 3}}}})) ==
        "2026-09-21T14:13:20.123Z web.2 exit code 3");
  CHECK(event_line(
            process_event({{"name", "online"}, {"process", {{"name", "web"}, {"slot", 0}, {"pid", 42}}}})) ==
        "2026-09-21T14:13:20.123Z web.0 online pid 42");
}

TEST_CASE("an event of an app names the app; what a terminal would obey is made visible") {
  CHECK(event_line({1, "app:event", {{"name", "delete"}, {"app", "w\x1b[2Jeb"}, {"at", 0}}}).find('\x1b') ==
        std::string::npos);
  CHECK(event_line({1, "app:event", {{"name", "reload"}, {"app", "web"}, {"at", 0}}}) ==
        "1970-01-01T00:00:00.000Z web reload");
  CHECK(event_line({1, "dropped", {{"events", 7}}}) == "7 events left out: they came too fast");
}

TEST_CASE("as an object an event says what it is") {
  CHECK(event_object({1, "app:event", {{"name", "delete"}}}) ==
        json{{"topic", "app:event"}, {"name", "delete"}});
  CHECK(event_object({1, "odd", nullptr}) == json{{"topic", "odd"}});
}

}  // namespace clusterd::cli
