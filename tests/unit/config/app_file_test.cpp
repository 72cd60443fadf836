#include "config/app_file.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/fuzz/app_file_target.h"
#include "tests/unit/config/app_file_fixture.h"
#include "tests/unit/corpus.h"

using namespace clusterd;
using Texts = std::vector<std::string>;

TEST_CASE_METHOD(AppFileFixture, "all shapes of a file give the same app") {
  const AppSpec bare = app(R"({"script": "./server"})");
  CHECK(bare.name == "server");
  for (const char* text : {R"([{"script": "./server"}])", R"({"apps": [{"script": "./server"}]})",
                           R"({"pm2": [{"script": "./server"}]})", R"({"apps": {"script": "./server"}})",
                           R"({"$schema": "x", "apps": [{"script": "./server"}]})",
                           "\xEF\xBB\xBF{\r\n// c\r\n\"script\": \"./server\",\r\n}"}) {
    CHECK(app(text) == bare);
  }
}

TEST_CASE_METHOD(
    AppFileFixture,
    "an app that says nothing has the defaults, the shell's environment and the chosen profile") {
  context.env_profile = "production";
  const AppFileResult result = parse_app_file(R"({"script": "/x", "env_production": {"A": "1"}})", context);
  AppSpec expected_spec;
  expected_spec.name = "x";
  expected_spec.script = "/x";
  expected_spec.cwd = "/srv/web";
  expected_spec.inherited_env = {{"PATH", "/bin"}};
  expected_spec.env_profile = "production";
  expected_spec.env_profiles = {{"production", {{"A", "1"}}}};
  REQUIRE(result.apps.size() == 1);
  CHECK(result.apps.front() == expected_spec);
  CHECK(result.errors.empty());
  CHECK(result.warnings.empty());
}

TEST_CASE_METHOD(AppFileFixture, "all errors of a file come at once, in order, with file, line and field") {
  CHECK(errors(R"({
  "apps": [
    {
      "name": "web",
      "script": "./server",
      "max_restart": 3,
      "max_restarts": "x",
      "env": {
        "GOOD": 1,
        "BAD": null
      },
      "args": ["a", {}]
    },
    { "name": "a/b" },
    7
  ]
})") == Texts{
            "eco.json:6: apps[0].max_restart: unknown key; did you mean 'max_restarts'?",
            "eco.json:7: apps[0].max_restarts: expected a whole number >= 0, got \"x\"",
            "eco.json:10: apps[0].env.BAD: null is no value; write \"\" for an empty one, or leave the "
            "variable out",
            "eco.json:12: apps[0].args[1]: expected a string, got {}",
            "eco.json:14: apps[1]: 'script' is missing: the program to run",
            "eco.json:14: apps[1].name: the name contains '/', and it becomes part of file names",
            "eco.json:15: apps[2]: expected an app, an object with at least a 'script'",
        });
}

TEST_CASE_METHOD(AppFileFixture, "a bare app's fields are named without a prefix") {
  CHECK(only_error("{\"script\": \"/x\",\n\"instance\": 2}") ==
        "eco.json:2: instance: unknown key; did you mean 'instances'?");
  CHECK(only_error(R"({"aps": [], "script": "/x"})") == "eco.json:1: aps: unknown key; did you mean 'apps'?");
}

TEST_CASE_METHOD(AppFileFixture, "a syntax error is the only error") {
  CHECK(errors("{\"apps\": [\n{\"script\" \"x\"}]}") ==
        Texts{"eco.json:2:11: a colon (:) is missing between a key and its value"});
}

TEST_CASE_METHOD(AppFileFixture, "a file that is no list of apps says what it should be") {
  CHECK(only_error("5").find("eco.json:1: expected {\"apps\": [...]}") == 0);
  CHECK(only_error("{\"apps\": 5}") == "eco.json:1: apps: expected an array of apps");
  CHECK(only_error("{}") == "eco.json:1: 'script' is missing: the program to run");
}

