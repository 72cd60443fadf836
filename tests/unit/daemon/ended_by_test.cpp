#include "daemon/ended_by.h"

#include <catch2/catch.hpp>
#include <csignal>

namespace clusterd {
namespace {

using Oom = OomCounter::Answer;

EndFacts killed_by(int signal) {
  EndFacts facts;
  facts.exit.signal = signal;
  return facts;
}

}  // namespace

TEST_CASE("an exit is its own doing, unless it was told to end") {
  EndFacts facts;
  facts.exit.code = 1;
  CHECK(ended_by(facts) == EndedBy::itself);
  facts.stop_signal = SIGTERM;
  CHECK(ended_by(facts) == EndedBy::clusterd);
  CHECK(origin_of_end(facts).empty());
}

TEST_CASE("faults are its own, also while it is being stopped") {
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE}) {
    EndFacts facts = killed_by(signal);
    CHECK(ended_by(facts) == EndedBy::itself);
    facts.stop_signal = SIGTERM;
    CHECK(ended_by(facts) == EndedBy::itself);
  }
}

TEST_CASE("what we sent is ours, what the operator sent is theirs") {
  EndFacts facts = killed_by(SIGINT);
  facts.stop_signal = SIGINT;
  CHECK(ended_by(facts) == EndedBy::clusterd);
  facts = killed_by(SIGKILL);
  facts.killed = true;
  CHECK(ended_by(facts) == EndedBy::clusterd);
  facts = killed_by(SIGUSR1);
  facts.operated = SIGUSR1;
  CHECK(ended_by(facts) == EndedBy::operated);
  CHECK(origin_of_end(facts) == "sent with clusterd sendSignal");
}

TEST_CASE("a SIGKILL of somebody: what the kernel's counters say is said, and nothing more") {
  EndFacts facts = killed_by(SIGKILL);
  CHECK(ended_by(facts) == EndedBy::somebody);
  CHECK(origin_of_end(facts) == "not by clusterd: the kernel's out-of-memory killer, or somebody");
  facts.oom = Oom::none;
  CHECK(ended_by(facts) == EndedBy::somebody);
  CHECK(origin_of_end(facts).find("nor by the kernel's") != std::string::npos);
  facts.oom = Oom::in_cgroup;
  CHECK(ended_by(facts) == EndedBy::memory);
  facts.oom = Oom::in_machine;
  CHECK(ended_by(facts) == EndedBy::memory);
  CHECK(origin_of_end(facts).starts_with("probably"));
  CHECK(origin_of_end(killed_by(SIGTERM)) == "not by clusterd: somebody sent it");
}

}  // namespace clusterd
