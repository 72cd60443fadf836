#include "cli/completion.h"

#include "cli/option_table.h"
#include "cli/verb.h"

namespace clusterd::cli {
namespace {

std::string all_verbs(std::string_view separator) {
  std::string words;
  for (const VerbRow& row : verb_table())
    words += std::string(words.empty() ? "" : separator) + std::string(row.name);
  return words;
}

std::string options_of(Verb verb) {
  std::string words;
  for (const OptionRow& row : option_table()) {
    if (!applies_to(row, verb)) continue;
    for (std::string_view name : names_of(row)) words += (words.empty() ? "" : " ") + std::string(name);
  }
  return words;
}

// "start|alias) options="…" ;;" of a case in bash and zsh
std::string option_cases() {
  std::string cases;
  for (const VerbRow& row : verb_table()) {
    std::string pattern(row.name);
    for (std::string_view alias : row.aliases) pattern += "|" + std::string(alias);
    cases += "    " + pattern + ") options=\"" + options_of(row.verb) + "\" ;;\n";
  }
  return cases;
}

// In single quotes of fish only ' and the backslash are special.
std::string fish_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + "'";
}

std::string bash_script() {
  return R"sh(_clusterd() {
  local word="${COMP_WORDS[COMP_CWORD]}" options=""
  local IFS=$' \t\n'
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ")sh" +
         all_verbs(" ") + R"sh(" -- "$word"))
    return
  fi
  case "${COMP_WORDS[1]}" in
)sh" + option_cases() +
         R"sh(  esac
  if [[ "$word" == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
    return
  fi
  IFS=$'\n'
  COMPREPLY=($(compgen -W "$(clusterd completion apps 2>/dev/null)" -- "$word") $(compgen -f -- "$word"))
}
complete -o filenames -F _clusterd clusterd
)sh";
}

std::string zsh_script() {
  return R"sh(#compdef clusterd
_clusterd() {
  local options=""
  if (( CURRENT == 2 )); then
    compadd -- )sh" +
         all_verbs(" ") + R"sh(
    return
  fi
  case "${words[2]}" in
)sh" + option_cases() +
         R"sh(  esac
  if [[ "${words[CURRENT]}" == -* ]]; then
    compadd -- ${=options}
    return
  fi
  compadd -- ${(f)"$(clusterd completion apps 2>/dev/null)"}
  _files
}
compdef _clusterd clusterd
)sh";
}

std::string fish_script() {
  std::string script =
      "complete -c clusterd -n 'not __fish_use_subcommand' -a '(clusterd completion apps 2>/dev/null)'\n";
  for (const VerbRow& row : verb_table()) {
    script += "complete -c clusterd -n __fish_use_subcommand -f -a " + std::string(row.name) + " -d " +
              fish_quoted(row.summary) + "\n";
    for (const OptionRow& option : option_table()) {
      if (!applies_to(option, row.verb)) continue;
      script += "complete -c clusterd -n '__fish_seen_subcommand_from " + std::string(row.name) + "'";
      for (std::string_view name : names_of(option)) {
        const bool is_long = name.starts_with("--");
        script += (is_long ? " -l " : " -s ") + std::string(name.substr(is_long ? 2 : 1));
      }
      script +=
          (option.value_name.empty() ? "" : " -r") + std::string(" -d ") + fish_quoted(option.help) + "\n";
    }
  }
  return script;
}

}  // namespace

std::optional<std::string> completion_script(std::string_view shell) {
  if (shell == "bash") return bash_script();
  if (shell == "zsh") return zsh_script();
  if (shell == "fish") return fish_script();
  return std::nullopt;
}

}  // namespace clusterd::cli
