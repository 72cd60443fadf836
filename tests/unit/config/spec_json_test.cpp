#include "config/spec_json.h"

#include <catch2/catch.hpp>
#include <csignal>
#include <nlohmann/json.hpp>

#include "common/json_text.h"
#include "config/app_fields.h"

using namespace clusterd;
using nlohmann::json;

namespace {

AppSpec minimal_spec() {
  AppSpec spec;
  spec.name = "web";
  spec.script = "/srv/server";
  spec.cwd = "/srv";
  return spec;
}

void set_log(AppSpec& spec) {
  spec.log.file = "/l";
  spec.log.target = LogTargetKind::direct;
  spec.log.type = LogType::json;
  spec.log.date_format = "HH:mm";
  spec.log.time = true;
  spec.log.disabled = true;
  spec.log.line_max = 4096;
  spec.log.rate_limit = 100;
  spec.log.rotate = LogRotation{
      4096,          LogRotation::Interval::cron,   3, 8192, Milliseconds{5}, LogRotation::Compression::zstd,
      "30 4 * * *"};
}

void set_runtime(AppSpec& spec) {
  spec.cron = {"30 4 * * *", "Europe/Berlin", CronOverlap::skip};
  spec.watch = {true, {"/srv/src"}, {{"*.tmp"}}, Milliseconds{300}};
  spec.max_memory_restart = 200 << 20;
  spec.depends_on = {"db", "jobs:queue"};
  spec.depends_timeout = Milliseconds{13};
  spec.pre_start = {"a", "b c"};
  spec.post_start = {"d"};
  spec.pre_stop = {"e"};
  spec.post_stop = {"f"};
  spec.hook_timeout = Milliseconds{14};
  spec.limits = {{{"nofile", {10, 20}}, {"core", {}}}, 5, 100, 027, {1 << 30, 1500, 40}};
  spec.standard_input = StandardInput::pipe;
}

// No field has its default; a test below makes sure of that.
AppSpec full_spec() {
  AppSpec spec = minimal_spec();
  set_log(spec);
  set_runtime(spec);
  spec.name_space = "blue";
  spec.args = {"--t=a b", "", "\xff\xfe", "{\"$hex\":\"00\"}"};
  spec.interpreter = "/usr/bin/node";
  spec.interpreter_args = {"--inspect"};
  spec.instances = {InstanceCount::Kind::all_cpus_minus, 2};
  spec.instances_given = true;
  spec.exec_mode = ExecMode::fork;
  spec.exec_mode_given = true;
  spec.by_node = true;
  spec.shutdown_with_message = true;
  spec.inherited_env = {
      {"PATH", "/bin"}, {"ODD", "\x80"}, {"\xff", "odd name"}, {"$hex:41", "looks encoded"}, {"EMPTY", ""}};
  spec.env = {{"A", "$HOME"}, {"JSON", "{}"}};
  spec.env_profiles = {
      {"production", {{"A", "2"}}}, {"profile", {{"B", "3"}}}, {"empty", {}}, {"\xfe", {{"C", "4"}}}};
  spec.env_profile = "production";
  spec.filter_env = {false, "", {"SECRET", "\xff"}};
  spec.env_file = {"/srv/.env", "/srv/a b"};
  spec.port = 3000;
  spec.append_env_to_name = true;
  spec.autostart = false;
  spec.source_file = "/srv/\xff.json";
  spec.instance_var = "";
  spec.increment_var = "PORT";
  spec.listen = {parse_listen_address("*:3000").value(),
                 parse_listen_address("[::]:3000").value(),
                 parse_listen_address("[fe80::1%2]:1").value(),
                 parse_listen_address("unix:@x").value(),
                 {parse_listen_address("/run/x").value(), "x", {0660, "www-data", "33"}}};
  spec.socket_protocol = {SocketProtocol::systemd, SocketProtocol::php_fpm};
  spec.balance = Balance::shared;
  spec.max_surge = 2;
  spec.wait_ready = true;
  spec.ready = {Readiness::Kind::probe, parse_probe("exec:a 'b c'").value(), Milliseconds{0},
                Milliseconds{20}, Milliseconds{30}};
  spec.health = HealthCheck{parse_probe("http://:${PORT}/x").value(), Milliseconds{10}, Milliseconds{11}, 2};
  spec.watchdog = Milliseconds{12};
  spec.listen_timeout = Milliseconds{1};
  spec.drain_timeout = Milliseconds{0};
  spec.drain_idle = Milliseconds{0};
  spec.kill_timeout = kNoTimeLimit;
  spec.kill_signal = SIGRTMAX;
  spec.treekill = false;
  spec.autorestart = false;
  spec.min_uptime = Milliseconds{100};
  spec.max_restarts = 0;
  spec.restart_delay = Milliseconds{7};
  spec.exp_backoff_restart_delay = Milliseconds{8};
  spec.exp_backoff_max = Milliseconds{9};
  spec.stop_exit_codes = {0, 143};
  spec.out_file = "/o";
  spec.error_file = "/e";
  spec.merge_logs = false;
  spec.pid_file = "/p";
  spec.uid = "33";
  spec.gid = "www";
  return spec;
}

Result<AppSpec> travel(const AppSpec& spec) {
  const auto value = parse_line(to_line(to_json(spec)));
  REQUIRE(value);
  return parse_resolved_app(*value);
}

}  // namespace

