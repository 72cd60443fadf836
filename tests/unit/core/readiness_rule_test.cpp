// Which sign makes which app ready, and what is said of one that gives none.
#include "daemon/core/readiness_rule.h"

#include <catch2/catch.hpp>

namespace clusterd {
namespace {

using Kind = Readiness::Kind;

AppSpec app(Kind kind, const std::string& probe = {}) {
  AppSpec spec;
  spec.ready.kind = kind;
  if (!probe.empty()) spec.ready.probe = parse_probe(probe).value();
  return spec;
}

}  // namespace

TEST_CASE("each kind of readiness takes its own signs only") {
  struct Row {
    Kind kind;
    bool listening, notified, proved;
  };
  for (const Row& row : {Row{Kind::automatic, true, true, false}, Row{Kind::listening, true, false, false},
                         Row{Kind::notify, false, true, false}, Row{Kind::message, false, true, false},
                         Row{Kind::fd, false, false, true}, Row{Kind::delay, false, false, false}}) {
    INFO(static_cast<int>(row.kind));
    CHECK(is_ready(app(row.kind), Sign::listening, {}) == row.listening);
    CHECK(is_ready(app(row.kind), Sign::notified, {}) == row.notified);
    CHECK(is_ready(app(row.kind), Sign::proved, {}) == row.proved);
  }
  CHECK(is_ready(app(Kind::probe, "exec:true"), Sign::proved, {}));
  CHECK_FALSE(is_ready(app(Kind::probe, "exec:true"), Sign::listening, {}));
}

TEST_CASE("an answer that an older instance may have given counts only after a listen of its own") {
  ReadyFacts facts;
  facts.app_listened = true;
  for (const char* probe : {"http://:80/", "tcp"}) {
    AppSpec spec = app(Kind::probe, probe);
    facts.listened = false;
    CHECK_FALSE(is_ready(spec, Sign::proved, facts));
    facts.listened = true;
    CHECK(is_ready(spec, Sign::proved, facts));
    facts.listened = false;
    spec.exec_mode = ExecMode::fork;  // nothing of the kind is seen there
    CHECK(is_ready(spec, Sign::proved, facts));
  }
  CHECK(is_ready(app(Kind::probe, "exec:true"), Sign::proved, facts));
}

TEST_CASE("only auto can be ready by survival, and only delay by delay") {
  CHECK(ready_by(app(Kind::automatic), {}) == ReadyBy::survival);
  CHECK(ready_by(app(Kind::automatic), {.executed = true, .binds = true}) == ReadyBy::evidence);
  CHECK(ready_by(app(Kind::delay), {}) == ReadyBy::delay);
  for (const Kind kind : {Kind::listening, Kind::notify, Kind::message, Kind::fd})
    CHECK(ready_by(app(kind), {}) == ReadyBy::evidence);
  AppSpec spec;
  spec.wait_ready = true;
  CHECK(ready_by(spec, {}) == ReadyBy::evidence);
  spec.ready = {Kind::delay, {}, Milliseconds{77}};
  CHECK(ready_deadline(spec, ReadyBy::delay) == Milliseconds{77});
}

TEST_CASE("a late instance is told what was missing") {
  ReadyFacts facts;
  CHECK(late_reason(app(Kind::fd), facts, Milliseconds{1'000}).find("not even be executed") !=
        std::string::npos);
  facts.executed = true;
  facts.probe_note = "answered 503";
  CHECK(late_reason(app(Kind::probe, "http://:80/"), facts, Milliseconds{2'500}) ==
        "not ready within 2.5 s: http://:80/: answered 503");
  CHECK(late_reason(app(Kind::fd), facts, Milliseconds{1'000}).find("READY_FD") != std::string::npos);
  CHECK(late_reason(app(Kind::listening), facts, Milliseconds{1'000}).ends_with("it did not listen"));
}

}  // namespace clusterd
