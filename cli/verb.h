// Verb: the words a user may say after `clusterd`, each described once.
//
// Pure data. Read by arguments.cpp (which verbs exist, how many targets they take), help.cpp (what to print)
// and the tests (every verb is documented in docs/cli.md). Executes nothing.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace clusterd::cli {

enum class Verb {
  start,
  start_or_restart,
  start_or_reload,
  diff,
  stop,
  restart,
  reload,
  promote,
  abort,
  remove,  // the word is `delete`
  list,
  jlist,
  prettylist,
  slist,
  describe,
  balance,
  logs,
  events,
  why,
  scale,
  send_signal,
  send,
  attach,
  reset,
  flush,
  reload_logs,
  env,
  pid,
  id,
  ping,
  kill,
  save,
  resurrect,
  cleardump,
  serve,
  startup,
  unstartup,
  init,
  import,
  adopt,
  report,
  completion,
  doctor,
  prove,
  version,
  daemon,
  help,
};

inline constexpr int kTargetsMax = 1'000;  // of one command line

struct VerbRow {
  Verb verb;
  std::string_view name;
  std::vector<std::string_view> aliases;
  std::string_view operands;  // as help shows them
  std::string_view summary;
  std::string_view details;  // may be empty
  std::string_view example;
  int targets_min;
  int targets_max;
};

std::span<const VerbRow> verb_table();
const VerbRow& verb_row(Verb verb);
const VerbRow* find_verb(std::string_view word);       // by name or alias; null: unknown
std::string did_you_mean_verb(std::string_view word);  // "; did you mean 'list'?" or nothing

}  // namespace clusterd::cli