TEST_CASE("a spec survives the way through text, with every field set and with none") {
  for (const AppSpec& spec : {minimal_spec(), full_spec()}) {
    const auto arrived = travel(spec);
    INFO((arrived ? "" : arrived.error().message));
    REQUIRE(arrived);
    CHECK(*arrived == spec);
  }
}

TEST_CASE("the full spec of this test leaves no field at its default") {
  const AppSpec defaults;
  const AppSpec full = full_spec();
  for (const AppField& field : app_fields()) {
    INFO(field.name);
    if (field.name == "execute_command") continue;  // travels as exec_mode
    CHECK(field.write(full) != field.write(defaults));
  }
}

TEST_CASE("each kind of instance count survives") {
  for (const InstanceCount count : {InstanceCount{InstanceCount::Kind::exactly, 10'000},
                                    InstanceCount{InstanceCount::Kind::all_cpus, 0}}) {
    AppSpec spec = minimal_spec();
    spec.instances = count;
    CHECK(travel(spec).value() == spec);
    CHECK_FALSE(travel(spec).value().instances_given);
  }
}

TEST_CASE("the written form is the app file's, with its values explicit") {
  const json app = to_json(minimal_spec());
  CHECK(app["name"] == "web");
  CHECK(app["instances"] == 1);
  CHECK(app["exec_mode"] == "cluster");
  CHECK(app["kill_timeout"] == 1600);
  CHECK(app["min_uptime"] == 1000);
  CHECK_FALSE(app.contains("max_restarts"));
  CHECK_FALSE(app.contains("args"));
}

TEST_CASE("the description of an app holds nothing of its environment") {
  AppSpec spec = full_spec();
  spec.env["SECRET"] = "s3cret";
  spec.inherited_env["TOKEN"] = "s3cret";
  spec.env_profiles["production"]["KEY"] = "s3cret";
  const json app = to_json_without_env(spec);
  CHECK(to_line(app).find("s3cret") == std::string::npos);
  CHECK_FALSE(app.contains("env"));
  CHECK(app["name"] == "web");
}

TEST_CASE("the daemon takes no app that is not resolved") {
  const json good = to_json(minimal_spec());
  const auto refusal = [&good](const char* key, const json& value) {
    json app = good;
    app[key] = value;
    const auto spec = parse_resolved_app(app);
    INFO(key);
    REQUIRE_FALSE(spec);
    CHECK(spec.error().code == ErrorCode::config);
    return spec.error().message;
  };
  CHECK(refusal("script", "./server").find("app.script:") == 0);
  CHECK(refusal("script", "").find("app.script:") == 0);
  CHECK(refusal("cwd", "srv").find("app.cwd:") == 0);
  CHECK(refusal("out_file", "o").find("app.out_file:") == 0);
  CHECK(refusal("pid_file", "../p").find("app.pid_file:") == 0);
  CHECK(refusal("name", "../x").find("app.name:") == 0);
  CHECK(refusal("namespace", "a/b").find("app.namespace:") == 0);
  CHECK(refusal("wrong", 1) == "app.wrong: unknown key");
  CHECK(refusal("cmd", "/x") == "app.cmd: unknown key");
  CHECK(refusal("instances", 1e9).find("app.instances: expected") == 0);
  CHECK(refusal("inherited_env", {{"A", nullptr}}).find("app.inherited_env.A:") == 0);
  CHECK(refusal("args", {1, nullptr}).find("app.args[1]:") == 0);
  json without_cwd = good;
  without_cwd.erase("cwd");
  CHECK_FALSE(parse_resolved_app(without_cwd));
  for (const json& value : {json(), json(5), json::array(), json::object(), json{{"$hex", "41"}}})
    CHECK_FALSE(parse_resolved_app(value));
}

TEST_CASE("a bare name is a resolved script") {
  AppSpec spec = minimal_spec();
  spec.script = "nginx";
  CHECK(travel(spec).value() == spec);
}

TEST_CASE("broken hex is not taken for bytes") {
  json app = to_json(minimal_spec());
  for (const char* hex : {"f", "zz", "FF", "0x"}) {
    app["args"] = json::array({{{"$hex", hex}}});
    CHECK_FALSE(parse_resolved_app(app));
  }
  app["args"] = json::array({{{"$hex", "00"}}});
  CHECK_FALSE(parse_resolved_app(app));  // a NUL cannot be smuggled in
  app["args"] = json::array({{{"$hex", "ff41"}}});
  CHECK(parse_resolved_app(app).value().args.front() ==
        "\xff"
        "A");
}

TEST_CASE("settings of a command line change a spec, but not whose it is") {
  const AppSpec spec = full_spec();
  const auto changed =
      with_settings(spec, {{"instances", "4"}, {"kill_timeout", "5s"}, {"interpreter", "none"}});
  REQUIRE(changed);
  AppSpec expected = spec;
  expected.instances = {InstanceCount::Kind::exactly, 4};
  expected.kill_timeout = Milliseconds{5000};
  expected.interpreter.clear();
  CHECK(*changed == expected);
  const auto refusal = [&](const json& settings) {
    const auto refused = with_settings(spec, settings);
    REQUIRE_FALSE(refused);
    return refused.error();
  };
  CHECK(refusal({{"name", "x"}}).code == ErrorCode::usage);
  CHECK(refusal({{"namespace", "x"}}).code == ErrorCode::usage);
  CHECK(refusal({{"max_restarts", "often"}}).message.find("max_restarts: expected") == 0);
  CHECK(refusal({{"out_file", "relative"}}).code == ErrorCode::config);
  CHECK(refusal({{"inherited_env", json::object()}}).message.find("unknown key") != std::string::npos);
  CHECK(refusal({{"outFile", "/x"}}).message.find("unknown key") != std::string::npos);
}

TEST_CASE("an environment travels alone, byte for byte") {
  const Environment environment{{"A", "b"}, {"ODD", "\xff\n"}, {"\x80", ""}};
  const auto value = parse_line(to_line(environment_to_json(environment)));
  REQUIRE(value);
  CHECK(environment_from_json(*value).value() == environment);
  CHECK_FALSE(environment_from_json(json::array()));
  CHECK_FALSE(environment_from_json({{"A=B", "x"}}));
}
