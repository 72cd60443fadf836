#include "config/log_fields.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "config/cron_pattern.h"
#include "config/field_values.h"

namespace clusterd {
namespace {

using nlohmann::json;
using Interval = LogRotation::Interval;
using Compression = LogRotation::Compression;

template <class T>
struct Word {
  T value;
  std::string_view text;
};

constexpr std::array kTargets{
    Word{LogTargetKind::file, "file"},     Word{LogTargetKind::null, "null"},
    Word{LogTargetKind::direct, "direct"}, Word{LogTargetKind::journald, "journald"},
    Word{LogTargetKind::syslog, "syslog"}, Word{LogTargetKind::standard, "stdout"}};
constexpr std::array kTypes{Word{LogType::raw, "raw"}, Word{LogType::json, "json"}};
constexpr std::array kIntervals{Word{Interval::none, "none"}, Word{Interval::hour, "hour"},
                                Word{Interval::day, "day"}, Word{Interval::week, "week"}};
constexpr std::array kCompressions{Word{Compression::none, "none"}, Word{Compression::gzip, "gzip"},
                                   Word{Compression::zstd, "zstd"}};

template <class T, std::size_t N>
void read_word(const json& value, const std::array<Word<T>, N>& words, T& target, FieldProblems& problems) {
  const auto found = std::ranges::find_if(words, [&](const Word<T>& word) { return value == word.text; });
  if (found != words.end()) {
    target = found->value;
    return;
  }
  std::string choices;
  for (std::size_t i = 0; i < N; ++i)
    choices += (i == 0 ? "\"" : i + 1 == N ? "\" or \"" : "\", \"") + std::string(words[i].text);
  add_problem(problems, expected(choices + '"', value));
}

template <class T, std::size_t N>
std::string_view word_of(T value, const std::array<Word<T>, N>& words) {
  return std::ranges::find(words, value, &Word<T>::value)->text;
}

struct SizeRange {
  std::uint64_t min;
  std::uint64_t max;
};

void read_size_in(const json& value, SizeRange range, std::uint64_t& target, FieldProblems& problems) {
  const auto size = read_size(value, R"(bytes, or a size such as "10M")", problems);
  if (!size) return;
  if (*size < range.min || *size > range.max)
    return add_problem(problems, expected("a size from " + std::to_string(range.min) + " to " +
                                              std::to_string(range.max) + " bytes",
                                          value));
  target = *size;
}

constexpr SizeRange kAnyRotationSize{kRotationBytesMin, INT64_MAX};

// "day" and the like, or what has the look of a cron pattern: several words, or a name of one.
bool is_interval(const json& value) {
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  return text == "hour" || text == "day" || text == "week" || text.find_first_of(" \t@") != text.npos;
}

void read_interval(const json& value, LogRotation& rotation, FieldProblems& problems) {
  rotation.cron.clear();
  const bool is_word = std::ranges::any_of(kIntervals, [&](const auto& word) { return value == word.text; });
  if (is_word) return read_word(value, kIntervals, rotation.interval, problems);
  if (!value.is_string())
    return add_problem(problems, expected(R"("none", "hour", "day", "week" or a cron pattern)", value));
  const auto& text = value.get_ref<const std::string&>();
  if (const auto pattern = CronPattern::parse(text); !pattern)
    return add_problem(problems,
                       "is neither \"none\", \"hour\", \"day\" nor \"week\", and as a cron pattern it " +
                           pattern.error().message);
  rotation.interval = Interval::cron;
  rotation.cron = text;
}

std::string_view interval_text(const LogRotation& rotation) {
  return rotation.interval == Interval::cron ? rotation.cron : word_of(rotation.interval, kIntervals);
}

void read_rotation_member(const std::string& key, const json& value, LogRotation& rotation,
                          FieldProblems& problems) {
  FieldProblems own;
  if (key == "size") {
    if (value != 0) read_size_in(value, kAnyRotationSize, rotation.size, own);
  } else if (key == "interval") {
    read_interval(value, rotation, own);
  } else if (key == "keep") {
    read_whole_number(value, {0, kRotatedFilesMax}, rotation.keep, own);
  } else if (key == "total") {
    if (value != 0) read_size_in(value, kAnyRotationSize, rotation.total, own);
  } else if (key == "age") {
    read_duration(value, std::chrono::milliseconds{0}, ForEver::refused, rotation.age, own);
  } else if (key == "compress") {
    read_word(value, kCompressions, rotation.compress, own);
  } else {
    add_problem(own, "unknown key; `log_rotate` has size, interval, keep, total, age and compress");
  }
  add_problems_of(problems, key, std::move(own));
}

// true, a size, an interval, a cron pattern, or an object; false is no rotation.
void read_rotation(const json& value, AppSpec& spec, FieldProblems& problems) {
  spec.log.rotate.reset();
  if (value == false || value == "false") return;
  LogRotation rotation;
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) read_rotation_member(key, member, rotation, problems);
  } else if (is_interval(value)) {
    read_interval(value, rotation, problems);
  } else if (value != true && value != "true") {
    read_size_in(value, kAnyRotationSize, rotation.size, problems);
  }
  if (rotation.size == 0 && rotation.interval == Interval::none) rotation.size = kRotationBytesDefault;
  spec.log.rotate = rotation;
}

