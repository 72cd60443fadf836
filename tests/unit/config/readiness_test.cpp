// `ready` and `health`: what is understood, what is refused, and where a probe goes in the end.
#include "config/readiness.h"

#include <catch2/catch.hpp>

#include "tests/unit/config/app_file_fixture.h"

using namespace clusterd;
using namespace std::chrono_literals;
using Kind = Readiness::Kind;

namespace {

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

ProbeTarget target_of(const std::string& text, const Environment& variables = {}) {
  const auto probe = parse_probe(text);
  if (!probe) FAIL(probe.error().message);
  const auto target = resolve_probe(*probe, [&](std::string_view name) -> std::optional<std::string> {
    const auto found = variables.find(std::string(name));
    if (found == variables.end()) return std::nullopt;
    return found->second;
  });
  if (!target) FAIL(target.error().message);
  return *target;
}

}  // namespace

TEST_CASE_METHOD(AppFileFixture, "every word of ready, and wait_ready as one of them") {
  CHECK(app_with("").ready.kind == Kind::automatic);
  CHECK(app_with(R"("ready": "listening")").ready.kind == Kind::listening);
  CHECK(app_with(R"("ready": "notify")").ready.kind == Kind::notify);
  CHECK(app_with(R"("ready": "message")").ready.kind == Kind::message);
  CHECK(app_with(R"("ready": "fd")").ready.kind == Kind::fd);
  CHECK(app_with(R"("ready": "delay:3s")").ready.delay == 3s);
  CHECK(readiness_of(app_with(R"("wait_ready": true)")).kind == Kind::notify);
  CHECK(readiness_of(app_with(R"("wait_ready": true, "ready": "message")")).kind == Kind::message);
  const Readiness ready =
      app_with(R"("ready": {"check": "tcp://[::1]:80", "interval": 20, "timeout": "1s"})").ready;
  CHECK(ready.kind == Kind::probe);
  CHECK(ready.probe.text == "tcp://[::1]:80");
  CHECK(ready.interval == 20ms);
  CHECK(ready.timeout == 1s);
}

TEST_CASE_METHOD(AppFileFixture, "what ready does not know is refused with what it knows") {
  CHECK(mentions(error_with(R"("ready": "soon")"), "\"listening\""));
  CHECK(mentions(error_with(R"("ready": "delay:soon")"), "soon"));
  CHECK(mentions(error_with(R"("ready": "https://:1/")"), "exec:curl"));
  CHECK(mentions(error_with(R"("ready": "http://example.org/")"), "not looked up"));
  CHECK(mentions(error_with(R"("ready": "exec: ")"), "command is missing"));
  CHECK(mentions(error_with(R"("ready": {"interval": 50})"), "'check' is missing"));
  CHECK(mentions(error_with(R"("ready": {"check": "tcp", "tries": 5})"), "ready.tries"));
  CHECK(mentions(error_with(R"("ready": "tcp", "wait_ready": true)"), "contradicts"));
  CHECK(mentions(error_with(R"("ready": "listening", "exec_mode": "fork")"), "fork"));
}

TEST_CASE_METHOD(AppFileFixture, "health has its defaults, and its own times") {
  const auto plain = app_with(R"("health": "http://:80/up")").health;
  REQUIRE(plain);
  CHECK(*plain == HealthCheck{{Probe::Kind::http, "http://:80/up"}, 10s, 5s, 3});
  const auto full =
      app_with(R"("health": {"check": "exec:true", "interval": "1s", "timeout": 50, "threshold": 1})").health;
  REQUIRE(full);
  CHECK(*full == HealthCheck{{Probe::Kind::exec, "exec:true"}, 1s, 50ms, 1});
  CHECK(mentions(error_with(R"("health": "notify")"), "exec:COMMAND"));
  CHECK(mentions(error_with(R"("health": {"check": "tcp", "threshold": 0})"), "health.threshold"));
}

TEST_CASE_METHOD(AppFileFixture, "a check that any of several instances may answer is no check of one") {
  CHECK(mentions(error_with(R"("instances": 2, "health": "http://:80/")"), "any of several"));
  CHECK(mentions(error_with(R"("instances": "max", "health": "tcp")"), "any of several"));
  CHECK(app_with(R"("instances": 2, "health": "http://:${PORT}/")").health);
  CHECK(app_with(R"("instances": 2, "health": "exec:./check")").health);
  CHECK(app_with(R"("instances": 1, "health": "tcp")").health);
}

TEST_CASE("a probe goes where its address leads") {
  const ProbeTarget local = target_of("http://:3000/a?b=c");
  CHECK(to_string(*local.address) == "127.0.0.1:3000");
  CHECK(local.host == "localhost:3000");
  CHECK(local.path == "/a?b=c");
  CHECK(to_string(*target_of("http://127.0.0.1").address) == "127.0.0.1:80");
  CHECK(target_of("http://127.0.0.1").path == "/");
  CHECK(to_string(*target_of("http://[::1]:8080/").address) == "[::1]:8080");
  CHECK(to_string(*target_of("tcp://0.0.0.0:1").address) == "127.0.0.1:1");
  CHECK(to_string(*target_of("tcp://[::]:1").address) == "[::1]:1");
  CHECK(to_string(*target_of("tcp://${HOST}:${PORT}", {{"HOST", "10.0.0.1"}, {"PORT", "81"}}).address) ==
        "10.0.0.1:81");
  CHECK_FALSE(target_of("tcp").address);
  CHECK(target_of("exec:./a 'b c' ${D}").argv == std::vector<std::string>{"./a", "b c", "${D}"});
}

TEST_CASE("a variable that is not there, or makes no address, is said") {
  const auto probe = parse_probe("http://:${PORT}/").value();
  const auto none = resolve_probe(probe, [](std::string_view) { return std::nullopt; });
  REQUIRE_FALSE(none);
  CHECK(mentions(none.error().message, "no variable PORT"));
  CHECK_FALSE(resolve_probe(probe, [](std::string_view) { return std::string("x"); }));
  CHECK_FALSE(parse_probe("http://:80/a b"));
  CHECK_FALSE(parse_probe("tcp://:0"));
  CHECK_FALSE(parse_probe("exec:" + std::string(kProbeTextBytesMax, 'x')));
}
