#include "cli/logs/daemon_log_view.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/logs/file_follower.h"
#include "cli/logs/log_history.h"
#include "cli/logs/log_printer.h"
#include "cli/operation_run.h"
#include "common/json_text.h"

namespace clusterd::cli {
namespace {

// What stands behind the opening quote: the text, unescaped; takes it and the closing quote off `rest`.
std::string take_quoted(std::string_view& rest) {
  std::string text;
  std::size_t at = 0;
  for (; at < rest.size() && rest[at] != '"'; ++at) {
    const bool escaped = rest[at] == '\\' && at + 1 < rest.size();
    if (escaped) ++at;
    text += escaped && rest[at] == 'n' ? '\n' : rest[at];
  }
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return text;
}

class DaemonLogShow {
 public:
  explicit DaemonLogShow(const Context& context)
      : options_(context.arguments.logs),
        json_(context.arguments.json),
        console_(context.console),
        printer_(options_.format ? LogFormat::templated : LogFormat::raw, options_, console_.out_style(),
                 [this](LogStream, std::string_view text) { console_.out(text); }) {}

  bool line(std::string_view text, WallMs at) {
    if (!json_) {
      printer_.print(source_, at, text);
    } else {
      const std::string_view bare = text.ends_with('\n') ? text.substr(0, text.size() - 1) : text;
      if (!options_.grep || options_.grep->found_in(bare)) console_.out(log_line_as_json(bare) + "\n");
    }
    return console_.out_state() == Console::OutState::open;
  }

  void bytes(std::string_view piece) {
    for (; !piece.empty();) {
      const std::size_t newline = piece.find('\n');
      const std::size_t size = newline == piece.npos ? piece.size() : newline + 1;
      unfinished_ += piece.substr(0, size);
      piece.remove_prefix(size);
      if (newline == piece.npos && unfinished_.size() < kLogLineBytesMax) return;
      line(unfinished_, line_time(unfinished_));
      unfinished_.clear();
    }
  }

  void finish() { printer_.finish(); }

 private:
  const LogsOptions& options_;
  bool json_;
  Console& console_;
  LogPrinter printer_;
  LogSource source_{std::nullopt, "clusterd", LogStream::out};
  std::string unfinished_;
};

// Of the file as it is now; 0 if there is none.
std::int64_t size_of(const std::string& path) {
  const auto file = FileTail::open(path);
  const auto facts = file ? file->facts() : Result<FileTail::Facts>(FileTail::Facts{});
  return facts ? facts->size : 0;
}

}  // namespace

std::string log_line_as_json(std::string_view line) {
  nlohmann::json object = nlohmann::json::object();
  for (std::string_view rest = line; !rest.empty();) {
    const std::size_t equals = rest.find('=');
    if (equals == rest.npos) break;
    const std::string key(rest.substr(0, equals));
    rest.remove_prefix(equals + 1);
    if (rest.starts_with('"')) {
      rest.remove_prefix(1);
      object[key] = take_quoted(rest);
    } else {
      object[key] = std::string(rest.substr(0, rest.find(' ')));
      rest.remove_prefix(std::min(rest.find(' '), rest.size()));
    }
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  }
  if (object.empty()) object["msg"] = std::string(line);
  return to_line(object);
}

int show_daemon_log(const Context& context) {
  const LogsOptions& options = context.arguments.logs;
  const std::string& path = context.paths.daemon_log;
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::system_clock::now().time_since_epoch());
  std::optional<FileFollower> follower;
  if (options.follow) {
    auto opened = FileFollower::open(path);
    if (!opened) return report(opened.error(), context.console);
    follower.emplace(std::move(*opened));
  }
  DaemonLogShow show(context);
  const std::int64_t offset = follower ? follower->offset() : size_of(path);
  LogHistory history(options, now.count(), [&](const std::string& what) { context.console.note(what); });
  LogFileSource file;
  file.path = path;
  file.offset = offset;
  if (follower) file.identity = follower->identity();
  for (int number = 1; number <= kRotatedFilesMax; ++number) file.older.push_back(rotated_name(path, number));
  history.add(std::move(file));
  if (offset == 0 && history.empty() && !options.follow)
    return report({ErrorCode::not_found, path + ": there is no log of a daemon yet"}, context.console);
  history.show([&](const LogSource&, const LineSource::Line& line) { return show.line(line.text, line.at); });
  if (!follower) {
    show.finish();
    return 0;
  }
  do {
    auto caught_up = follower->catch_up([&](std::string_view bytes) { show.bytes(bytes); });
    if (!caught_up) return report(caught_up.error(), context.console);
  } while (context.console.out_state() == Console::OutState::open &&
           follower->wait(context.console.out_fd()) == FileFollower::Woken::changed);
  return 0;
}

}  // namespace clusterd::cli