TEST_CASE_METHOD(AppFileFixture, "keys beside apps are checked too") {
  CHECK(only_error(R"({"apps": [], "app": []})") == "eco.json:1: app: unknown key; did you mean 'apps'?");
  CHECK(only_error(R"({"apps": [], "cwd": "/x"})") ==
        "eco.json:1: cwd: unknown key; it belongs into an app, inside of 'apps'");
  const AppFileResult result = parse_app_file("{\"apps\": [],\n\"deploy\": {}, \"x-base\": 1}", context);
  CHECK(result.errors.empty());
  CHECK(result.warnings == Texts{"eco.json:2: deploy: not supported, ignored"});
}

TEST_CASE_METHOD(AppFileFixture, "a key that only PM2 has warns once, says why, and goes on") {
  const AppFileResult result = parse_app_file(
      "[{\"name\":\"a\",\"script\":\"/a\",\"kill_retry_time\":9},\n{\"name\":\"b\",\"script\":\"/"
      "b\",\"killRetryTime\":9,\n\"windowsHide\":true}]",
      context);
  CHECK(result.errors.empty());
  CHECK(result.apps.size() == 2);
  CHECK(result.warnings ==
        Texts{"eco.json:1: [0].kill_retry_time: ignored: clusterd is told when a process ends and does not "
              "have to ask",
              "eco.json:3: [1].windowsHide: ignored: it is for Windows"});
}

TEST_CASE_METHOD(AppFileFixture, "PM2's aliases and camelCase are understood, but not twice") {
  const AppSpec spec = app(
      R"({"name": "x", "cmd": "/x", "output": "/o", "err": "/e", "combine_logs": true, "node_args": "-r y",
                              "exec_interpreter": "node", "user": "www", "killTimeout": 5,
                              "execMode": "fork_mode"})");
  CHECK(spec.script == "/x");
  CHECK(spec.out_file == "/o");
  CHECK(spec.error_file == "/e");
  CHECK(spec.merge_logs == true);
  CHECK(spec.interpreter_args == Texts{"-r", "y"});
  CHECK(spec.uid == "www");
  CHECK(spec.kill_timeout == Milliseconds{5});
  CHECK(spec.exec_mode == ExecMode::fork);
  CHECK(error_with(R"("out_file": "/a", "output": "/b")") ==
        "eco.json:1: output: is the same setting as 'out_file'; remove one");
}

TEST_CASE_METHOD(AppFileFixture,
                 "two apps of one name in one file are an error, in two namespaces they are not") {
  CHECK(only_error("[{\"script\": \"/foo/server\"},\n{\"script\": \"/bar/server\"}]") ==
        "eco.json:2: [1]: the name 'server' belongs to [0] already; give one of them another 'name' or "
        "'namespace'");
  CHECK(apps(R"([{"script": "/foo/server", "namespace": "a"}, {"script": "/bar/server", "namespace": "b"}])")
            .size() == 2);
}

TEST_CASE_METHOD(AppFileFixture, "a profile no app has is a warning with a near match") {
  context.env_profile = "produciton";
  const AppFileResult result =
      parse_app_file(R"([{"script": "/x", "env_production": {"A": 1}}, {"script": "/y"}])", context);
  CHECK(result.errors.empty());
  CHECK(result.warnings == Texts{"eco.json:1: no app has 'env_produciton', so --env produciton changes "
                                 "nothing; did you mean 'production'?"});
  context.env_profile = "production";
  CHECK(apps(R"([{"script": "/x", "env_production": {"A": 1}}, {"script": "/y"}])").size() == 2);
}

