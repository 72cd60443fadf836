#include "cli/option_table.h"

#include <algorithm>
#include <charconv>

#include "common/suggest.h"

namespace clusterd::cli {
namespace {

using Values = std::vector<std::string>;
using Kind = AppSetting::Kind;

const std::vector<Verb> kStart{Verb::start, Verb::prove};  // whatever runs a program
const std::vector<Verb> kSettings{Verb::start,  Verb::prove, Verb::restart,
                                  Verb::reload, Verb::serve, Verb::adopt};
const std::vector<Verb> kServe{Verb::serve};
// What may be given an ecosystem file.
const std::vector<Verb> kFiles{
    Verb::start,           Verb::prove, Verb::restart, Verb::reload, Verb::start_or_restart,
    Verb::start_or_reload, Verb::diff,  Verb::stop,    Verb::remove};
const std::vector<Verb> kApplies{Verb::start, Verb::restart,          Verb::reload,
                                 Verb::diff,  Verb::start_or_restart, Verb::start_or_reload};
const std::vector<Verb> kBoot{Verb::startup, Verb::unstartup};
const std::vector<Verb> kProve{Verb::prove};
const std::vector<Verb> kLogs{Verb::logs};
const std::vector<Verb> kEnds{Verb::stop, Verb::remove};
const std::vector<Verb> kFreshens{Verb::start, Verb::restart, Verb::reload, Verb::start_or_restart,
                                  Verb::start_or_reload};
const std::vector<Verb> kWaits{
    Verb::start, Verb::stop,      Verb::restart, Verb::reload, Verb::remove,           Verb::scale,
    Verb::serve, Verb::resurrect, Verb::promote, Verb::abort,  Verb::start_or_restart, Verb::start_or_reload};

template <bool Arguments::* Field, bool kValue>
Result<> set_flag(Arguments& arguments, const Values&) {
  arguments.*Field = kValue;
  return {};
}

template <std::string Arguments::* Field>
Result<> set_text(Arguments& arguments, const Values& values) {
  arguments.*Field = values.back();
  return {};
}

template <std::string ServeOptions::* Field>
Result<> set_serve(Arguments& arguments, const Values& values) {
  arguments.serve.*Field = values.back();
  return {};
}

Result<> set_home(Arguments& arguments, const Values& values) {
  if (values.back().empty()) return fail(ErrorCode::usage, "--home needs a directory, not an empty word");
  arguments.home = values.back();
  return {};
}

// --only a,b and --only a --only b are the same.
Result<> set_only(Arguments& arguments, const Values& values) {
  for (std::string_view text : values) {
    for (std::size_t begin = 0; begin <= text.size();) {
      std::size_t end = std::min(text.find_first_of(", ", begin), text.size());
      if (end > begin) arguments.only.emplace_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  if (arguments.only.empty()) return fail(ErrorCode::usage, "--only needs the names of apps: --only web,api");
  return {};
}

Result<> set_sort(Arguments& arguments, const Values& values) {
  const std::string& text = values.back();
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string order = text.substr(std::min(colon + 1, text.size()));
  const std::string_view field = std::string_view(text).substr(0, colon);
  if (std::ranges::count(kSortFields, field) == 0 ||
      (colon < text.size() && order != "asc" && order != "desc")) {
    std::string fields;
    for (std::string_view known : kSortFields) fields += (fields.empty() ? "" : ", ") + std::string(known);
    return fail(ErrorCode::usage, "--sort needs one of " + fields + ", with :asc or :desc behind it, not '" +
                                      text + "'" + did_you_mean(field, kSortFields));
  }
  arguments.sort_field = field;
  arguments.sort_descending = order == "desc";
  return {};
}

// "10%", "2.5%"
Result<> set_canary(Arguments& arguments, const Values& values) {
  const std::string& text = values.back();
  double percent = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, percent);
  if (error != std::errc{} || std::string_view(stop, end) != "%" || percent < 0.1 || percent > 99.9) {
    return fail(ErrorCode::usage,
                "--canary needs a part from 0.1% to 99.9%, such as 10%, not '" + text + "'");
  }
  arguments.canary = static_cast<int>(percent * 10 + 0.5);
  return {};
}

template <auto kGroup, auto kField>
Result<> set_text_of(Arguments& arguments, const Values& values) {
  arguments.*kGroup.*kField = values.back();
  return {};
}

template <auto kSet>
Result<> set_prove(Arguments& arguments, const Values& values) {
  return kSet(arguments.prove, values.back());
}

template <bool ProveOptions::* Field>
Result<> set_prove_flag(Arguments& arguments, const Values&) {
  arguments.prove.*Field = true;
  return {};
}

template <auto kSet>
Result<> set_logs(Arguments& arguments, const Values& values) {
  return kSet(arguments.logs, values.back());
}

// CLI11 gives "true" for an option without its value.
template <auto kSet>
Result<> set_logs_optional(Arguments& arguments, const Values& values) {
  return kSet(arguments.logs, values.back() == "true" ? "" : values.back());
}

template <bool LogsOptions::* Field, bool kValue>
Result<> set_logs_flag(Arguments& arguments, const Values&) {
  arguments.logs.*Field = kValue;
  return {};
}

template <LogStreams kOnly>
Result<> set_stream(Arguments& arguments, const Values&) {
  LogStreams& streams = arguments.logs.streams;
  // --out --err: the user wants both after all
  streams = streams != LogStreams::both && streams != kOnly ? LogStreams::both : kOnly;
  return {};
}

OptionRow setting(std::string_view names, std::string_view value_name, std::string_view key,
                  std::string_view help, Kind kind = Kind::text) {
  return {names, value_name, help, kSettings, nullptr, key, kind};
}

// Flags of PM2 that switch something which is not here: scripts go on working, and are told.
OptionRow ignored(std::string_view name) {
  return {name, "", "of PM2; does nothing here", kSettings,
          [](Arguments& arguments, const Values&) -> Result<> {
            arguments.ignores_options = true;
            return {};
          }};
}

const std::vector<OptionRow> kOptions{
    setting("-n,--name", "NAME", "name", "name of the app; default: the program's name without extension"),
    setting("-i,--instances", "N", "instances", "number of instances: 4, max, or -1 for all CPUs but one"),
    setting("--namespace", "NAME", "namespace", "group the app belongs to"),
    setting("--cwd", "DIR", "cwd", "working directory; default: the current one"),
    setting("--interpreter", "PROGRAM", "interpreter", "program that runs the script; none: run it itself"),
    setting("--interpreter-args,--node-args", "ARGS", "interpreter_args", "arguments of the interpreter"),
    setting("--exec-mode", "MODE", "exec_mode", "cluster (sockets shared, the default) or fork (left alone)"),
    {"--fork,-x,--execute-command", "", "same as --exec-mode fork", kSettings,
     [](Arguments& arguments, const Values&) -> Result<> {
       arguments.app_settings.push_back({"exec_mode", Kind::text, {"fork"}});
       return {};
     }},
    setting("--listen", "ADDRESS", "listen", "address the daemon opens for the app; repeatable", Kind::list),
    setting("--balance", "HOW", "balance",
            "how connections are spread: auto, least_conn,\nround_robin, random, hash or shared"),
    setting("-o,--output", "FILE", "out_file", "file for standard output"),
    setting("-e,--error", "FILE", "error_file", "file for standard error"),
    setting("--merge-logs", "", "merge_logs", "all instances write into the same files", Kind::on),
    setting("-l,--log", "FILE", "log", "file for output and errors together; direct: without the daemon"),
    setting("--log-type", "TYPE", "log_type", "raw or json"),
    setting("--log-date-format", "FORMAT", "log_date_format", "stamp each line: \"YYYY-MM-DD HH:mm:ss\""),
    setting("--time", "", "time", "stamp each line with date and time", Kind::on),
    setting("--disable-logs", "", "disable_logs", "keep no output", Kind::on),
    setting("--log-target", "WHERE", "log_target", "file, null, direct, journald, syslog or stdout"),
    setting("--log-rotate", "WHEN", "log_rotate",
            "move log files aside: a size such as 10M, hour, day, week, or a cron pattern"),
    setting("--log-rate-limit", "N", "log_rate_limit", "lines a second that are kept"),
    setting("-p,--pid", "FILE", "pid_file", "file for the process id"),
    setting("--wait-ready", "", "wait_ready", "online only when the app says it is ready", Kind::on),
    setting("--ready", "CHECK", "ready",
            "what shows that it is ready: notify, http://:PORT/path, tcp, exec:COMMAND ..."),
    setting("--health", "CHECK", "health", "what shows that it still works: http://:PORT/path, exec:COMMAND"),
    setting("--watchdog", "TIME", "watchdog", "replace it if it does not say WATCHDOG=1 that often"),
    setting("--listen-timeout", "TIME", "listen_timeout", "how long a new instance may take to be ready"),
    setting("-k,--kill-timeout", "TIME", "kill_timeout", "from the stop signal to SIGKILL; -1: never"),
    setting("--kill-signal", "SIGNAL", "kill_signal", "signal that asks the app to stop"),
    setting("--stdin", "KIND", "stdin", "standard input: null, or pipe for `send` and `attach`"),
    setting("--drain-timeout", "TIME", "drain_timeout",
            "how long a replaced instance may finish its connections"),
    setting("--min-uptime", "TIME", "min_uptime", "an instance that lived this long counts as stable"),
    setting("--max-restarts", "N", "max_restarts", "give up after N unstable restarts; default: never"),
    setting("--restart-delay", "TIME", "restart_delay", "fixed pause before a restart"),
    setting("--exp-backoff-restart-delay", "TIME", "exp_backoff_restart_delay",
            "first pause of the growing ones between unstable restarts"),
    setting("--no-autorestart", "", "autorestart", "do not restart when the app ends", Kind::off),
    setting("--stop-exit-codes", "CODES", "stop_exit_codes", "exit codes after which no restart follows: 0,3",
            Kind::list),
    setting("-c,--cron,--cron-restart", "PATTERN", "cron_restart",
            "restart at these times: '30 4 * * *'; 0: not any more"),
    setting("--cron-timezone", "ZONE", "cron_timezone", "time zone of the pattern: Europe/Berlin"),
    setting("-w,--watch", "", "watch", "restart when files below the working directory change", Kind::on),
    setting("--ignore-watch", "NAMES", "ignore_watch", "names, paths and globs not to watch: tmp,*.log",
            Kind::list),
    setting("--watch-delay", "TIME", "watch_delay", "quiet time after a change before the restart"),
    setting("--max-memory-restart", "SIZE", "max_memory_restart",
            "replace an instance that uses more memory: 300M"),
    setting("--shutdown-with-message", "", "shutdown_with_message",
            "Node programs: stop with the message \"shutdown\" instead of a signal", Kind::on),
    setting("--no-treekill", "", "treekill", "stop only the process itself, not its children", Kind::off),
    setting("--uid", "USER", "uid", "user to run as; needs root"),
    setting("--gid", "GROUP", "gid", "group to run as; needs root"),
    setting("--max-surge", "N", "max_surge", "replacements in flight during a reload"),
    setting("--instance-var", "NAME", "instance_var", "variable that holds the instance's number"),
    setting("--increment-var", "NAME", "increment_var",
            "variable that is raised by one from instance to instance"),
    {"--env-file", "FILE", "file of NAME=value lines; repeatable", kStart, nullptr, "env_file", Kind::list},
    setting("--filter-env", "PART", "filter_env",
            "leave out the shell's variables whose name contains this; repeatable", Kind::list),
    setting("--no-autostart", "", "autostart", "put it into the list only, do not start it", Kind::off),
    ignored("--no-vizion"),
    ignored("--no-pmx"),
    ignored("--no-automation"),
    ignored("--trace"),
    ignored("--disable-trace"),
    ignored("--v8"),
    ignored("--event-loop-inspector"),
    ignored("--deep-monitoring"),
    ignored("--source-map-support"),
    ignored("--disable-source-map-support"),
    {"--only", "NAMES", "of an ecosystem file, only these apps: web,api", kFiles, set_only},
    {"--prune", "", "delete the apps that came from the file and are no longer in it", kApplies,
     set_flag<&Arguments::prune, true>},
    {"--sort",
     "FIELD",
     "order of the table: name, namespace, pid, id, cpu, memory, uptime, status; cpu:desc",
     {Verb::list},
     set_sort},
    {"-m,--mini-list",
     "",
     "a plain list of keys and values instead of the table",
     {Verb::list},
     set_flag<&Arguments::mini_list, true>},
    {"--port", "PORT", "port to listen on; default: 8080", kServe, set_serve<&ServeOptions::port>},
    {"--host", "ADDRESS", "IP address to listen on; default: all of IPv4", kServe,
     set_serve<&ServeOptions::host>},
    {"--spa", "", "what is not there is index.html, for pages with a router of their own", kServe,
     [](Arguments& arguments, const Values&) -> Result<> {
       arguments.serve.spa = true;
       return {};
     }},
    {"--basic-auth-username", "NAME", "who may read; needs --basic-auth-password", kServe,
     set_serve<&ServeOptions::user>},
    {"--basic-auth-password", "WORD", "password of that user", kServe, set_serve<&ServeOptions::password>},
    {"-u,--user", "USER", "whose apps; default: the user who calls", kBoot, set_text<&Arguments::boot_user>},
    {"--hp", "DIR", "home folder of that user; default: that of the user database", kBoot,
     set_text<&Arguments::boot_user_home>},
    {"--service-name", "NAME", "name of the unit; default: clusterd-USER", kBoot,
     set_text<&Arguments::service_name>},
    {"--root", "DIR", "write below DIR, as for an image, and start nothing", kBoot,
     set_text<&Arguments::boot_root>},
    {"--print", "", "only print the unit and the commands", kBoot, set_flag<&Arguments::print_only, true>},
    {"--env", "PROFILE", "of an ecosystem file, use the variables of env_PROFILE", kFiles,
     set_text<&Arguments::env_profile>},
    {"-a,--update-env", "", "take over this shell's environment", kFreshens,
     set_flag<&Arguments::update_env, true>},
    {"--canary",
     "PART",
     "start one new instance beside the old ones, for this part: 10%",
     {Verb::reload},
     set_canary},
    {"--no-wait", "", "return at once; the daemon goes on", kWaits, set_flag<&Arguments::wait, false>},
    {"--now", "", "SIGKILL at once", kEnds, set_flag<&Arguments::now, true>},
    {"-f,--force",
     "",
     "store the list although it is empty",
     {Verb::save},
     set_flag<&Arguments::force, true>},
    {"--file",
     "FILE",
     "PM2's dump file; default: the running PM2, else its dump",
     {Verb::import},
     set_text_of<&Arguments::import, &ImportOptions::file>},
    {"-o,--output",
     "FILE",
     "where to write; default: ecosystem.json in this folder; - is standard output",
     {Verb::import},
     set_text_of<&Arguments::import, &ImportOptions::output>},
    {"--start",
     "",
     "take the apps over from PM2, one by one",
     {Verb::import},
     [](Arguments& arguments, const Values&) {
       arguments.import.start = true;
       return Result<>();
     }},
    {"-f,--force", "", "replace the file that is there", {Verb::import}, set_flag<&Arguments::force, true>},
    {"--lines",
     "N",
     "lines of each file to begin with; default 15. Of why: deaths; default 10",
     {Verb::logs, Verb::why},
     set_logs<set_log_lines>},
    {"--nostream", "", "end after these lines", kLogs, set_logs_flag<&LogsOptions::follow, false>},
    {"-f,--follow", "", "follow (the default)", kLogs, set_logs_flag<&LogsOptions::follow, true>},
    {"--since", "TIME", "begin with what was written since: 10m, '2026-01-31 12:00'", kLogs,
     set_logs<set_log_since>},
    {"--grep", "PATTERN", "only lines in which this is found, as grep -E does", kLogs,
     set_logs<set_log_grep>},
    {"--highlight", "TEXT", "make this stand out", kLogs, set_logs<set_log_highlight>},
    {"--timestamp",
     "FORMAT",
     "put the time before each line; default YYYY-MM-DD HH:mm:ss.SSS",
     kLogs,
     set_logs_optional<set_log_timestamp>,
     {},
     Kind::text,
     true},
    {"--format",
     "TEMPLATE",
     "print lines like this: '{timestamp} {app}.{slot} {message}'",
     kLogs,
     set_logs_optional<set_log_format>,
     {},
     Kind::text,
     true},
    {"--daemon", "", "the daemon's own log", kLogs, set_logs_flag<&LogsOptions::daemon, true>},
    {"--raw", "", "only what the apps wrote: no prefix, errors to standard error", kLogs,
     set_logs_flag<&LogsOptions::raw, true>},
    {"--out", "", "only standard output", kLogs, set_stream<LogStreams::out>},
    {"--err", "", "only standard error", kLogs, set_stream<LogStreams::err>},
    {"--duration", "TIME", "of a round, at least; default 3s", kProve, set_prove<set_prove_duration>},
    {"--connections", "N", "clients of each of three kinds; default 8, at most 64", kProve,
     set_prove<set_prove_connections>},
    {"--rate", "N", "requests a second, of all clients together at most; default 500", kProve,
     set_prove<set_prove_rate>},
    {"--timeout", "TIME", "a request without a whole answer by then is lost; default 10s", kProve,
     set_prove<set_prove_timeout>},
    {"--path", "PATH", "what is asked for; default /", kProve, set_prove<set_prove_path>},
    {"--method", "METHOD", "method of the requests; default GET", kProve, set_prove<set_prove_method>},
    {"--header", "LINE", "header of the requests, 'Name: value'; repeatable", kProve,
     [](Arguments& arguments, const Values& values) { return set_prove_headers(arguments.prove, values); }},
    {"--expect", "STATUS", "right statuses: 200 or 200,404; default: any 2xx and 3xx", kProve,
     set_prove<set_prove_expected>},
    {"--ports", "PORTS", "of the app's addresses, only these TCP ports: 3000,3001", kProve,
     set_prove<set_prove_ports>},
    {"--rounds", "NAMES", "of reload, kill, restart and scale, only these: reload,kill", kProve,
     set_prove<set_prove_rounds>},
    {"--strict", "", "a request that raced with the closing of its kept connection is lost", kProve,
     set_prove_flag<&ProveOptions::strict>},
    {"--here", "", "no network of its own: on the real ports", kProve, set_prove_flag<&ProveOptions::here>},
    {"--home", "DIR", "directory of the daemon; default: $CLUSTERD_HOME, then ~/.clusterd", {}, set_home},
    {"--json", "", "print data as one JSON document", {}, set_flag<&Arguments::json, true>},
    {"-s,--silent", "", "no notices and no progress", {}, set_flag<&Arguments::silent, true>},
    {"--no-color", "", "no colours, as with NO_COLOR", {}, set_flag<&Arguments::no_color, true>},
};

}  // namespace

std::span<const OptionRow> option_table() { return kOptions; }

bool applies_to(const OptionRow& row, Verb verb) {
  if (row.verbs.empty()) return true;
  return std::ranges::count(row.verbs, verb) > 0;
}

std::vector<std::string_view> names_of(const OptionRow& row) {
  std::vector<std::string_view> names;
  for (std::size_t begin = 0; begin < row.names.size();) {
    std::size_t end = std::min(row.names.find(',', begin), row.names.size());
    names.push_back(row.names.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

const OptionRow* find_option(std::string_view name) {
  for (const OptionRow& row : kOptions) {
    if (std::ranges::count(names_of(row), name) > 0) return &row;
  }
  return nullptr;
}

}  // namespace clusterd::cli
