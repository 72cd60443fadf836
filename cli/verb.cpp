#include "cli/verb.h"

#include <algorithm>
#include <string>

#include "common/suggest.h"

namespace clusterd::cli {
namespace {

constexpr int kMany = kTargetsMax;

const std::vector<VerbRow> kVerbs{
    {Verb::start,
     "start",
     {},
     "[TARGET...] [OPTIONS] [-- ARGS...]",
     "start a program, an ecosystem file, or an app that is known already",
     "A TARGET is, in this order: an ecosystem file (*.json), a file at that path, an app the daemon knows, "
     "an\n"
     "app of that name in ./ecosystem.json or ./clusterd.json, a program on PATH. Without TARGET the file\n"
     "./ecosystem.json or ./clusterd.json is started. Words after -- go to the program untouched.",
     "clusterd start ./server -i max --name web -- --port 3000",
     0,
     kMany},
    {Verb::stop,
     "stop",
     {},
     "TARGET...",
     "stop apps or single instances; they stay in the list",
     "",
     "clusterd stop web",
     1,
     kMany},
    {Verb::restart,
     "restart",
     {},
     "TARGET...",
     "stop and start again, also what is stopped or waits",
     "",
     "clusterd restart web --update-env",
     1,
     kMany},
    {Verb::reload,
     "reload",
     {},
     "TARGET...",
     "replace the instances one after another, new before old",
     "If a new instance fails, the old ones keep serving, the command fails and says why.",
     "clusterd reload web",
     1,
     kMany},
    {Verb::remove,
     "delete",
     {"del"},
     "TARGET...",
     "stop apps and forget them; log files stay",
     "",
     "clusterd delete web",
     1,
     kMany},
    {Verb::list,
     "list",
     {"ls", "l", "ps", "status"},
     "[TARGET...]",
     "show all instances in a table",
     "",
     "clusterd list",
     0,
     kMany},
    {Verb::jlist,
     "jlist",
     {},
     "",
     "print the list as JSON with the key names PM2's users script against",
     "",
     "clusterd jlist | jq '.[].pm2_env.status'",
     0,
     0},
    {Verb::describe,
     "describe",
     {"show", "info", "desc"},
     "TARGET",
     "show everything known about an app",
     "",
     "clusterd describe web",
     1,
     1},
    {Verb::balance,
     "balance",
     {},
     "APP",
     "show how the connections of an app are spread over its instances",
     "",
     "clusterd balance web",
     1,
     1},
    {Verb::logs,
     "logs",
     {"log"},
     "[TARGET...]",
     "show the last lines of the logs, then follow them",
     "",
     "clusterd logs web --lines 50 --err",
     0,
     kMany},
    {Verb::scale,
     "scale",
     {},
     "TARGET COUNT",
     "change the number of instances: 8, +2 or -1",
     "",
     "clusterd scale web +2",
     2,
     2},
    {Verb::send_signal,
     "sendSignal",
     {"signal"},
     "SIGNAL TARGET...",
     "send a signal to the processes of an app",
     "",
     "clusterd sendSignal SIGUSR1 web",
     2,
     kMany},
    {Verb::reset,
     "reset",
     {},
     "TARGET...",
     "set the restart counters to zero",
     "",
     "clusterd reset web",
     1,
     kMany},
    {Verb::flush, "flush", {}, "[TARGET...]", "empty the log files", "", "clusterd flush web", 0, kMany},
    {Verb::env,
     "env",
     {},
     "ID",
     "print the environment an instance was started with",
     "",
     "clusterd env 0",
     1,
     1},
    {Verb::pid, "pid", {}, "[TARGET...]", "print process ids, one a line", "", "clusterd pid web", 0, kMany},
    {Verb::id, "id", {}, "NAME", "print the ids of an app's instances", "", "clusterd id web", 1, 1},
    {Verb::ping, "ping", {}, "", "ask whether the daemon answers", "", "clusterd ping", 0, 0},
    {Verb::kill, "kill", {}, "", "stop all apps and end the daemon", "", "clusterd kill", 0, 0},
    {Verb::save, "save", {"dump"}, "", "store the list of apps, for resurrect", "", "clusterd save", 0, 0},
    {Verb::resurrect, "resurrect", {}, "", "start what `save` stored", "", "clusterd resurrect", 0, 0},
    {Verb::doctor,
     "doctor",
     {},
     "",
     "check what this machine allows and what the daemon makes of it",
     "",
     "clusterd doctor",
     0,
     0},
    {Verb::prove,
     "prove",
     {},
     "[TARGET] [OPTIONS] [-- ARGS...]",
     "try out whether an app survives reloads, crashes and restarts without losing a request",
     "Runs a copy of the app with a daemon, a home and a network of its own, keeps it busy, and does to it "
     "what\n"
     "happens to apps. What runs already is not touched. A TARGET is what `start` takes; its settings are "
     "those\nof `start`.",
     "clusterd prove ./server -i 4 --path /health",
     0,
     1},
    {Verb::version,
     "version",
     {},
     "",
     "print the version of this program, and of the daemon if one runs",
     "",
     "clusterd version",
     0,
     0},
    {Verb::daemon,
     "daemon",
     {},
     "[DAEMON OPTIONS...]",
     "run the supervisor in the foreground (for systemd and containers)",
     "",
     "clusterd daemon --home /var/lib/clusterd",
     0,
     kMany},
    {Verb::help,
     "help",
     {},
     "[VERB]",
     "print this overview, or the options of a verb",
     "",
     "clusterd help start",
     0,
     1},
};

}  // namespace

std::span<const VerbRow> verb_table() { return kVerbs; }

const VerbRow& verb_row(Verb verb) { return *std::ranges::find(kVerbs, verb, &VerbRow::verb); }

const VerbRow* find_verb(std::string_view word) {
  for (const VerbRow& row : kVerbs) {
    if (row.name == word || std::ranges::count(row.aliases, word) > 0) return &row;
  }
  return nullptr;
}

std::string did_you_mean_verb(std::string_view word) {
  std::vector<std::string_view> names;
  for (const VerbRow& row : kVerbs) {
    names.push_back(row.name);
    names.insert(names.end(), row.aliases.begin(), row.aliases.end());
  }
  return did_you_mean(word, names);
}

}  // namespace clusterd::cli
