#include "config/readiness.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "common/units.h"
#include "config/field_values.h"

namespace clusterd {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 5> kWords{"auto", "listening", "notify", "message", "fd"};
constexpr std::string_view kDelay = "delay:";
constexpr Milliseconds kIntervalMin{10};

void add_problem(FieldProblems& problems, const std::string& member, std::string message) {
  problems.push_back(
      {member.empty() ? "" : "." + member, member.empty() ? "" : "/" + member, std::move(message)});
}

void add_problems(FieldProblems& problems, const std::string& member, FieldProblems&& own) {
  for (FieldProblem& problem : own) add_problem(problems, member, std::move(problem.message));
}

void read_time(const json& value, const std::string& member, Milliseconds min, Milliseconds& target,
               FieldProblems& problems) {
  FieldProblems own;
  read_duration(value, min, ForEver::refused, target, own);
  add_problems(problems, member, std::move(own));
}

void read_probe(const json& value, const std::string& member, Probe& target, FieldProblems& problems) {
  if (!value.is_string()) {
    return add_problem(problems, member,
                       expected(R"(a check such as "http://:3000/health", "tcp" or "exec:COMMAND")", value));
  }
  auto probe = parse_probe(value.get_ref<const std::string&>());
  if (!probe) return add_problem(problems, member, probe.error().message);
  target = std::move(*probe);
}

void read_check(const json& value, const std::string& member, Readiness& target, FieldProblems& problems) {
  const std::string text = value.is_string() ? value.get<std::string>() : std::string();
  if (const auto word = std::ranges::find(kWords, text); word != kWords.end()) {
    target.kind = static_cast<Readiness::Kind>(word - kWords.begin());
  } else if (text.starts_with(kDelay)) {
    target.kind = Readiness::Kind::delay;
    read_time(text.substr(kDelay.size()), member, Milliseconds{1}, target.delay, problems);
  } else if (is_probe_text(text) || text.starts_with("https://")) {
    target.kind = Readiness::Kind::probe;
    read_probe(value, member, target.probe, problems);
  } else {
    add_problem(problems, member,
                expected("\"auto\", \"listening\", \"notify\", \"message\", \"fd\", \"delay:3s\", "
                         "\"http://:PORT/path\", \"tcp\", \"tcp://HOST:PORT\" or \"exec:COMMAND\"",
                         value));
  }
}

// The members that both objects have; false: not one of them.
bool read_pace(const std::string& key, const json& value, Milliseconds& interval, Milliseconds& timeout,
               FieldProblems& problems) {
  if (key == "interval") {
    read_time(value, key, kIntervalMin, interval, problems);
  } else if (key == "timeout") {
    read_time(value, key, Milliseconds{1}, timeout, problems);
  } else {
    return false;
  }
  return true;
}

}  // namespace

void read_readiness(const json& value, Readiness& target, FieldProblems& problems) {
  Readiness readiness;
  if (!value.is_object()) {
    read_check(value, "", readiness, problems);
  } else {
    if (!value.contains("check")) add_problem(problems, "", "'check' is missing");
    for (const auto& [key, item] : value.items()) {
      if (key == "check") {
        read_check(item, key, readiness, problems);
      } else if (!read_pace(key, item, readiness.interval, readiness.timeout, problems)) {
        add_problem(problems, key, "unknown key; `ready` has check, interval and timeout");
      }
    }
  }
  target = std::move(readiness);
}

std::string readiness_text(const Readiness& readiness) {
  if (readiness.kind == Readiness::Kind::probe) return readiness.probe.text;
  if (readiness.kind == Readiness::Kind::delay)
    return std::string(kDelay) + format_duration_exact(readiness.delay);
  return std::string(kWords[static_cast<std::size_t>(readiness.kind)]);
}

json write_readiness(const Readiness& readiness) {
  const Readiness pace;
  const std::string text = readiness_text(readiness);
  if (readiness.interval == pace.interval && readiness.timeout == pace.timeout) return text;
  return {{"check", text}, {"interval", readiness.interval.count()}, {"timeout", readiness.timeout.count()}};
}

void read_health(const json& value, HealthCheck& target, FieldProblems& problems) {
  HealthCheck health;
  if (!value.is_object()) {
    read_probe(value, "", health.probe, problems);
  } else {
    if (!value.contains("check")) add_problem(problems, "", "'check' is missing");
    for (const auto& [key, item] : value.items()) {
      FieldProblems own;
      if (key == "check") {
        read_probe(item, key, health.probe, problems);
      } else if (key == "threshold") {
        read_whole_number(item, {1, 1000}, health.threshold, own);
        add_problems(problems, key, std::move(own));
      } else if (!read_pace(key, item, health.interval, health.timeout, problems)) {
        add_problem(problems, key, "unknown key; `health` has check, interval, timeout and threshold");
      }
    }
  }
  target = std::move(health);
}

json write_health(const HealthCheck& health) {
  return {{"check", health.probe.text},
          {"interval", health.interval.count()},
          {"timeout", health.timeout.count()},
          {"threshold", health.threshold}};
}

}  // namespace clusterd
