// Start resolution: what each word after `clusterd start` means.
//
// In this order: an ecosystem file; a file at that path; an app the daemon knows; an app of that name in the
// ecosystem file of this folder; a program on PATH; a shell line. Everything is resolved before anything is
// started, so one wrong word starts nothing. Reads files, asks the daemon through AskDaemon, changes nothing.
// The choice is put into words for the user, since guessing silently is what makes such commands
// unpredictable.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/caller.h"
#include "common/result.h"
#include "config/app_spec.h"

namespace clusterd::cli {

// One request to the daemon.
struct StartStep {
  enum class Kind {
    new_apps,    // `start`, mode "new"
    apply_apps,  // `start`, mode "apply"
    known,       // `start_known`
  };
  Kind kind = Kind::new_apps;
  std::vector<AppSpec> apps;         // of the first two
  std::vector<std::string> targets;  // of `known`
  std::vector<std::string> files;    // of `apply_apps`: absolute paths, for --prune
};

struct StartPlan {
  std::vector<StartStep> steps;       // neighbours of one kind joined
  std::vector<std::string> choices;   // "web: the app the daemon knows"
  std::vector<std::string> executed;  // "a.config.js: executed by /usr/bin/node"
  std::vector<std::string> warnings;  // of app files
};

// What the daemon says about one word.
struct KnownApps {
  bool matches = false;            // the word selects something
  std::vector<std::string> names;  // of all apps, for did-you-mean
};
using AskDaemon = std::function<Result<KnownApps>(const std::string& target)>;

// The same for verbs that take ecosystem files alone; without a target the one of this folder.
Result<StartPlan> resolve_files(const Arguments& arguments, const Caller& caller);

Result<StartPlan> resolve_start(const Arguments& arguments, const Caller& caller,
                                const AskDaemon& ask_daemon);

}  // namespace clusterd::cli
