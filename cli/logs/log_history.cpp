#include "cli/logs/log_history.h"

#include <sys/resource.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/json_read.h"
#include "cli/logs/line_search.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;

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
  return file;
}

LogHistory::LogHistory(const LogsOptions& options, std::int64_t now_wall_ms, Note note)
    : options_(options), now_wall_ms_(now_wall_ms), note_(std::move(note)) {
  allow_many_files();
}

void LogHistory::add(LogFileSource file) {
  if (options_.lines == 0 || file.offset == 0) return;
  auto tail = file.identity.inode == 0 ? FileTail::open(file.path) : FileTail::open(file.path, file.identity);
  if (!tail) {
    // A file that was never written is not there; one that was, and has gone, is worth a word.
    if (tail.error().code != ErrorCode::not_found || file.identity.inode != 0) note_(tail.error().message);
    return;
  }
  const auto facts = tail->facts();
  if (!facts) return note_(facts.error().message);
  const std::int64_t end = std::min(facts->size, file.offset);  // it may have been emptied since
  const auto start = start_in(*tail, file, end);
  if (!start) return note_(start.error().message);
  sources_.push_back(std::move(file.source));
  files_.push_back(std::make_unique<TimedLines>(std::move(*tail), *start, end, std::move(file.marks)));
}

Result<std::int64_t> LogHistory::start_in(const FileTail& file, const LogFileSource& source,
                                          std::int64_t end) const {
  if (!options_.since) return last_lines(file, end, options_.lines.value_or(kLogLinesDefault));
  const auto since = start_since(file, source, end, options_.since->wall_ms(now_wall_ms_));
  if (!since || !options_.lines) return since;
  const auto last = last_lines(file, end, *options_.lines);
  return last ? Result<std::int64_t>(std::max(*since, *last)) : last;
}

Result<std::int64_t> LogHistory::last_lines(const FileTail& file, std::int64_t end, int lines) const {
  FileTail::Wanted wanted;
  if (options_.grep) wanted = [&](std::string_view line) { return options_.grep->found_in(line); };
  const auto start = file.find_start(end, lines, wanted);
  if (!start) return fail(start.error());
  if (start->cut) note_(file.path() + ": the beginning of a very long line is left out");
  return start->offset;
}

Result<std::int64_t> LogHistory::start_since(const FileTail& file, const LogFileSource& source,
                                             std::int64_t end, std::int64_t since) const {
  if (const auto noted = source.marks.offset_since(since)) return std::min(*noted, end);
  const std::int64_t unmarked_end = source.marks.empty() ? end : std::min(source.marks.first_offset(), end);
  if (const auto stamped = offset_since(file, unmarked_end, since)) return *stamped;
  if (!source.marks.empty()) return unmarked_end;
  const auto facts = file.facts();
  if (!facts) return fail(facts.error());
  if (facts->changed_wall_ms < since) return end;
  const int lines = options_.lines.value_or(kLogLinesDefault);
  note_(file.path() + ": nobody knows when its lines were written; the last " + std::to_string(lines) +
        " are shown");
  return last_lines(file, end, lines);
}

void LogHistory::show(const std::function<bool(const LogSource&, const TimedLines::Line&)>& show) {
  merge_lines(files_,
              [&](std::size_t file, const TimedLines::Line& line) { return show(sources_[file], line); });
}

}  // namespace clusterd::cli
