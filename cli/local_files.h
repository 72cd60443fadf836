// The files a command looks at on the user's side: scripts, ecosystem files, programs on PATH.
//
// Free functions, read-only. Used by start_resolution and daemon_launcher; sizes are limited, special files
// (FIFOs, devices) are never opened.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "common/result.h"
#include "config/interpreter.h"

namespace clusterd::cli {

enum class FileKind { missing, file, executable, folder, other };

FileKind look_at(const std::string& path);  // follows links

Result<std::string> read_file(const std::string& path, std::size_t bytes_max);

Result<std::string> read_standard_input(std::size_t bytes_max);  // to its end

// What choose_interpreter() has to know; nothing if no regular file is there.
std::optional<ScriptFacts> script_facts(const std::string& path);

// As execvp() would find it: the first executable regular file.
std::optional<std::string> find_on_path(std::string_view program, std::string_view path_variable);

std::string own_folder();  // of the running program

}  // namespace clusterd::cli
