// Starts the daemon for commands that need one: the first command of a user brings it up by itself.
//
// Called by commands through connect_or_launch(). Whatever number of commands start at the same instant, one
// daemon comes of it: a lock in the home folder decides who spawns, everybody else waits for that lock and
// then finds the daemon answering. One try, bounded by kLaunchTimeout; the daemon's own words about a failure
// reach the user. Never removes a file, and never works in a home folder of another user.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cli/caller.h"
#include "cli/client.h"
#include "common/home_paths.h"
#include "common/result.h"

namespace clusterd::cli {

inline constexpr std::chrono::milliseconds kLaunchTimeout{15'000};
inline constexpr std::size_t kLaunchMessageBytesMax = 4096;

struct LaunchedClient {
  Client client;
  bool launched = false;  // it was us who started the daemon
};

Result<LaunchedClient> connect_or_launch(const HomePaths& paths, const Caller& caller);

// Path of clusterd-daemon: beside this program, else on PATH.
Result<std::string> find_daemon_program(const Caller& caller);

// Spawns `program --home DIR --ready-fd 3` and waits until it says that it is ready, or why not.
Result<> launch_daemon(const std::string& program, const HomePaths& paths, const Caller& caller,
                       std::chrono::milliseconds timeout = kLaunchTimeout);

// `clusterd daemon`: becomes the daemon; returns only if that failed.
Error exec_daemon(const HomePaths& paths, const Caller& caller, const std::vector<std::string>& options);

}  // namespace clusterd::cli
