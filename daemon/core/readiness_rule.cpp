#include "daemon/core/readiness_rule.h"

#include "daemon/core/seconds_text.h"

namespace clusterd {
namespace {

using Kind = Readiness::Kind;

bool has_to_listen(const AppSpec& spec, const ReadyFacts& facts) {
  return (facts.app_listened || facts.binds) && spec.exec_mode == ExecMode::cluster;
}

std::string missing(const AppSpec& spec, const ReadyFacts& facts) {
  const Readiness readiness = readiness_of(spec);
  switch (readiness.kind) {
    case Kind::notify:
    case Kind::message:
      return std::string("it did not say READY=1 on its NOTIFY_SOCKET") +
             (spec.wait_ready ? " (wait_ready)" : " (ready)");
    case Kind::fd:
      return "no line came on its readiness descriptor, READY_FD";
    case Kind::listening:
      return "it did not listen";
    case Kind::probe:
      return readiness.probe.text + ": " +
             (facts.probe_note.empty() ? std::string("no answer yet") : facts.probe_note);
    case Kind::automatic:
    case Kind::delay:
      break;
  }
  return facts.binds ? "it called bind() but not listen()" : "it did not listen, as the app did before";
}

}  // namespace

ReadyBy ready_by(const AppSpec& spec, const ReadyFacts& facts) {
  switch (readiness_of(spec).kind) {
    case Kind::automatic:
      return has_to_listen(spec, facts) ? ReadyBy::evidence : ReadyBy::survival;
    case Kind::delay:
      return ReadyBy::delay;
    default:
      return ReadyBy::evidence;
  }
}

bool is_ready(const AppSpec& spec, Sign sign, const ReadyFacts& facts) {
  const Readiness readiness = readiness_of(spec);
  switch (readiness.kind) {
    case Kind::automatic:
      return sign != Sign::proved;
    case Kind::listening:
      return sign == Sign::listening;
    case Kind::notify:
    case Kind::message:
      return sign == Sign::notified;
    case Kind::fd:
      return sign == Sign::proved;
    case Kind::probe: {
      const bool own = readiness.probe.kind == Probe::Kind::exec || !has_to_listen(spec, facts);
      return sign == Sign::proved && (own || facts.listened);
    }
    case Kind::delay:
      return false;
  }
  return false;
}

std::string late_reason(const AppSpec& spec, const ReadyFacts& facts, Milliseconds waited) {
  const std::string within = "not ready within " + seconds_text(waited) + ": ";
  if (!facts.executed) return within + "its program could not even be executed in that time";
  return within + missing(spec, facts);
}

}  // namespace clusterd
