#include "cli/logs/log_history.h"

#include <sys/resource.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "cli/json_read.h"
#include "cli/logs/compressed_source.h"
#include "cli/logs/line_scan.h"
#include "cli/logs/line_search.h"
#include "common/rotated_log.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;

constexpr std::int64_t kToItsEnd = std::numeric_limits<std::int64_t>::max();

// All files are open at once.
void allow_many_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

std::optional<int> int_of(const json& entry, std::string_view key) {
  const auto number = integer_of(entry, key);
  return number ? std::optional<int>(static_cast<int>(*number)) : std::nullopt;
}

TimeMarks marks_of(const json& list) {
  std::vector<std::pair<std::int64_t, std::int64_t>> marks;
  if (!list.is_array()) return TimeMarks();
  for (std::size_t i = 0; i + 1 < list.size(); i += 2) {
    if (!list[i].is_number_integer() || !list[i + 1].is_number_integer()) return TimeMarks();
    marks.emplace_back(list[i].get<std::int64_t>(), list[i + 1].get<std::int64_t>());
  }
  return std::ranges::is_sorted(marks) ? TimeMarks(std::move(marks)) : TimeMarks();
}

}  // namespace

LogFileSource log_file_source(const json& entry) {
  LogFileSource file;
  file.source = {int_of(entry, "id"), text_of(entry, "name"),
                 text_of(entry, "stream") == "err" ? LogStream::err : LogStream::out, int_of(entry, "slot")};
  if (const std::string name_space = text_of(entry, "namespace"); !name_space.empty())
    file.source.name_space = name_space;
  file.path = text_of(entry, "path");
  file.identity = {static_cast<std::uint64_t>(integer_of(entry, "device").value_or(0)),
                   static_cast<std::uint64_t>(integer_of(entry, "inode").value_or(0))};
  file.offset = integer_of(entry, "offset").value_or(0);
  file.marks = marks_of(member_of(entry, "marks"));
  const json& rotated = member_of(entry, "rotated");
  file.rotated = {text_of(rotated, "name"), marks_of(member_of(rotated, "marks"))};
  file.next_rotated = text_of(entry, "next_rotated");
  return file;
}

LogHistory::LogHistory(const LogsOptions& options, std::int64_t now_wall_ms, Note note)
    : options_(options), now_wall_ms_(now_wall_ms), note_(std::move(note)) {
  if (options_.since) since_ = options_.since->wall_ms(now_wall_ms_);
  if (options_.grep) wanted_ = [this](std::string_view line) { return options_.grep->found_in(line); };
  allow_many_files();
}

void LogHistory::add(LogFileSource file) {
  if (options_.lines == 0) return;
  Found found;
  found.missing = counts_lines() ? lines_or_default() : std::numeric_limits<int>::max();
  if (add_present(file, found)) {
    go_back_by_names(file.older, found);
    if (!file.next_rotated.empty()) go_back(file, found);
  }
  if (found.parts.empty()) return;
  sources_.push_back(std::move(file.source));
  logs_.push_back(std::make_unique<ChainedLines>(std::move(found.parts)));
}

// What has been found enough of? The ways of adding a file say whether an earlier one is wanted, too.
bool LogHistory::take(Found& found, const Begin& begin) const {
  if (counts_lines()) found.missing -= begin.lines;
  return !begin.ends_here && found.missing > 0;
}

bool LogHistory::add_present(const LogFileSource& file, Found& found) {
  if (file.offset == 0) return true;
  auto tail = file.identity.inode == 0 ? FileTail::open(file.path) : FileTail::open(file.path, file.identity);
  if (!tail) return add_moved(file, tail.error(), found);
  return add_file(std::move(*tail), file.marks, file.offset, found);
}

