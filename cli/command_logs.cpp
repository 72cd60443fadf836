// `clusterd logs`: the end of every file up to the length it had when the subscription began, then the events
// from that instant on; so every byte is shown once, and nothing is missed between the two.
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/daemon_access.h"
#include "cli/file_tail.h"
#include "cli/json_read.h"
#include "cli/log_printer.h"
#include "cli/operation_run.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;

LogFormat format_of(const Arguments& arguments) {
  if (arguments.json) return LogFormat::json;
  return arguments.raw ? LogFormat::raw : LogFormat::prefixed;
}

json request_of(const Arguments& arguments) {
  json args{{"targets", arguments.targets}, {"follow", arguments.follow}};
  args["streams"] = json::array();
  if (arguments.streams != LogStreams::err) args["streams"].push_back("out");
  if (arguments.streams != LogStreams::out) args["streams"].push_back("err");
  return args;
}

LogStream stream_of(const json& fields) {
  return text_of(fields, "stream") == "err" ? LogStream::err : LogStream::out;
}

std::optional<int> id_of(const json& fields, std::string_view key) {
  auto id = integer_of(fields, key);
  return id ? std::optional<int>(static_cast<int>(*id)) : std::nullopt;
}

struct LogFile {
  LogSource source;
  std::string path;
  std::int64_t offset = 0;
};

// Instances that write into one file share one entry, without a number.
std::vector<LogFile> files_of(const json& sources) {
  std::vector<LogFile> files;
  std::map<std::string, std::size_t> index_of_path;
  if (!sources.is_array()) return files;
  for (const json& entry : sources) {
    std::string path = text_of(entry, "path");
    auto [known, is_new] = index_of_path.emplace(path, files.size());
    if (!is_new) {
      files[known->second].source.id.reset();
      continue;
    }
    files.push_back({{id_of(entry, "id"), text_of(entry, "name"), stream_of(entry)},
                     path,
                     integer_of(entry, "offset").value_or(0)});
  }
  return files;
}

class LogsRun {
 public:
  explicit LogsRun(const Context& context)
      : arguments_(context.arguments),
        console_(context.console),
        printer_(format_of(context.arguments), context.console.out_style()) {}

  Flow on_event(const Event& event);
  void finish() { write(printer_.finish(), LogStream::out); }

 private:
  Result<> show_file(const LogFile& file);
  Flow write(std::string_view text, LogStream stream);

  const Arguments& arguments_;
  Console& console_;
  LogPrinter printer_;
};

Flow LogsRun::write(std::string_view text, LogStream stream) {
  if (arguments_.raw && stream == LogStream::err) {
    console_.raw_err(text);
    return Flow::go_on;
  }
  if (text.empty()) return Flow::go_on;
  return console_.out(text) == Console::OutState::open ? Flow::go_on : Flow::stop;
}

Result<> LogsRun::show_file(const LogFile& file) {
  auto tail = FileTail::open(file.path);
  if (!tail) return fail(tail.error());
  auto size = tail->size_bytes();
  if (!size) return fail(size.error());
  std::int64_t end = std::min(*size, file.offset);  // it may have been emptied since
  auto start = tail->find_start(end, arguments_.lines);
  if (!start) return fail(start.error());
  if (start->cut) console_.note(file.path + ": the beginning of a very long line is left out");
  return tail->read_range(start->offset, end, [&](std::string_view bytes) {
    return write(printer_.print(file.source, bytes), file.source.stream) == Flow::go_on;
  });
}

Flow LogsRun::on_event(const Event& event) {
  const json& fields = event.fields;
  if (event.event == "log") {
    LogSource source{id_of(fields, "instance"), text_of(fields, "name"), stream_of(fields)};
    return write(printer_.print(source, text_of(fields, "text")), source.stream);
  }
  if (event.event == "dropped") {
    console_.note(std::to_string(integer_of(fields, "lines").value_or(0)) +
                  " lines left out: they came faster than they could be shown");
    return Flow::go_on;
  }
  if (event.event != "sources" || arguments_.lines == 0) return Flow::go_on;
  for (const LogFile& file : files_of(member_of(fields, "sources"))) {
    auto shown = show_file(file);
    // An app that has not written yet has no file; everything else the user should know.
    if (!shown && shown.error().code != ErrorCode::not_found) console_.note(shown.error().message);
    if (console_.out_state() != Console::OutState::open) return Flow::stop;
  }
  return Flow::go_on;
}

}  // namespace

int run_logs(const Context& context) {
  auto client = reach_daemon(context);
  if (!client) return report(client.error(), context.console);
  LogsRun run(context);
  auto response = client->call_watching(
      "logs", request_of(context.arguments), [&](const Event& event) { return run.on_event(event); },
      context.console.out_fd());
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
