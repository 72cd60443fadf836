// Configuration that is a program: ecosystem.config.js and its kin, run by the user's own `node`, in this
// command and never in the daemon.
//
// What the file exports is taken over as JSON; a function is called first, a promise awaited. Whatever the
// program prints goes to standard error. It runs with the caller's rights, environment and working directory,
// as `node FILE` would; the caller of these functions says so to the user.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "cli/caller.h"
#include "common/result.h"
#include "config/jsonc.h"

namespace clusterd::cli {

inline constexpr std::chrono::milliseconds kConfigProgramLimit{30'000};

// *.config.js, .cjs, .mjs, .ts
bool is_config_program(std::string_view path);

struct ConfigProgram {
  JsoncDocument document;  // no lines are known
  std::string node;        // who ran it
};

// `shown_name` is what messages call the file.
Result<ConfigProgram> run_config_program(const std::string& path, const std::string& shown_name,
                                         const Caller& caller);

}  // namespace clusterd::cli