bool LogHistory::add_file(FileTail file, const TimeMarks& marks, std::int64_t end, Found& found) {
  const auto facts = file.facts();
  if (facts) end = std::min(facts->size, end);  // it may have been emptied since
  const auto begin =
      facts ? begin_in(file, marks, end, false, found.missing) : Result<Begin>(fail(facts.error()));
  if (!begin) {
    note_(begin.error().message);
    return true;
  }
  found.files.push_back(facts->identity);
  found.parts.push_front([file = std::move(file), begin = begin->offset, end, marks,
                          changed = facts->changed_wall_ms]() mutable {
    return std::make_unique<TimedLines>(std::make_unique<FileRange>(std::move(file), begin, end), begin,
                                        std::move(marks), changed);
  });
  return take(found, *begin);
}

// A file that was never written is not there; one that was, and has gone, has been compressed, or is worth a
// word.
bool LogHistory::add_moved(const LogFileSource& file, const Error& error, Found& found) {
  const bool was_written = file.identity.inode != 0;
  if (error.code == ErrorCode::not_found && !was_written) return true;
  if (error.code == ErrorCode::not_found && !file.next_rotated.empty()) {
    auto moved = rotated_.first_after(file.path, file.next_rotated);
    if (moved) moved->marks = file.marks;
    auto opened = moved ? moved->open() : Result<FileTail>(fail(error));
    if (opened && is_compressed_name(opened->path()))
      return add_compressed(*moved, std::move(*opened), file.offset, false, found);
  }
  note_(error.message);
  return true;
}

// They may be renamed while we look: what is open already is not taken a second time.
void LogHistory::go_back_by_names(const std::vector<std::string>& older, Found& found) {
  for (const std::string& path : older) {
    auto file = FileTail::open(path);
    const auto facts = file ? file->facts() : Result<FileTail::Facts>(fail(file.error()));
    if (!facts || std::ranges::find(found.files, facts->identity) != found.files.end()) continue;
    if (since_ && facts->changed_wall_ms < *since_) return;
    if (!add_file(std::move(*file), TimeMarks(), facts->size, found)) return;
  }
}

void LogHistory::go_back(const LogFileSource& file, Found& found) {
  std::vector<RotatedLog> logs = rotated_.before(file.path, file.next_rotated, now_wall_ms_);
  for (std::size_t i = 0; i < logs.size(); ++i) {
    if (since_ && logs[i].changed_wall_ms < *since_) return;
    if (!file.rotated.name.empty() && logs[i].path.ends_with("/" + file.rotated.name))
      logs[i].marks = file.rotated.marks;
    const bool all_since = since_ && i + 1 < logs.size() && logs[i + 1].changed_wall_ms >= *since_;
    if (!add_rotated(logs[i], all_since, found)) return;
  }
}

bool LogHistory::add_rotated(const RotatedLog& log, bool all_since, Found& found) {
  auto file = log.open();
  if (file && is_compressed_name(file->path()))
    return add_compressed(log, std::move(*file), kToItsEnd, all_since, found);
  const auto facts = file ? file->facts() : Result<FileTail::Facts>(fail(file.error()));
  const auto begin = facts ? begin_in(*file, log.marks, facts->size, all_since, found.missing)
                           : Result<Begin>(fail(facts.error()));
  if (!begin) {  // what has just been deleted was too old, and so is all before it
    if (begin.error().code != ErrorCode::not_found) note_(begin.error().message);
    return false;
  }
  found.parts.push_front([this, log, begin = begin->offset] { return lines_of(log, begin, kToItsEnd); });
  return take(found, *begin);
}

