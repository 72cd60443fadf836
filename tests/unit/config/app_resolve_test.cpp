#include "config/app_resolve.h"

#include <catch2/catch.hpp>
#include <csignal>

#include "tests/unit/config/app_file_fixture.h"

using namespace clusterd;

TEST_CASE_METHOD(AppFileFixture, "cwd is relative to the file, everything else to cwd") {
  const AppSpec spec =
      app(R"({"script": "./p", "cwd": "sub", "out_file": "logs/o", "error_file": "~/e", "pid_file": "/run/p",
                              "interpreter": "./bin/run"})");
  CHECK(spec.cwd == "/srv/web/sub");
  CHECK(spec.script == "/srv/web/sub/p");
  CHECK(spec.out_file == "/srv/web/sub/logs/o");
  CHECK(spec.error_file == "/home/u/e");
  CHECK(spec.pid_file == "/run/p");
  CHECK(spec.interpreter == "/srv/web/sub/bin/run");
  CHECK(app(R"({"script": "/p"})").cwd == "/srv/web");
}

TEST_CASE_METHOD(AppFileFixture, "~/ is the user's home in paths, ~other/ is a folder of that name") {
  CHECK(app(R"({"script": "~/bin/p"})").script == "/home/u/bin/p");
  CHECK(app(R"({"script": "/p", "cwd": "~/x"})").cwd == "/home/u/x");
  CHECK(app(R"({"script": "/p", "cwd": "~"})").cwd == "/home/u");
  CHECK(app(R"({"script": "/p", "out_file": "~other/o"})").out_file == "/srv/web/~other/o");
}

TEST_CASE_METHOD(AppFileFixture, "links in paths are kept, so that they are followed at each start") {
  CHECK(app(R"({"script": "current/bin/p"})").script == "/srv/web/current/bin/p");
  CHECK(app(R"({"script": "/srv/current/../p"})").script == "/srv/current/../p");
}

TEST_CASE_METHOD(AppFileFixture, "a bare name is a program on PATH, unless a file of that name exists") {
  CHECK(app(R"({"script": "nginx"})").script == "nginx");
  files["/srv/web/nginx"] = {true,
                             "\x7f"
                             "ELF"};
  CHECK(app(R"({"script": "nginx"})").script == "/srv/web/nginx");
  CHECK(app(R"({"script": "nginx", "cwd": "/opt"})").script == "nginx");
}

TEST_CASE_METHOD(AppFileFixture, "a bare name that can only be a script is a path, existing or not") {
  CHECK(app(R"({"script": "app.js"})").script == "/srv/web/app.js");
  CHECK(app(R"({"script": "app", "interpreter": "python3"})").script == "/srv/web/app");
  CHECK(app(R"({"script": "app", "interpreter": "none"})").script == "app");
}

TEST_CASE_METHOD(AppFileFixture,
                 "a path with blanks is one path if the file is there, or nothing else is meant") {
  CHECK(app(R"({"script": "/tmp/a b/тест prog"})").script == "/tmp/a b/тест prog");
  CHECK(app(R"({"script": "./a b"})").script == "/srv/web/a b");
  files["/srv/web/my prog"] = {};
  CHECK(app(R"({"script": "my prog"})").name == "my prog");
}

TEST_CASE_METHOD(AppFileFixture, "a line with a program in front is run by a shell") {
  const AppSpec npm = app(R"({"script": "npm run start"})");
  CHECK(npm.script == "sh");  // there is no bash in this world
  CHECK(npm.args == std::vector<std::string>{"-c", "npm run start"});
  CHECK(npm.name == "npm run start");
  CHECK(npm.kill_signal == SIGINT);
  files["/bin/bash"] = {true, "ELF"};
  files["/srv/web/serve"] = {true, "#!/bin/sh"};
  const AppSpec node = app(R"({"cmd": "node ./server.js --port 1"})");
  CHECK(node.script == "bash");
  CHECK(node.name == "node");
  CHECK(app(R"({"script": "./serve --port 1", "name": "s"})").args[1] == "./serve --port 1");
  CHECK_FALSE(app(R"({"script": "./serve --port 1", "name": "s"})").kill_signal);
  CHECK(app(R"({"script": "./gone --port 1", "name": "s"})").script == "/srv/web/gone --port 1");
  CHECK(
      only_error(R"({"name": "x", "script": "npm start", "args": ["a"]})").find("args: do not go together") !=
      std::string::npos);
}

TEST_CASE_METHOD(AppFileFixture,
                 "port and env files fill env, which is stronger than a file and weaker than port") {
  context.read_env_file = [](const std::string& path) -> Result<std::string> {
    if (path == "/srv/web/a.env") return std::string("A=file\nB=file\n");
    if (path == "/srv/web/b.env") return std::string("B=second\nPORT=1");
    return fail(ErrorCode::not_found, path + ": gone");
  };
  const AppSpec spec =
      app_with(R"("env_file": ["a.env", "b.env"], "env": {"A": "env", "PORT": "2"}, "port": "3000")");
  CHECK(spec.env == Environment{{"A", "env"}, {"B", "second"}, {"PORT", "3000"}});
  CHECK(spec.env_file == std::vector<std::string>{"/srv/web/a.env", "/srv/web/b.env"});
  CHECK(error_with(R"("env_file": "none.env")") == "eco.json:1: env_file: /srv/web/none.env: gone");
}

