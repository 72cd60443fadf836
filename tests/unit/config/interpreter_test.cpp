#include "config/interpreter.h"

#include <catch2/catch.hpp>
#include <csignal>

using namespace clusterd;

namespace {
const ScriptFacts kElf{true,
                       "\x7f"
                       "ELF\x02\x01"};
ScriptFacts executable(std::string first_bytes) { return {true, std::move(first_bytes)}; }
ScriptFacts plain(std::string first_bytes) { return {false, std::move(first_bytes)}; }
std::string chosen(std::string_view path, const ScriptFacts& facts) {
  return choose_interpreter(path, facts).interpreter;
}
}  // namespace

TEST_CASE("an ELF program runs itself, whatever its name") {
  CHECK(chosen("/srv/server", kElf).empty());
  CHECK(chosen("/srv/server.js", kElf).empty());
  CHECK(chosen("/srv/server.py", {false, kElf.first_bytes}).empty());
}

TEST_CASE("an executable script with a shebang runs itself, whatever its name") {
  CHECK(chosen("/srv/tool", executable("#!/usr/bin/env python3\nprint()")).empty());
  CHECK(chosen("/srv/tool.js", executable("#!/bin/sh\n")).empty());
}

TEST_CASE("a shebang without the x bit does not count, the extension does") {
  CHECK(chosen("/srv/tool.py", plain("#!/bin/sh\n")) == "python3");
  CHECK(chosen("/srv/tool", plain("#!/bin/sh\n")).empty());
}

TEST_CASE("extensions name their interpreters") {
  for (const auto& [path, interpreter] :
       std::initializer_list<std::pair<const char*, const char*>>{{"a.js", "node"},
                                                                  {"a.mjs", "node"},
                                                                  {"a.cjs", "node"},
                                                                  {"a.ts", "node"},
                                                                  {"a.tsx", "node"},
                                                                  {"a.py", "python3"},
                                                                  {"a.sh", "bash"},
                                                                  {"a.rb", "ruby"},
                                                                  {"a.php", "php"},
                                                                  {"a.pl", "perl"},
                                                                  {"a", ""},
                                                                  {"a.exe", ""},
                                                                  {".js", ""},
                                                                  {"/x.js/a", ""},
                                                                  {"a.JS", ""}}) {
    INFO(path);
    CHECK(chosen(path, plain("text")) == interpreter);
    CHECK(chosen(path, executable("text without shebang")) == interpreter);
  }
}

TEST_CASE("a script is known to be run by Node itself, not by its relatives") {
  for (const char* line : {"#!/usr/bin/env node\n", "#!/usr/bin/nodejs\n", "#!/usr/bin/env -S node --x\n"})
    CHECK(choose_interpreter("/srv/cli", executable(line)).by_node);
  for (const char* line : {"#!/usr/bin/env tsx\n", "#!/usr/bin/env bun\n", "#!/bin/sh\n", "node"})
    CHECK_FALSE(choose_interpreter("/srv/cli", executable(line)).by_node);
  CHECK_FALSE(choose_interpreter("/srv/app.js", plain("#!/usr/bin/env node\n")).by_node);
}

TEST_CASE("a script that is its own Node program is stopped with SIGINT") {
  for (const char* line :
       {"#!/usr/bin/env node\n", "#!/usr/bin/node", "#! /usr/local/bin/node --flag\r\n",
        "#!/usr/bin/env -S node --x\n", "#!/usr/bin/env -S A=b deno run\n", "#!/usr/bin/env bun"}) {
    INFO(line);
    const auto choice = choose_interpreter("/srv/cli", executable(line));
    CHECK(choice.interpreter.empty());
    CHECK(choice.kill_signal == SIGINT);
  }
  for (const char* line : {"#!/bin/sh\nnode", "#!/usr/bin/env python3\n", "#!\nnode", "#!",
                           "#!/usr/bin/env\n", "#!/bin/sh node\n", "node", ""}) {
    INFO(line);
    CHECK_FALSE(choose_interpreter("/srv/cli", executable(line)).kill_signal);
  }
}