// In one pass, and a second one if more is to be shown than is kept of the first.
bool LogHistory::add_compressed(const RotatedLog& log, FileTail file, std::int64_t end, bool all_since,
                                Found& found) {
  if (all_since && !counts_lines()) {
    found.parts.push_front([this, log, end] { return lines_of(log, 0, end); });
    return take(found, Begin{});
  }
  const std::string path = file.path();
  const auto bytes = part_of(decompress(std::move(file), damage_note(path)), 0, end);
  LineScan scan = scan_lines(*bytes, counts_lines() ? found.missing : kLogLinesDefault, wanted_,
                             all_since ? std::nullopt : since_);
  if (since_ && !all_since && !log.marks.empty()) {
    const auto noted = log.marks.offset_since(*since_);
    if (noted || !scan.since_offset)
      scan.since_offset = std::min(noted.value_or(log.marks.first_offset()), scan.size);
  }
  const bool unknown = since_ && !all_since && !scan.since_offset;
  if (unknown) note_unknown_times(path);
  Begin begin{counts_lines() || unknown ? scan.last_offset : 0, scan.lines};
  begin.ends_here = unknown ? begin.offset > 0 : scan.since_offset.value_or(0) > 0;
  begin.offset = std::max(begin.offset, scan.since_offset.value_or(0));
  if (begin.offset < scan.tail_offset()) {
    found.parts.push_front([this, log, begin = begin.offset, end] { return lines_of(log, begin, end); });
  } else if (begin.offset < scan.size) {
    scan.tail.erase(0, static_cast<std::size_t>(begin.offset - scan.tail_offset()));
    found.parts.push_front([text = std::move(scan.tail), begin = begin.offset, marks = log.marks,
                            changed = log.changed_wall_ms]() mutable {
      return std::make_unique<TimedLines>(std::make_unique<TextSource>(std::move(text)), begin,
                                          std::move(marks), changed);
    });
  }
  return take(found, begin);
}

// Opened when it is its turn: there may be many of them, and it may have been compressed since it was looked
// at.
std::unique_ptr<LineSource> LogHistory::lines_of(const RotatedLog& log, std::int64_t begin,
                                                 std::int64_t end) {
  auto file = log.open();
  if (!file) return nullptr;
  const std::string path = file->path();
  std::unique_ptr<ByteSource> bytes;
  if (is_compressed_name(path)) {
    bytes = part_of(decompress(std::move(*file), damage_note(path)), begin, end);
  } else {
    bytes = std::make_unique<FileRange>(std::move(*file), begin, end);
  }
  return std::make_unique<TimedLines>(std::move(bytes), begin, log.marks, log.changed_wall_ms);
}

std::function<void()> LogHistory::damage_note(const std::string& path) {
  return [this, path] {
    if (damaged_.insert(path).second) note_(path + " is damaged: only what stands before that is shown");
  };
}

Result<LogHistory::Begin> LogHistory::begin_in(const FileTail& file, const TimeMarks& marks, std::int64_t end,
                                               bool all_since, int lines) const {
  const auto last = counts_lines() ? last_lines(file, end, lines) : Result<Begin>(Begin{});
  if (!last || !since_ || all_since) return last;
  const auto since = start_since(file, marks, end);
  if (!since) return fail(since.error());
  return *since > last->offset ? Begin{*since, 0, true} : *last;
}

Result<LogHistory::Begin> LogHistory::last_lines(const FileTail& file, std::int64_t end, int lines) const {
  const auto start = file.find_start(end, lines, wanted_);
  if (!start) return fail(start.error());
  if (start->cut) note_(file.path() + ": the beginning of a very long line is left out");
  return Begin{start->offset, start->lines, start->cut};
}

Result<std::int64_t> LogHistory::start_since(const FileTail& file, const TimeMarks& marks,
                                             std::int64_t end) const {
  if (const auto noted = marks.offset_since(*since_)) return std::min(*noted, end);
  const std::int64_t unmarked_end = marks.empty() ? end : std::min(marks.first_offset(), end);
  if (const auto stamped = offset_since(file, unmarked_end, *since_)) return *stamped;
  if (!marks.empty()) return unmarked_end;
  const auto facts = file.facts();
  if (!facts) return fail(facts.error());
  if (facts->changed_wall_ms < *since_) return end;
  note_unknown_times(file.path());
  const auto last = last_lines(file, end, lines_or_default());
  return last ? Result<std::int64_t>(last->offset) : fail(last.error());
}

void LogHistory::note_unknown_times(const std::string& path) const {
  note_(path + ": nobody knows when its lines were written; the last " + std::to_string(lines_or_default()) +
        " are shown");
}

void LogHistory::show(const std::function<bool(const LogSource&, const LineSource::Line&)>& show) {
  merge_lines(logs_,
              [&](std::size_t log, const LineSource::Line& line) { return show(sources_[log], line); });
}

}  // namespace clusterd::cli
