#include "daemon/death.h"

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

#include "common/signal_names.h"
#include "daemon/core/seconds_text.h"

namespace clusterd {
namespace {

using nlohmann::json;

// "killed by SIGKILL after 3.2 s (not by clusterd: ...)"
std::string end_text(const Instance& before, const InstanceEvent& event, Milliseconds lived) {
  std::string text = event.exit.describe() + " after " + seconds_text(lived);
  const bool our_kill = event.ended_by == EndedBy::clusterd && event.exit.signal == SIGKILL;
  if (our_kill && event.stop_signal != 0) {
    text += ", because it did not end within kill_timeout (" + seconds_text(before.spec->kill_timeout) +
            ") after " + std::string(signal_name(event.stop_signal));
  } else if (our_kill) {
    text += ", at once as ordered";
  }
  return event.note.empty() ? text : text + " (" + event.note + ")";
}

std::string cause_text(const App& app, const Instance& before, const InstanceEvent& event,
                       Milliseconds lived) {
  if (!event.failure.empty()) return event.failure;
  std::string text = order_of_end(app, before);
  if (!before.ending_reason.empty()) text += (text.empty() ? "" : ", because ") + before.ending_reason;
  return (text.empty() ? "" : text + ": ") + end_text(before, event, lived);
}

struct Decision {
  std::string word;
  std::string text;
};

Decision decision_of(const App& app, const Instance& before, const Instance& after,
                     const InstanceEvent& event, Milliseconds now) {
  if (before.goal == Goal::down) return {"stay_down", "not started again: " + order_of_end(app, before)};
  switch (after.phase) {
    case Phase::starting:
      return {"restart_now", "started again at once"};
    case Phase::backing_off: {
      std::string text = "next start after " + seconds_text(after.next_start_at.value_or(now) - now);
      if (after.attempts > 0) text += " (unstable lives in a row: " + std::to_string(after.attempts) + ")";
      return {"restart_later", text};
    }
    case Phase::errored:
      if (!event.failure.empty()) return {"give_up", "not started again: the program cannot be executed"};
      return {"give_up", "given up: max_restarts (" + std::to_string(before.spec->max_restarts.value_or(0)) +
                             ") unstable lives in a row"};
    default:
      break;
  }
  if (!before.spec->autorestart) return {"stay_down", "not started again: autorestart is off"};
  const std::vector<int>& codes = before.spec->stop_exit_codes;
  if (event.exit.signal == 0 && std::ranges::find(codes, event.exit.code) != codes.end()) {
    return {"stay_down", "not started again: stop_exit_codes has " + std::to_string(event.exit.code)};
  }
  return {"stay_down", "not started again"};
}

json exit_of(const InstanceEvent& event) {
  if (event.exit.signal == 0) return {{"code", event.exit.code}};
  return {{"signal", signal_name(event.exit.signal)}, {"core_dumped", event.exit.core_dumped}};
}

}  // namespace

std::string order_of_end(const App& app, const Instance& before) {
  if (before.goal == Goal::up) return "";
  if (app.deleted) return "the app was deleted";
  const auto slot = static_cast<std::size_t>(before.slot);
  if (slot >= app.wanted.slots.size()) return "the app was scaled down";
  const WantedSlot& wanted = app.wanted.slots[slot];
  if (wanted.goal == Goal::down)
    return is_wanted_up(app) ? "the instance was stopped" : "the app was stopped";
  if (wanted.generation < before.generation) return "its version was taken back";
  if (wanted.generation > before.generation) return "another one takes its place";
  return "it was ordered to end";
}

json death_record(const App& app, const Instance& before, const Instance& after, const InstanceEvent& event,
                  Instant now) {
  const auto slot = static_cast<std::size_t>(before.slot);
  const Milliseconds lived = now.monotonic - before.started_at;
  const Decision decision = decision_of(app, before, after, event, now.monotonic);
  json record{{"at_ms", now.wall_ms},
              {"name", app.key.name},
              {"namespace", app.key.name_space},
              {"slot", before.slot},
              {"generation", before.generation},
              {"id", slot < app.slots.size() ? json(app.slots[slot].id) : json(nullptr)},
              {"pid", before.pid ? json(*before.pid) : json(nullptr)},
              {"phase", phase_name(before.phase)},
              {"started_at_ms", before.started_at_wall_ms},
              {"uptime_ms", lived.count()},
              {"exit", event.failure.empty() ? exit_of(event) : json(nullptr)},
              {"by", event.failure.empty() ? ended_by_word(event.ended_by) : "failure"},
              {"cause", cause_text(app, before, event, lived)},
              {"decision", decision.word},
              {"decision_text", decision.text},
              {"next_start_ms", nullptr},
              {"attempts", after.attempts},
              {"stderr", event.last_error},
              {"stdout", event.last_output}};
  if (after.phase == Phase::backing_off && after.next_start_at)
    record["next_start_ms"] = (*after.next_start_at - now.monotonic).count();
  return record;
}

}  // namespace clusterd
