#include "config/field_values.h"

#include <catch2/catch.hpp>
#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/unit/config/app_file_fixture.h"

using namespace clusterd;
using namespace std::chrono_literals;
using Texts = std::vector<std::string>;
using Kind = InstanceCount::Kind;

TEST_CASE_METHOD(AppFileFixture, "every field takes its value") {
  const AppSpec spec =
      app_with(R"("instances": 3, "exec_mode": "fork", "instance_var": "I", "increment_var": "PORT",
    "listen": [3000, "unix:/run/x"], "socket_protocol": "nginx", "balance": "shared", "max_surge": 2, "wait_ready": true,
    "listen_timeout": "5s",
    "drain_timeout": 0, "kill_timeout": "2m", "kill_signal": "QUIT", "treekill": false, "autorestart": false,
    "min_uptime": 100, "max_restarts": 0, "restart_delay": "1s", "exp_backoff_restart_delay": 200,
    "exp_backoff_restart_delay_max": "1m", "stop_exit_codes": [143, 0, 143], "merge_logs": false,
    "uid": 33, "gid": "www",
    "namespace": "blue")");
  CHECK(spec.instances == InstanceCount{Kind::exactly, 3});
  CHECK(spec.instances_given);
  CHECK(spec.exec_mode == ExecMode::fork);
  CHECK(spec.instance_var == "I");
  CHECK(spec.increment_var == "PORT");
  REQUIRE(spec.listen.size() == 2);
  CHECK(to_string(spec.listen[0].address) == "*:3000");
  CHECK(spec.balance == Balance::shared);
  CHECK(spec.max_surge == 2);
  CHECK(spec.wait_ready);
  CHECK(spec.listen_timeout == 5s);
  CHECK(spec.drain_timeout == 0ms);
  CHECK(spec.kill_timeout == 2min);
  CHECK(spec.kill_signal == SIGQUIT);
  CHECK_FALSE(spec.treekill);
  CHECK_FALSE(spec.autorestart);
  CHECK(spec.min_uptime == 100ms);
  CHECK(spec.max_restarts == 0);
  CHECK(spec.restart_delay == 1s);
  CHECK(spec.exp_backoff_restart_delay == 200ms);
  CHECK(spec.exp_backoff_max == 1min);
  CHECK(spec.stop_exit_codes == std::vector<int>{0, 143});
  CHECK(spec.merge_logs == false);
  CHECK(spec.uid == "33");
  CHECK(spec.gid == "www");
  CHECK(spec.name_space == "blue");
}

TEST_CASE_METHOD(
    AppFileFixture,
    "numbers and booleans may be written as strings, floats as whole numbers, if nothing is lost") {
  CHECK_FALSE(app_with(R"("autorestart": "false")").autorestart);
  CHECK(app_with(R"("wait_ready": "true")").wait_ready);
  CHECK(app_with(R"("max_restarts": "3")").max_restarts == 3);
  CHECK(app_with(R"("max_restarts": 3.0)").max_restarts == 3);
  CHECK(app_with(R"("max_restarts": 1e3)").max_restarts == 1000);
  CHECK(app_with(R"("kill_timeout": 2e3)").kill_timeout == 2s);
  CHECK(app_with(R"("stop_exit_codes": "143")").stop_exit_codes == std::vector<int>{143});
}

