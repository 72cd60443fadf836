// Child run: starts another program of the user's (node, systemctl), waits for its end and keeps what it
// said.
//
// Used for configuration that is a program and for `startup`. Blocks, at most for the time limit; then the
// child is killed. Its standard input is empty, and what it prints goes to our standard error unless it is
// captured, because our standard output belongs to the data of the command.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "common/result.h"

namespace clusterd::cli {

struct ChildRun {
  std::vector<std::string> words;  // the program first: a path, or a name on PATH
  int captured_fd = -1;            // descriptor of the child whose output is kept; -1: none
  std::size_t bytes_max = 0;       // of it; more is an error
  std::chrono::milliseconds limit{30'000};
};

struct ChildOutcome {
  int status = 0;  // exit status, or 128 + signal
  std::string output;
};

// An error: it could not be started, took too long or said too much.
Result<ChildOutcome> run_child(const ChildRun& run);

}  // namespace clusterd::cli