json write_rotation(const AppSpec& spec) {
  if (!spec.log.rotate) return nullptr;
  const LogRotation& rotation = *spec.log.rotate;
  return {{"size", rotation.size},       {"interval", interval_text(rotation)},
          {"keep", rotation.keep},       {"total", rotation.total},
          {"age", rotation.age.count()}, {"compress", word_of(rotation.compress, kCompressions)}};
}

void read_date_format(const json& value, AppSpec& spec, FieldProblems& problems) {
  std::string format;
  read_text(value, Emptiness::allowed, format, problems);
  if (format.size() > kDateFormatBytesMax || format.find('\n') != std::string::npos)
    return add_problem(problems, "is one line of " + std::to_string(kDateFormatBytesMax) + " bytes at most");
  spec.log.date_format = std::move(format);
}

void read_rate_limit(const json& value, AppSpec& spec, FieldProblems& problems) {
  int lines = 0;
  const std::size_t before = problems.size();
  read_whole_number(value, {1, INT32_MAX}, lines, problems);
  if (problems.size() == before) spec.log.rate_limit = lines;
}

// PM2's other name of log_file, and our word for a log without the daemon.
void read_log(const json& value, AppSpec& spec, FieldProblems& problems) {
  if (value == "direct") {
    spec.log.target = LogTargetKind::direct;
  } else {
    read_text(value, Emptiness::refused, spec.log.file, problems);
  }
}

constexpr std::array kFields{
    AppField{"log_file",
             {},
             "non_empty_text",
             "File for output and errors together, beside the two others",
             [](const json& value, AppSpec& spec, FieldProblems& problems) {
               read_text(value, Emptiness::refused, spec.log.file, problems);
             },
             [](const AppSpec& spec) { return spec.log.file.empty() ? json(nullptr) : json(spec.log.file); }},
    AppField{"log",
             {},
             "non_empty_text",
             "\"direct\": the app writes its files itself; anything else is a log_file",
             read_log,
             [](const AppSpec& spec) {
               return spec.log.target == LogTargetKind::direct ? json("direct") : json(nullptr);
             }},
    AppField{"log_target",
             {},
             "log_target",
             "Where output goes: file, null, direct, journald, syslog or stdout",
             [](const json& value, AppSpec& spec, FieldProblems& problems) {
               read_word(value, kTargets, spec.log.target, problems);
             },
             [](const AppSpec& spec) { return json(word_of(spec.log.target, kTargets)); }},
    AppField{"log_type",
             {},
             "log_type",
             "json: each line becomes an object with time, stream and app",
             [](const json& value, AppSpec& spec, FieldProblems& problems) {
               read_word(value, kTypes, spec.log.type, problems);
             },
             [](const AppSpec& spec) { return json(word_of(spec.log.type, kTypes)); }},
    AppField{"log_date_format",
             {},
             "text",
             "Format of the time before each line, such as \"YYYY-MM-DD HH:mm:ss.SSS\"",
             read_date_format,
             [](const AppSpec& spec) {
               return spec.log.date_format.empty() ? json(nullptr) : json(spec.log.date_format);
             }},
    AppField{"time",
             {},
             "flag",
             "Lines begin with the time they arrived at",
             [](const json& value, AppSpec& spec, FieldProblems& problems) {
               read_flag(value, spec.log.time, problems);
             },
             [](const AppSpec& spec) { return json(spec.log.time); }},
    AppField{"disable_logs",
             {},
             "flag",
             "Keep no output; the same as log_target null",
             [](const json& value, AppSpec& spec, FieldProblems& problems) {
               read_flag(value, spec.log.disabled, problems);
             },
             [](const AppSpec& spec) { return json(spec.log.disabled); }},
    AppField{"log_line_max",
             {},
             "size",
             "Longest line of a stamped or JSON log; longer ones are continued in the next",
             [](const json& value, AppSpec& spec, FieldProblems& problems) {
               read_size_in(value, {kLogLineBytesMin, kLogLineBytesMax}, spec.log.line_max, problems);
             },
             [](const AppSpec& spec) { return json(spec.log.line_max); }},
    AppField{
        "log_rate_limit",
        {},
        "positive_number",
        "Lines a second that are kept of each stream of an instance",
        read_rate_limit,
        [](const AppSpec& spec) { return spec.log.rate_limit ? json(*spec.log.rate_limit) : json(nullptr); }},
    AppField{"log_rotate",
             {},
             "log_rotate",
             "When log files are moved aside, and how many are kept",
             read_rotation,
             write_rotation},
};

}  // namespace

std::span<const AppField> log_fields() { return kFields; }

std::string_view log_target_word(LogTargetKind target) { return word_of(target, kTargets); }

}  // namespace clusterd
