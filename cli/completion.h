// Completion: scripts for bash, zsh and fish, made from the tables of verbs and options. Pure.
//
// The scripts ask `clusterd completion apps` for the names of apps, which prints nothing when no daemon runs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace clusterd::cli {

// Nothing for another shell.
std::optional<std::string> completion_script(std::string_view shell);

}  // namespace clusterd::cli