TEST_CASE_METHOD(AppFileFixture, "append_env_to_name names the profile that was chosen") {
  context.env_profile = "production";
  CHECK(app_with(R"("env_production": {}, "append_env_to_name": true)").name == "x-production");
  context.env_profile.clear();
  CHECK(app_with(R"("append_env_to_name": true)").name == "x");
}

TEST_CASE_METHOD(AppFileFixture, "filter_env takes from the shell's variables only") {
  context.inherited_env = {{"PATH", "/bin"}, {"AWS_KEY", "1"}, {"AWS_KEY_ID", "2"}};
  const auto left = [&](const std::string& filter) {
    return effective_environment(app_with(R"("env": {"AWS_MINE": "3"}, "filter_env": )" + filter));
  };
  CHECK(left("true") == Environment{{"AWS_MINE", "3"}});
  CHECK(left(R"("AWS_KEY")") == Environment{{"PATH", "/bin"}, {"AWS_KEY_ID", "2"}, {"AWS_MINE", "3"}});
  CHECK(left(R"(["AWS"])") == Environment{{"PATH", "/bin"}, {"AWS_MINE", "3"}});
  CHECK(left("false").size() == 4);
}

TEST_CASE_METHOD(AppFileFixture, "execute_command is fork mode, and contradicts cluster") {
  CHECK(app_with(R"("execute_command": true)").exec_mode == ExecMode::fork);
  CHECK(app_with(R"("execute_command": false)").exec_mode == ExecMode::cluster);
  CHECK(error_with(R"("exec_mode": "cluster", "execute_command": true)").find("contradicts") !=
        std::string::npos);
}

TEST_CASE_METHOD(AppFileFixture, "the interpreter follows from the script unless it is given") {
  files["/srv/web/app.js"] = {false, "console.log()"};
  files["/srv/web/tool.py"] = {true, "#!/usr/bin/env python3\n"};
  files["/srv/web/cli"] = {true, "#!/usr/bin/env node\n"};
  CHECK(app(R"({"script": "app.js"})").interpreter == "node");
  CHECK_FALSE(app(R"({"script": "app.js"})").kill_signal);
  CHECK(app(R"({"script": "tool.py"})").interpreter.empty());
  CHECK(app(R"({"script": "cli"})").interpreter.empty());
  CHECK(app(R"({"script": "cli"})").kill_signal == SIGINT);
  CHECK(app(R"({"script": "cli", "kill_signal": "SIGTERM"})").kill_signal == SIGTERM);
  CHECK(app(R"({"script": "./cli", "interpreter": "none"})").kill_signal == SIGINT);
  CHECK(app(R"({"script": "app.js", "interpreter": "bun"})").interpreter == "bun");
  CHECK(app(R"({"script": "app.js", "interpreter": "none"})").interpreter.empty());
  CHECK(app(R"({"script": "gone.rb"})").interpreter == "ruby");
}

TEST_CASE_METHOD(AppFileFixture, "arguments for an interpreter need one") {
  CHECK(app(R"({"script": "app.js", "interpreter_args": "--inspect"})").interpreter_args.size() == 1);
  CHECK(only_error(R"({"script": "/x", "node_args": "--inspect"})") ==
        "eco.json:1: node_args: there is no interpreter to give them to; name one in 'interpreter'");
}

TEST_CASE_METHOD(AppFileFixture, "the name is made from the script, if it makes a good one") {
  CHECK(app(R"({"script": "/srv/server.min.js"})").name == "server.min");
  CHECK(only_error(R"({"script": "/srv/.hidden"})") ==
        "eco.json:1: script: makes no good name: the name begins with '.', and it becomes part of file "
        "names; give the app a 'name'");
  CHECK(app(R"({"script": "/srv/.hidden", "name": "hidden"})").name == "hidden");
  CHECK(only_error(R"({"cmd": "/usr/bin/all"})").find("eco.json:1: cmd: makes no good name") == 0);
  CHECK(only_error(R"({"script": "/x", "namespace": "all"})").find("eco.json:1: namespace:") == 0);
}

TEST_CASE_METHOD(AppFileFixture, "the longest backoff is never below the first") {
  CHECK(app_with(R"("exp_backoff_restart_delay": 0)").exp_backoff_restart_delay.count() == 0);
  CHECK(app_with(R"("out_file": "NULL")").out_file == "/dev/null");
  CHECK(app_with(R"("exp_backoff_restart_delay": "1m")").exp_backoff_max == std::chrono::minutes{1});
  CHECK(error_with(R"("exp_backoff_restart_delay": "1m", "exp_backoff_max": "1s")") ==
        "eco.json:1: exp_backoff_max: is shorter than the first delay, 1m");
}