TEST_CASE_METHOD(AppFileFixture, "settings cannot be overridden by the environment of the shell or the app") {
  context.inherited_env = {
      {"name", "evil"}, {"args", "--x"}, {"instances", "7"}, {"cwd", "/"}, {"status", "online"}};
  const AppSpec spec =
      app(R"({"script": "/x", "env": {"name": "HIJACK", "watch": "/tmp", "max_restarts": "1"}})");
  CHECK(spec.name == "x");
  CHECK(spec.args.empty());
  CHECK(spec.cwd == "/srv/web");
  CHECK_FALSE(spec.max_restarts);
  CHECK(effective_environment(spec)["name"] == "HIJACK");
  CHECK(effective_environment(spec)["args"] == "--x");
}

TEST_CASE_METHOD(AppFileFixture, "nothing is expanded in any value") {
  const AppSpec spec = app(R"({"name": "x", "script": "/x/$HOME", "cwd": "/c/${HOME}",
    "args": ["100%", "$HOME", "${UNSET}", "$$", "\\${X}", "a%20b", "~/x"],
    "env": {"A": "100%", "B": "$HOME", "C": "${HOME}", "D": "~/x", "E": "$$"}})");
  CHECK(spec.script == "/x/$HOME");
  CHECK(spec.cwd == "/c/${HOME}");
  CHECK(spec.args == Texts{"100%", "$HOME", "${UNSET}", "$$", "\\${X}", "a%20b", "~/x"});
  CHECK(spec.env == Environment{{"A", "100%"}, {"B", "$HOME"}, {"C", "${HOME}"}, {"D", "~/x"}, {"E", "$$"}});
}

TEST_CASE_METHOD(AppFileFixture,
                 "a name that is also a file, an argument and a number is not guessed about") {
  files["/srv/web/woody"] = {};
  files["/srv/web/7"] = {};
  const AppSpec spec = app(R"({"name": "7", "script": "./run", "args": "woody 7"})");
  CHECK(spec.name == "7");
  CHECK(spec.script == "/srv/web/run");
  CHECK(spec.args == Texts{"woody", "7"});
}

TEST_CASE_METHOD(AppFileFixture,
                 "an app from the command line is checked like one of a file, without places") {
  context.file_name.clear();
  const auto good =
      parse_app_object({{"script", "/x"}, {"instances", "max"}, {"args", {"a b", "\xff"}}}, context);
  CHECK(good.errors.empty());
  REQUIRE(good.apps.size() == 1);
  CHECK(good.apps.front().args == Texts{"a b", "\xff"});
  const auto bad = parse_app_object({{"script", "/x"}, {"instances", "0.5"}}, context);
  REQUIRE(bad.errors.size() == 1);
  CHECK(bad.errors.front().find("instances: expected a whole number") == 0);
}

TEST_CASE_METHOD(AppFileFixture, "a large environment has no limit of ours below the file's") {
  const std::string large(1'500'000, 'v');
  CHECK(app_with(R"("env": {"BIG": ")" + large + "\"}").env.at("BIG") == large);
}

TEST_CASE_METHOD(AppFileFixture, "of a package.json only the apps are read") {
  context.is_package = true;
  CHECK(app(R"({"name": "p", "version": "1", "pm2": {"apps": [{"name": "a", "script": "/x"}]}})").name ==
        "a");
  CHECK(app(R"({"scripts": {}, "apps": [{"name": "b", "script": "/x"}]})").name == "b");
  CHECK(only_error(R"({"name": "p"})").find("neither 'apps' nor 'pm2'") != std::string::npos);
}

TEST_CASE_METHOD(AppFileFixture, "a document without lines names the file alone") {
  JsoncDocument document;
  document.root = nlohmann::json::parse(R"({"apps": [{"script": "/x", "instnces": 1}]})");
  CHECK(parse_app_document(document, context).errors ==
        Texts{"eco.json: apps[0].instnces: unknown key; did you mean 'instances'?"});
}

TEST_CASE("the fuzzing corpus of app files holds") {
  const auto corpus = read_corpus("app_file");
  REQUIRE(corpus.size() >= 20);
  for (const auto& [name, bytes] : corpus) {
    INFO(name);
    CHECK(fuzz_app_file(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()) == 0);
  }
}
