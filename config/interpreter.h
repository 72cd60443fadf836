// Which program runs a script: its shebang if it may be executed, else what its extension says.
//
// Pure; called while an app is resolved. Never looks at a file: the caller brings the first bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace clusterd {

// The kernel reads this much of a script's first line: BINPRM_BUF_SIZE in linux/binfmts.h.
inline constexpr std::size_t kShebangBytesMax = 256;

struct ScriptFacts {
  bool executable = false;  // for the user who asks
  std::string first_bytes;  // kShebangBytesMax of them are enough
};

struct InterpreterChoice {
  std::string interpreter;         // empty: the script is executed itself
  bool by_node = false;            // the script is executed itself, and its first line names Node
  std::optional<int> kill_signal;  // set if the script is its own program but expects SIGINT, as Node's do
};

InterpreterChoice choose_interpreter(std::string_view script_path, const ScriptFacts& facts);

// The interpreter for this extension, or empty: ".js" -> "node".
std::string_view interpreter_for_extension(std::string_view script_path);

// Programs whose users expect SIGINT to stop them: node, bun, deno and the package managers that start them.
bool expects_sigint(std::string_view program_path);

// Node itself, not what is written in it.
bool is_node(std::string_view program_path);

}  // namespace clusterd
