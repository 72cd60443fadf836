// `clusterd logs`: what every file holds up to the length it had when the subscription began, then the events
// from that instant on; so every byte is shown once, and nothing is missed between the two.
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/command.h"
#include "cli/daemon_access.h"
#include "cli/event_line.h"
#include "cli/json_read.h"
#include "cli/logs/daemon_log_view.h"
#include "cli/logs/log_history.h"
#include "cli/logs/log_printer.h"
#include "cli/operation_run.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;

LogFormat format_of(const Arguments& arguments) {
  if (arguments.json) return LogFormat::json;
  if (arguments.logs.format) return LogFormat::templated;
  return arguments.logs.raw ? LogFormat::raw : LogFormat::prefixed;
}

json request_of(const Arguments& arguments) {
  json args{{"targets", arguments.targets}, {"follow", arguments.logs.follow}};
  args["streams"] = json::array();
  if (arguments.logs.streams != LogStreams::err) args["streams"].push_back("out");
  if (arguments.logs.streams != LogStreams::out) args["streams"].push_back("err");
  return args;
}

std::int64_t now_wall_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

class LogsRun {
 public:
  explicit LogsRun(const Context& context)
      : console_(context.console),
        format_(format_of(context.arguments)),
        printer_(format_, context.arguments.logs, context.console.out_style(),
                 [this](LogStream stream, std::string_view text) { write(stream, text); }),
        history_(context.arguments.logs, now_wall_ms(),
                 [this](const std::string& what) { console_.note(what); }),
        follow_(context.arguments.logs.follow) {}

  Flow on_event(const Event& event);
  void finish() { printer_.finish(); }

 private:
  void write(LogStream stream, std::string_view text);
  void on_sources(const json& fields);
  void add_source(const json& entry);
  Flow flow() const { return console_.out_state() == Console::OutState::open ? Flow::go_on : Flow::stop; }

  Console& console_;
  LogFormat format_;
  LogPrinter printer_;
  LogHistory history_;
  bool follow_;
  std::set<std::string> noted_;  // apps whose logs are elsewhere
};

void LogsRun::write(LogStream stream, std::string_view text) {
  if (format_ == LogFormat::raw && stream == LogStream::err) return console_.raw_err(text);
  if (!text.empty()) console_.out(text);
}

// Where there is no file, or nothing but the file, that is said once an app.
void LogsRun::add_source(const json& entry) {
  const std::string target = text_of(entry, "target");
  const bool has_file = target.empty() || target == "file" || target == "direct";
  if (has_file) history_.add(log_file_source(entry));
  if (target.empty() || target == "file" || (target == "direct" && !follow_)) return;
  const std::string name = text_of(entry, "name");
  if (!noted_.insert(text_of(entry, "namespace") + "/" + name).second) return;
  console_.note(target == "direct"
                    ? name + ": it writes its log files itself, so what comes from now on is not seen here"
                    : name + ": its output goes to " + target +
                          ", so only what comes from now on is seen here");
}

void LogsRun::on_sources(const json& fields) {
  const json& sources = member_of(fields, "sources");
  if (sources.is_array()) {
    for (const json& entry : sources) add_source(entry);
  }
  if (flag_of(fields, "more")) return;
  history_.show([this](const LogSource& source, const LineSource::Line& line) {
    printer_.print(source, line.at, line.text);
    return flow() == Flow::go_on;
  });
}

Flow LogsRun::on_event(const Event& event) {
  const json& fields = event.fields;
  if (event.event == "log") {
    LogFileSource about = log_file_source(fields);
    if (const auto id = integer_of(fields, "instance")) about.source.id = static_cast<int>(*id);
    printer_.print(about.source, integer_of(fields, "at_ms"), text_of(fields, "text"));
  } else if (event.event == "dropped") {
    console_.note(dropped_line(event));
  } else if (event.event == "sources") {
    on_sources(fields);
  }
  return flow();
}

}  // namespace

int run_logs(const Context& context) {
  if (context.arguments.logs.daemon) return show_daemon_log(context);
  auto client = reach_daemon(context);
  if (!client) return report(client.error(), context.console);
  LogsRun run(context);
  auto response = client->call_watching("logs", request_of(context.arguments),
                                        [&](const Event& event) { return run.on_event(event); },
                                        {.output_fd = context.console.out_fd()});
  if (!response) {
    run.finish();
    return report(response.error(), context.console);
  }
  if (!*response) return 0;  // our reader is gone; that is how `logs | head` ends
  run.finish();
  if ((*response)->error) return report(**response, context.console);
  return 0;
}

}  // namespace clusterd::cli
