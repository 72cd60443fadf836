#include "config/runtime_fields.h"

#include <array>

#include "common/app_name.h"
#include "config/cron_pattern.h"
#include "config/field_row.h"

namespace clusterd {
namespace {

using nlohmann::json;

constexpr std::string_view kSize = R"(a size such as "512K", "200M" or "2G")";

// 0 and false are PM2's ways to take a schedule away.
void read_cron(const json& value, AppSpec& spec, FieldProblems& problems) {
  if (value == 0 || value == "0" || value == false || value == "") return spec.cron.pattern.clear();
  if (!value.is_string())
    return add_problem(problems, expected(R"(a cron pattern such as "30 4 * * *")", value));
  const auto& text = value.get_ref<const std::string&>();
  if (auto pattern = CronPattern::parse(text); !pattern)
    return add_problem(problems, pattern.error().message);
  spec.cron.pattern = text;
}
json write_cron(const AppSpec& spec) {
  return spec.cron.pattern.empty() ? json(nullptr) : json(spec.cron.pattern);
}

void read_zone(const json& value, AppSpec& spec, FieldProblems& problems) {
  read_text(value, Emptiness::refused, spec.cron.zone, problems);
  // It becomes a part of a path.
  const bool good = spec.cron.zone.find("..") == std::string::npos && !spec.cron.zone.starts_with('/');
  if (good) return;
  spec.cron.zone.clear();
  add_problem(problems, expected(R"(the name of a time zone such as "Europe/Berlin")", value));
}
json write_zone(const AppSpec& spec) { return spec.cron.zone.empty() ? json(nullptr) : json(spec.cron.zone); }

void read_overlap(const json& value, AppSpec& spec, FieldProblems& problems) {
  if (value == "restart") {
    spec.cron.overlap = CronOverlap::restart;
  } else if (value == "skip") {
    spec.cron.overlap = CronOverlap::skip;
  } else {
    add_problem(problems, expected(R"("restart" or "skip")", value));
  }
}
json write_overlap(const AppSpec& spec) {
  if (!spec.cron.overlap) return nullptr;
  return *spec.cron.overlap == CronOverlap::skip ? "skip" : "restart";
}

// A list of names or patterns: unlike arguments, a string is one of them, blanks and all.
std::vector<std::string> read_patterns(const json& value, std::size_t max, FieldProblems& problems) {
  std::vector<std::string> patterns;
  for (const json& item : value.is_array() ? value : json::array({value})) {
    std::string pattern;
    read_text(item, Emptiness::refused, pattern, problems);
    if (!pattern.empty()) patterns.push_back(std::move(pattern));
  }
  if (patterns.size() > max)
    add_problem(problems,
                "has " + std::to_string(patterns.size()) + " entries; the limit is " + std::to_string(max));
  return patterns;
}

void read_watch(const json& value, AppSpec& spec, FieldProblems& problems) {
  const bool is_word = value.is_boolean() || value == "true" || value == "false";
  if (is_word) return read_flag(value, spec.watch.on, problems);
  spec.watch.on = true;
  spec.watch.paths = read_patterns(value, kWatchPatternsMax, problems);
}
json write_watch(const AppSpec& spec) {
  if (!spec.watch.on || spec.watch.paths.empty()) return spec.watch.on;
  return spec.watch.paths;
}

void read_ignore_watch(const json& value, AppSpec& spec, FieldProblems& problems) {
  spec.watch.ignored = read_patterns(value, kWatchPatternsMax, problems);
}
json write_ignore_watch(const AppSpec& spec) {
  return spec.watch.ignored ? json(*spec.watch.ignored) : json(nullptr);
}

void read_watch_delay(const json& value, AppSpec& spec, FieldProblems& problems) {
  read_duration(value, Milliseconds{0}, ForEver::refused, spec.watch.delay, problems);
}
json write_watch_delay(const AppSpec& spec) { return spec.watch.delay.count(); }

struct MemoryLimit {
  static constexpr std::string_view kType = "memory_limit";
  static void read(const json& value, std::uint64_t& target, FieldProblems& problems) {
    const auto size = read_size(value, kSize, problems);
    if (size && *size < kMemoryLimitMin) {
      add_problem(problems, expected("at least 1M (a bare number is bytes)", value));
    } else if (size) {
      target = *size;
    }
  }
  static json write(std::uint64_t value) { return value; }
};

struct Dependencies {
  static constexpr std::string_view kType = "depends_on";
  static void read(const json& value, std::vector<std::string>& target, FieldProblems& problems) {
    target = read_patterns(value, kDependenciesMax, problems);
    for (const std::string& name : target) {
      const std::size_t colon = name.find(':');
      const bool good = colon == std::string::npos ? check_app_name(name).has_value()
                                                   : check_namespace(name.substr(0, colon)) &&
                                                         check_app_name(name.substr(colon + 1));
      if (!good) add_problem(problems, expected(R"(names of apps, "db" or "namespace:db")", name));
    }
  }
  static json write(const std::vector<std::string>& value) { return value; }
};

// Kinds of the optional members of AppSpec::limits.
void read_number(const json& value, WholeNumberRange range, std::optional<int>& target,
                 FieldProblems& problems) {
  int number = 0;
  const std::size_t before = problems.size();
  read_whole_number(value, range, number, problems);
  if (problems.size() == before) target = number;
}
json number_or_null(const std::optional<int>& value) { return value ? json(*value) : json(nullptr); }

void read_nice(const json& value, AppSpec& spec, FieldProblems& problems) {
  read_number(value, {-20, 19}, spec.limits.nice, problems);
}
void read_oom(const json& value, AppSpec& spec, FieldProblems& problems) {
  read_number(value, {-1000, 1000}, spec.limits.oom_score_adj, problems);
}

// Octal, as everywhere: "022" and "22" alike.
void read_umask(const json& value, AppSpec& spec, FieldProblems& problems) {
  const std::string text = value.is_string() ? value.get<std::string>() : "";
  const bool octal = !text.empty() && text.size() <= 4 && text.find_first_not_of("01234567") == text.npos;
  if (!octal || std::stoi(text, nullptr, 8) > 0777)
    return add_problem(problems, expected(R"(an octal string from "000" to "777", such as "027")", value));
  spec.limits.umask = std::stoi(text, nullptr, 8);
}
json write_umask(const AppSpec& spec) {
  if (!spec.limits.umask) return nullptr;
  const int mask = *spec.limits.umask;
  std::string text;
  for (const int shift : {6, 3, 0}) text += static_cast<char>('0' + (mask >> shift & 7));
  return text;
}

std::optional<std::uint64_t> read_bound(const json& value, const ResourceName& resource,
                                        FieldProblems& problems) {
  if (value == "unlimited" || value == "infinity" || value == -1) return kUnlimited;
  if (resource.in_bytes) return read_size(value, kSize, problems);
  int number = 0;
  const std::size_t before = problems.size();
  read_whole_number(value, {0, INT32_MAX}, number, problems);
  if (problems.size() > before) return std::nullopt;
  return static_cast<std::uint64_t>(number);
}

// 4096, "64M", "unlimited", or soft and hard limit "1024:4096".
void read_rlimit(const json& value, const ResourceName& resource, AppSpec& spec, FieldProblems& problems) {
  const std::string text = value.is_string() ? value.get<std::string>() : "";
  const std::size_t colon = text.find(':');
  const bool pair = colon != std::string::npos;
  const auto soft = read_bound(pair ? json(text.substr(0, colon)) : value, resource, problems);
  const auto hard = pair ? read_bound(text.substr(colon + 1), resource, problems) : soft;
  if (!soft || !hard) return;
  if (*soft > *hard) return add_problem(problems, "the soft limit is above the hard one");
  spec.limits.rlimits[std::string(resource.name)] = {*soft, *hard};
}

void read_rlimits(const json& value, AppSpec& spec, FieldProblems& problems) {
  if (!value.is_object())
    return add_problem(problems,
                       expected(R"(an object such as {"nofile": 65536, "core": "unlimited"})", value));
  for (const auto& [name, bound] : value.items()) {
    FieldProblems found;
    const ResourceName* resource = find_resource(name);
    if (resource != nullptr) {
      read_rlimit(bound, *resource, spec, found);
    } else {
      std::string known;
      for (const ResourceName& one : resource_names()) known += " " + std::string(one.name);
      add_problem(found, "is no resource that can be limited; there are" + known);
    }
    add_problems_of(problems, name, std::move(found));
  }
}
json bound_json(std::uint64_t bound) { return bound == kUnlimited ? json("unlimited") : json(bound); }
std::string bound_text(std::uint64_t bound) {
  return bound == kUnlimited ? "unlimited" : std::to_string(bound);
}
json write_rlimits(const AppSpec& spec) {
  if (spec.limits.rlimits.empty()) return nullptr;
  json limits = json::object();
  for (const auto& [name, limit] : spec.limits.rlimits) {
    limits[name] = limit.soft == limit.hard ? bound_json(limit.soft)
                                            : json(bound_text(limit.soft) + ":" + bound_text(limit.hard));
  }
  return limits;
}

// 1.5 CPUs, 2, "0.25".
std::optional<std::uint64_t> read_cpus(const json& value, FieldProblems& problems) {
  constexpr double kCpusMax = 4096;
  double cpus = value.is_number() ? value.get<double>() : 0;
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    std::size_t end = 0;
    const bool digits = !text.empty() && text.find_first_not_of("0123456789.") == text.npos && text != ".";
    if (digits && text.size() < 12) cpus = std::stod(text, &end);
    if (end != text.size()) cpus = 0;
  }
  if (cpus >= 0.01 && cpus <= kCpusMax) return static_cast<std::uint64_t>(cpus * 1000 + 0.5);
  add_problem(problems, expected("a number of CPUs, from 0.01", value));
  return std::nullopt;
}

void read_cgroup(const json& value, AppSpec& spec, FieldProblems& problems) {
  if (!value.is_object())
    return add_problem(problems,
                       expected(R"(an object such as {"memory": "1G", "cpu": 1.5, "pids": 200})", value));
  CgroupLimits& limits = spec.limits.cgroup;
  for (const auto& [name, bound] : value.items()) {
    FieldProblems found;
    if (name == "memory") {
      std::uint64_t memory = 0;
      MemoryLimit::read(bound, memory, found);
      if (found.empty()) limits.memory = memory;
    } else if (name == "cpu") {
      limits.cpu = read_cpus(bound, found);
    } else if (name == "pids") {
      int pids = 0;
      read_whole_number(bound, {1, INT32_MAX}, pids, found);
      if (found.empty()) limits.pids = static_cast<std::uint64_t>(pids);
    } else {
      add_problem(found, "is not known; there are memory, cpu and pids");
    }
    add_problems_of(problems, name, std::move(found));
  }
}
json write_cgroup(const AppSpec& spec) {
  const CgroupLimits& limits = spec.limits.cgroup;
  if (!limits.any()) return nullptr;
  json value = json::object();
  if (limits.memory) value["memory"] = *limits.memory;
  if (limits.cpu) value["cpu"] = static_cast<double>(*limits.cpu) / 1000;
  if (limits.pids) value["pids"] = *limits.pids;
  return value;
}

void read_standard_input(const json& value, AppSpec& spec, FieldProblems& problems) {
  if (value == "pipe") {
    spec.standard_input = StandardInput::pipe;
  } else if (value == "null") {
    spec.standard_input = StandardInput::null;
  } else {
    add_problem(problems, expected(R"("null" or "pipe")", value));
  }
}
json write_standard_input(const AppSpec& spec) {
  return spec.standard_input == StandardInput::pipe ? "pipe" : "null";
}

constexpr std::array kRuntimeFields{
    AppField{"cron_restart",
             {"cron"},
             "cron",
             "Cron pattern, of five or six fields, for regular restarts; 0: none",
             read_cron,
             write_cron},
    AppField{"cron_timezone",
             {},
             "time_zone",
             "Time zone of cron_restart; default: TZ of the app, or else the daemon's",
             read_zone,
             write_zone},
    AppField{"cron_overlap",
             {},
             "cron_overlap",
             "If it still runs: restart it, or skip this time; default: skip without autorestart",
             read_overlap,
             write_overlap},
    AppField{"watch",
             {},
             "watch",
             "Restart when files change: true for those below cwd, or paths",
             read_watch,
             write_watch},
    AppField{"ignore_watch",
             {},
             "patterns",
             "Names, paths and globs that are not watched",
             read_ignore_watch,
             write_ignore_watch},
    AppField{"watch_delay",
             {},
             "duration",
             "Quiet time after a change before the restart",
             read_watch_delay,
             write_watch_delay},
    row<MemoryLimit, &AppSpec::max_memory_restart>(
        "max_memory_restart", "Memory of an instance, its children included, above which it is replaced"),
    row<Dependencies, &AppSpec::depends_on>("depends_on",
                                            "Apps that have to be ready before this one starts"),
    row<Duration<1>, &AppSpec::depends_timeout>("depends_timeout", "Time a command waits for them"),
    row<TextList, &AppSpec::pre_start>("pre_start", "Command that has to succeed before each start"),
    row<TextList, &AppSpec::post_start>("post_start", "Command that runs when an instance has become ready"),
    row<TextList, &AppSpec::pre_stop>("pre_stop", "Command that runs before the stop signal"),
    row<TextList, &AppSpec::post_stop>("post_stop", "Command that runs after the end of a process"),
    row<Duration<1>, &AppSpec::hook_timeout>("hook_timeout", "Time each of these commands may take"),
    AppField{"rlimits",
             {},
             "rlimits",
             "Limits of each process, by the names of setrlimit(2)",
             read_rlimits,
             write_rlimits},
    AppField{"nice",
             {},
             "nice",
             "Scheduling priority, -20 to 19",
             read_nice,
             [](const AppSpec& spec) { return number_or_null(spec.limits.nice); }},
    AppField{"oom_score_adj",
             {},
             "oom_score_adj",
             "Preference of the out-of-memory killer, -1000 (never) to 1000 (first)",
             read_oom,
             [](const AppSpec& spec) { return number_or_null(spec.limits.oom_score_adj); }},
    AppField{"umask", {}, "umask", "File mode creation mask, octal", read_umask, write_umask},
    AppField{"cgroup",
             {},
             "cgroup",
             "Limits of an instance as a whole, where a cgroup is writable",
             read_cgroup,
             write_cgroup},
    AppField{"stdin",
             {},
             "standard_input",
             "null: nothing; pipe: what is sent with `send` and `attach`",
             read_standard_input,
             write_standard_input},
};

}  // namespace

std::span<const AppField> runtime_fields() { return kRuntimeFields; }

}  // namespace clusterd
