// Command: carries out one understood command line and returns the exit status of the program.
//
// main calls run_command(); it picks the function of the verb. Those live in command_*.cpp by family. Data
// goes to standard output, everything said to people to standard error; errors end up as one sentence and the
// exit status docs/cli.md lists.
#pragma once

#include "cli/arguments.h"
#include "cli/caller.h"
#include "cli/console.h"
#include "common/home_paths.h"

namespace clusterd::cli {

struct Context {
  const Arguments& arguments;
  const Caller& caller;
  const HomePaths& paths;
  Console& console;
};

int run_command(const Arguments& arguments, const Caller& caller, Console& console);

// command_start.cpp: starts something, or makes the world equal to ecosystem files
int run_start(const Context& context);
int run_serve(const Context& context);
int run_apply(const Context& context);  // startOrRestart, startOrReload, and restart and reload with a file
int run_diff(const Context& context);

// command_control.cpp: changes something
int run_control(const Context& context);

// command_show.cpp: prints something
int run_show(const Context& context);

// command_prove.cpp: with a daemon of its own
int run_prove(const Context& context);

// command_logs.cpp
int run_logs(const Context& context);

// command_events.cpp
int run_events(const Context& context);

// command_attach.cpp
int run_attach(const Context& context);

// command_adopt.cpp
int run_adopt(const Context& context);

// command_why.cpp
int run_why(const Context& context);

// command_boot.cpp: startup, unstartup
int run_boot(const Context& context);

// command_import.cpp
int run_import(const Context& context);

// command_report.cpp
int run_report(const Context& context);

// command_local.cpp: needs no daemon
int run_init(const Context& context);
int run_completion(const Context& context);
int run_slist(const Context& context);
int run_help(const Arguments& arguments, Console& console);
int run_version(const Arguments& arguments, const Result<HomePaths>& paths, Console& console);
int run_daemon(const Context& context);

}  // namespace clusterd::cli