TEST_CASE_METHOD(AppFileFixture, "each kind of field refuses what it cannot hold, and says what it wants") {
  const std::map<std::string, Texts> refused{
      {"autorestart", {"1", "\"yes\"", "\"True\"", "null", "[]", "{}"}},
      {"max_restarts",
       {"-1", "0.5", "\"x\"", "\"\"", "\"3 \"", "null", "[]", "true", "2147483648", "1e300",
        "18446744073709551615"}},
      {"max_surge", {"0", "-1", "\"25%\"", "null"}},
      {"kill_timeout", {"-2", "\"-2\"", "1.5", "\"1.5s\"", "\"5 minutes\"", "null", "true", "[]", "1e300"}},
      {"listen_timeout", {"-1", "0", "\"0s\""}},
      {"min_uptime", {"99", "\"99ms\"", "0", "-1"}},
      {"instances", {"0.5", "1e9", "10001", "-10001", "\"many\"", "\"\"", "null", "true", "[4]", "\"Max\""}},
      {"exec_mode", {"\"clustr\"", "1", "null"}},
      {"balance", {"\"least\"", "null"}},
      {"kill_signal", {"\"SIGNOPE\"", "0", "65", "1.5", "null", "[]", "\"\""}},
      {"stop_exit_codes", {"256", "-1", "null", "\"x\"", "{}", "[1, 256]", "[null]"}},
      {"listen", {"\"x\"", "70000", "null", "{}", "[true]", "[3000, 3000]", "[\"*:80\", 80]"}},
      {"uid", {"-1", "4294967295", "null", "true", "\"\"", "1.5"}},
      {"args",
       {"1", "null", "{}", "[null]", "[true]", "[[]]", "\"open '\"", R"("nul \u0000")", R"(["nul \u0000"])"}},
      {"env",
       {"null", "[]", "\"A=1\"", R"({"A": null})", R"({"A=B": 1})", R"({"": 1})", R"({"A\u0000": 1})",
        R"({"A": "\u0000"})"}},
      {"env_x", {"null", "1"}},
      {"cwd", {"1", "null", "\"\"", R"("\u0000")"}},
      {"out_file", {"\"\"", "true", "null"}},
      {"instance_var", {"1", "null"}},
  };
  for (const auto& [field, values] : refused) {
    for (const std::string& value : values) {
      INFO(field + ": " + value);
      const std::string error = error_with('"' + field + "\": " + value);
      CHECK(error.find("eco.json:1: " + field) == 0);
      CHECK(error.size() > field.size() + 30);
    }
  }
}

TEST_CASE_METHOD(AppFileFixture, "an error shows what came, shortened and on one line") {
  CHECK(error_with(R"("max_restarts": "a\nb")").ends_with(R"(expected a whole number >= 0, got "a\nb")"));
  const std::string error = error_with(R"("wait_ready": ")" + std::string(1000, 'y') + "\"");
  CHECK(error.ends_with("…"));
  CHECK(error.size() < 200);
  CHECK(error_with("\"kill_timeout\": \"5x\"").find("or -1 for no limit") != std::string::npos);
}

TEST_CASE_METHOD(AppFileFixture, "instances may follow the CPUs") {
  CHECK(app_with(R"("instances": "max")").instances.kind == Kind::all_cpus);
  CHECK(app_with(R"("instances": 0)").instances.kind == Kind::all_cpus);
  CHECK(app_with(R"("instances": -1)").instances == InstanceCount{Kind::all_cpus_minus, 1});
  CHECK(app_with(R"("instances": "4")").instances == InstanceCount{Kind::exactly, 4});
  CHECK(app_with(R"("instances": 10000)").instances.value == 10'000);
  CHECK_FALSE(app_with(R"("cwd": "/")").instances_given);
}

TEST_CASE_METHOD(AppFileFixture, "kill_timeout alone may be for ever") {
  CHECK(app_with(R"("kill_timeout": -1)").kill_timeout == kNoTimeLimit);
  CHECK(app_with(R"("kill_timeout": "-1")").kill_timeout == kNoTimeLimit);
  CHECK(app_with(R"("kill_timeout": 0)").kill_timeout == 0ms);
}

TEST_CASE_METHOD(AppFileFixture, "signals are given by name or number") {
  CHECK(app_with(R"("kill_signal": "SIGTERM")").kill_signal == SIGTERM);
  CHECK(app_with(R"("kill_signal": 2)").kill_signal == SIGINT);
  CHECK(app_with(R"("kill_signal": "2")").kill_signal == SIGINT);
  CHECK(error_with(R"("kill_signal": "SIGTREM")").ends_with("did you mean SIGTERM?"));
}
