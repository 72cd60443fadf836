#include "config/interpreter.h"

#include <algorithm>
#include <array>
#include <csignal>

#include "common/path_text.h"

namespace clusterd {
namespace {

struct ExtensionRow {
  std::string_view extension;
  std::string_view interpreter;
};

constexpr std::array kExtensions{
    ExtensionRow{".js", "node"}, ExtensionRow{".mjs", "node"},      ExtensionRow{".cjs", "node"},
    ExtensionRow{".ts", "node"}, ExtensionRow{".tsx", "node"},      ExtensionRow{".py", "python3"},
    ExtensionRow{".sh", "bash"}, ExtensionRow{".rb", "ruby"},       ExtensionRow{".php", "php"},
    ExtensionRow{".pl", "perl"}, ExtensionRow{".coffee", "coffee"}, ExtensionRow{".ls", "lsc"},
};

constexpr std::array<std::string_view, 10> kSigintPrograms{"node", "nodejs", "bun",  "deno", "npm",
                                                           "npx",  "pnpm",   "yarn", "tsx",  "ts-node"};

// The words of the first line behind "#!"; empty if it is no script.
std::string_view shebang_line(std::string_view first_bytes) {
  if (!first_bytes.starts_with("#!")) return {};
  return first_bytes.substr(2, first_bytes.find('\n') == std::string_view::npos ? std::string_view::npos
                                                                                : first_bytes.find('\n') - 2);
}

std::string_view take_word(std::string_view& line) {
  constexpr std::string_view kBlanks = " \t\r";
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  const std::string_view word = line.substr(0, std::min(line.find_first_of(kBlanks), line.size()));
  line.remove_prefix(word.size());
  return word;
}

// "#!/usr/bin/node", "#!/usr/bin/env node", "#!/usr/bin/env -S NODE_ENV=x node --flag": the program itself.
std::string_view program_of_shebang(std::string_view line) {
  std::string_view word = take_word(line);
  if (base_name(word) != "env") return word;
  do {
    word = take_word(line);
  } while (word.starts_with('-') || word.find('=') != std::string_view::npos);
  return word;
}

}  // namespace

bool expects_sigint(std::string_view program_path) {
  const std::string_view name = base_name(program_path);
  return std::find(kSigintPrograms.begin(), kSigintPrograms.end(), name) != kSigintPrograms.end();
}

bool is_node(std::string_view program_path) {
  const std::string_view name = base_name(program_path);
  return name == "node" || name == "nodejs";
}

std::string_view interpreter_for_extension(std::string_view script_path) {
  const std::string_view wanted = extension(script_path);
  for (const ExtensionRow& row : kExtensions) {
    if (row.extension == wanted) return row.interpreter;
  }
  return {};
}

InterpreterChoice choose_interpreter(std::string_view script_path, const ScriptFacts& facts) {
  const std::string_view first_bytes = facts.first_bytes;
  const std::string_view line = shebang_line(first_bytes);
  if (facts.executable && !line.empty()) {
    InterpreterChoice choice;
    const std::string_view program = program_of_shebang(line);
    choice.by_node = is_node(program);
    if (expects_sigint(program)) choice.kill_signal = SIGINT;
    return choice;
  }
  const bool is_elf = first_bytes.starts_with(
      "\x7f"
      "ELF");
  if (is_elf) return {};  // even without the x bit: exec says what is wrong, an interpreter would not
  return {std::string(interpreter_for_extension(script_path)), false, std::nullopt};
}

}  // namespace clusterd
