#include "cli/start_resolution.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "cli/app_sources.h"
#include "temp_folder.h"

using namespace clusterd;
using namespace clusterd::cli;

namespace {

using Kind = StartStep::Kind;

constexpr const char* kElf =
    "\x7f"
    "ELF";

struct Fixture {
  TempFolder folder;
  std::vector<std::string> known;
  Caller caller{folder.path(),
                "/home/u",
                {{"PATH", folder.at("bin")}, {"NOTIFY_SOCKET", "/n"}, {"name", "evil"}},
                false};

  Result<StartPlan> resolve(std::vector<std::string> words) {
    words.insert(words.begin(), "start");
    auto arguments = parse_arguments(words);
    REQUIRE(arguments);
    return resolve_start(*arguments, caller, [this](const std::string& target) -> Result<KnownApps> {
      return KnownApps{std::ranges::count(known, target) > 0, known};
    });
  }
  StartPlan plan(std::vector<std::string> words) {
    auto plan = resolve(std::move(words));
    INFO((plan ? std::string() : plan.error().message));
    REQUIRE(plan);
    return *plan;
  }
  AppSpec app(std::vector<std::string> words) {
    StartPlan resolved = plan(std::move(words));
    REQUIRE(resolved.steps.size() == 1);
    REQUIRE(resolved.steps[0].apps.size() == 1);
    return resolved.steps[0].apps[0];
  }
  Error error(std::vector<std::string> words) {
    auto plan = resolve(std::move(words));
    REQUIRE_FALSE(plan);
    return plan.error();
  }
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("an ecosystem file comes first") {
  Fixture fixture;
  fixture.folder.write("web.json", R"({"apps":[{"name":"a","script":"./x"},{"name":"b","script":"./x"}]})");
  fixture.known = {"web.json"};
  StartPlan plan = fixture.plan({"web.json"});
  REQUIRE(plan.steps.size() == 1);
  CHECK(plan.steps[0].kind == Kind::apply_apps);
  CHECK(plan.steps[0].apps.size() == 2);
  CHECK(contains(plan.choices[0], "this file"));
}

TEST_CASE("a file at the path goes before an app of that name") {
  Fixture fixture;
  fixture.folder.write("web", kElf, 0755);
  fixture.known = {"web"};
  AppSpec app = fixture.app({"web"});
  CHECK(app.script == fixture.folder.at("web"));
  CHECK(app.name == "web");
  CHECK(app.cwd == fixture.folder.path());
  CHECK(app.interpreter.empty());
}

TEST_CASE("an app the daemon knows goes before one of the default file") {
  Fixture fixture;
  fixture.folder.write("ecosystem.json", R"({"apps":[{"name":"web","script":"./x"}]})");
  fixture.known = {"web"};
  StartPlan plan = fixture.plan({"web"});
  CHECK(plan.steps[0].kind == Kind::known);
  CHECK(plan.steps[0].targets == std::vector<std::string>{"web"});
}

TEST_CASE("an app of the default file goes before a program on PATH") {
  Fixture fixture;
  fixture.folder.write("bin/web", kElf, 0755);
  fixture.folder.write("clusterd.json", R"([{"name":"web","script":"./x"},{"name":"api","script":"./x"}])");
  StartPlan plan = fixture.plan({"web"});
  CHECK(plan.steps[0].kind == Kind::apply_apps);
  REQUIRE(plan.steps[0].apps.size() == 1);
  CHECK(plan.steps[0].apps[0].name == "web");
}

TEST_CASE("a program on PATH comes last and is started by its path") {
  Fixture fixture;
  fixture.folder.write("bin/tool", kElf, 0755);
  CHECK(fixture.app({"tool"}).script == fixture.folder.at("bin/tool"));
}

TEST_CASE("what is nowhere is an error that names all places and a near name") {
  Fixture fixture;
  fixture.known = {"web"};
  Error error = fixture.error({"wbe"});
  CHECK(error.code == ErrorCode::not_found);
  CHECK(contains(error.message, fixture.folder.at("wbe")));
  CHECK(contains(error.message, "daemon"));
  CHECK(contains(error.message, "PATH"));
  CHECK(contains(error.message, "did you mean 'web'?"));
}

TEST_CASE("a folder is named as such, unless an app has its name") {
  Fixture fixture;
  mkdir(fixture.folder.at("web").c_str(), 0755);
  CHECK(contains(fixture.error({"web"}).message, "is a folder"));
  fixture.known = {"web"};
  CHECK(fixture.plan({"web"}).steps[0].kind == Kind::known);
}

TEST_CASE("configuration that is a program needs a node on PATH") {
  Fixture fixture;
  for (const char* name : {"ecosystem.config.js", "a.config.cjs", "a.config.mjs", "a.config.ts"}) {
    fixture.folder.write(name, "module.exports = {}");
    Error error = fixture.error({name});
    INFO(name);
    CHECK(error.code == ErrorCode::config);
    CHECK(contains(error.message, "no `node` on PATH"));
  }
}

TEST_CASE("what node prints on its descriptor is the configuration, and who ran it is said") {
  Fixture fixture;
  fixture.folder.write(
      "bin/node", "#!/bin/sh\necho noise\nprintf '%s' '{\"name\":\"n\",\"script\":\"./x\"}' >&3\n", 0755);
  fixture.folder.write("e.config.js", "");
  StartPlan plan = fixture.plan({"e.config.js"});
  CHECK(plan.steps[0].apps[0].name == "n");
  CHECK(plan.steps[0].apps[0].source_file == fixture.folder.at("e.config.js"));
  REQUIRE(plan.executed.size() == 1);
  CHECK(contains(plan.executed[0], "executed by " + fixture.folder.at("bin/node")));
  fixture.folder.write("bin/node", "#!/bin/sh\nexit 3\n", 0755);
  CHECK(contains(fixture.error({"e.config.js"}).message, "status 3"));
  fixture.folder.write("bin/node", "#!/bin/sh\nkill -9 $$\n", 0755);
  CHECK(contains(fixture.error({"e.config.js"}).message, "status 137"));
}

TEST_CASE("YAML, JSON5 and package.json are app files") {
  Fixture fixture;
  fixture.folder.write("e.yaml", "name: y\nscript: ./x\n");
  fixture.folder.write("e.json5", "{name: 'five', script: './x'}");
  fixture.folder.write("package.json",
                       R"({"name":"p","version":"1","pm2":[{"name":"in-package","script":"./x"}]})");
  CHECK(fixture.app({"e.yaml"}).name == "y");
  CHECK(fixture.app({"e.json5"}).name == "five");
  CHECK(fixture.app({"package.json"}).name == "in-package");
  CHECK(fixture.plan({"e.yaml", "e.json5"}).steps[0].files ==
        std::vector<std::string>{fixture.folder.at("e.yaml"), fixture.folder.at("e.json5")});
  fixture.folder.write("package.json", R"({"name":"p"})");
  CHECK(contains(fixture.error({"package.json"}).message, "neither 'apps' nor 'pm2'"));
}

TEST_CASE("a line whose first word is a program comes last and is run by a shell") {
  Fixture fixture;
  fixture.folder.write("bin/npm", kElf, 0755);
  AppSpec app = fixture.app({"npm run start"});
  CHECK(app.args == std::vector<std::string>{"-c", "npm run start"});
  CHECK(fixture.error({"nopm run start"}).code == ErrorCode::not_found);
  CHECK(fixture.error({"./npm run"}).code == ErrorCode::not_found);
}

TEST_CASE("verbs that take a file alone refuse other words") {
  Fixture fixture;
  fixture.folder.write("e.json", R"({"name":"a","script":"./x"})");
  const auto resolve = [&](std::vector<std::string> words) {
    auto arguments = parse_arguments(words);
    REQUIRE(arguments);
    return resolve_files(*arguments, fixture.caller);
  };
  CHECK(resolve({"startOrReload", "e.json"})->steps[0].apps.size() == 1);
  CHECK(resolve({"startOrReload", "web"}).error().code == ErrorCode::usage);
  CHECK(resolve({"diff", "gone.json"}).error().code == ErrorCode::not_found);
  CHECK(resolve({"diff"}).error().code == ErrorCode::not_found);
}

TEST_CASE("scripts get their interpreter by extension") {
  Fixture fixture;
  fixture.folder.write("app.js", "x");
  CHECK(fixture.app({"app.js"}).interpreter == "node");
  fixture.folder.write("app.py", "x");
  CHECK(fixture.app({"app.py"}).interpreter == "python3");
  CHECK(fixture.app({"app.py", "--interpreter", "pypy"}).interpreter == "pypy");
}

TEST_CASE("arguments and options arrive in the app") {
  Fixture fixture;
  fixture.folder.write("a b/s p", kElf, 0755);
  AppSpec app = fixture.app({"./a b/s p", "--name",
                             "web",       "-i",
                             "max",       "--listen",
                             "3000",      "-k",
                             "5s",        "--stop-exit-codes",
                             "0,3",       "--no-autorestart",
                             "--fork",    "--cwd",
                             "sub",       "--",
                             "-x",        "",
                             "a b",       "\xff"});
  CHECK(app.name == "web");
  CHECK(app.script == fixture.folder.at("a b/s p"));
  CHECK(app.args == std::vector<std::string>{"-x", "", "a b", "\xff"});
  CHECK(app.instances.kind == InstanceCount::Kind::all_cpus);
  CHECK(app.listen.size() == 1);
  CHECK(app.kill_timeout == Milliseconds(5'000));
  CHECK(app.stop_exit_codes == std::vector<int>{0, 3});
  CHECK_FALSE(app.autorestart);
  CHECK(app.exec_mode == ExecMode::fork);
  CHECK(app.cwd == fixture.folder.at("sub"));
}

TEST_CASE("settings of the supervisor and variables of the shell are different things") {
  Fixture fixture;
  fixture.folder.write("web", kElf, 0755);
  AppSpec app = fixture.app({"web"});
  CHECK(app.name == "web");
  CHECK(app.inherited_env.at("name") == "evil");
  CHECK(app.inherited_env.count("NOTIFY_SOCKET") == 0);
}

TEST_CASE("a wrong option value is an error about that option") {
  Fixture fixture;
  fixture.folder.write("web", kElf, 0755);
  Error error = fixture.error({"web", "-i", "many"});
  CHECK(error.code == ErrorCode::config);
  CHECK(contains(error.message, "instances"));
}

TEST_CASE("options that would be ignored are refused") {
  Fixture fixture;
  fixture.folder.write("e.json", R"({"name":"a","script":"./x"})");
  fixture.folder.write("web", kElf, 0755);
  fixture.known = {"api"};
  CHECK(fixture.error({"e.json", "-i", "4"}).code == ErrorCode::usage);
  CHECK(fixture.error({"api", "-i", "4"}).code == ErrorCode::usage);
  CHECK(fixture.error({"api", "--", "x"}).code == ErrorCode::usage);
  CHECK(fixture.error({"web", "--env", "production"}).code == ErrorCode::usage);
  CHECK(fixture.error({"web", "web", "--name", "x"}).code == ErrorCode::usage);
}

TEST_CASE("--only picks apps of a file and refuses names that are not there") {
  Fixture fixture;
  fixture.folder.write("e.json", R"({"apps":[{"name":"web","script":"./x"},{"name":"api","script":"./x"}]})");
  CHECK(fixture.app({"e.json", "--only", "api"}).name == "api");
  Error error = fixture.error({"e.json", "--only", "api,wbe"});
  CHECK(error.code == ErrorCode::not_found);
  CHECK(contains(error.message, "did you mean 'web'?"));
}

TEST_CASE("--env chooses the profile of a file") {
  Fixture fixture;
  fixture.folder.write("e.json", R"({"name":"a","script":"./x","env":{"A":"1"},"env_production":{"A":"2"}})");
  CHECK(effective_environment(fixture.app({"e.json", "--env", "production"})).at("A") == "2");
}

TEST_CASE("without a target the default file is started, or its absence explained") {
  Fixture fixture;
  CHECK(contains(fixture.error({}).message, "ecosystem.json"));
  fixture.folder.write("clusterd.json", R"({"name":"c","script":"./x"})");
  CHECK(fixture.app({}).name == "c");
  fixture.folder.write("ecosystem.json", R"({"name":"e","script":"./x"})");
  CHECK(fixture.app({}).name == "e");
}

TEST_CASE("one wrong word starts nothing") {
  Fixture fixture;
  fixture.folder.write("web", kElf, 0755);
  CHECK(fixture.error({"web", "nothing-of-that-name"}).code == ErrorCode::not_found);
}

TEST_CASE("several programs travel in one request, other kinds in their own") {
  Fixture fixture;
  fixture.folder.write("a", kElf, 0755);
  fixture.folder.write("b", kElf, 0755);
  fixture.known = {"web", "api"};
  StartPlan plan = fixture.plan({"a", "b", "web", "api"});
  REQUIRE(plan.steps.size() == 2);
  CHECK(plan.steps[0].apps.size() == 2);
  CHECK(plan.steps[1].targets == std::vector<std::string>{"web", "api"});
}

TEST_CASE("all errors of a file are shown with their place") {
  Fixture fixture;
  fixture.folder.write("e.json", "{\n\"script\": \"./x\",\n\"instnces\": 2,\n\"max_restarts\": \"x\"\n}");
  Error error = fixture.error({"e.json"});
  CHECK(error.code == ErrorCode::config);
  CHECK(contains(error.message, "e.json:3"));
  CHECK(contains(error.message, "e.json:4"));
}
