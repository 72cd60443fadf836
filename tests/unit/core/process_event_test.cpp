#include "daemon/core/process_event.h"

#include <catch2/catch.hpp>

namespace clusterd {
namespace {

using E = ProcessEvent;
using P = Phase;
using Events = std::vector<ProcessEvent>;

}  // namespace

TEST_CASE("a life begins, is ready, is told to go and ends: one event each") {
  CHECK(process_events({P::stopped, P::starting, false}) == Events{E::start});
  CHECK(process_events({P::starting, P::online}) == Events{E::online});
  CHECK(process_events({P::online, P::draining}) == Events{E::stop});
  CHECK(process_events({P::draining, P::stopping}).empty());
  CHECK(process_events({P::stopping, P::killing}).empty());
  CHECK(process_events({P::killing, P::stopped}) == Events{E::exit});
}

TEST_CASE("a crash is an exit, and a restart when the next process begins") {
  CHECK(process_events({P::online, P::starting, true}) == Events{E::exit, E::restart});
  CHECK(process_events({P::online, P::backing_off}) == Events{E::exit});
  CHECK(process_events({P::backing_off, P::starting, true}) == Events{E::restart});
}

TEST_CASE("who is given up has ended before, and is forgotten in silence") {
  CHECK(process_events({P::starting, P::errored}) == Events{E::exit, E::overlimit});
  CHECK(process_events({P::errored, P::stopped}).empty());
  CHECK(process_events({P::backing_off, P::stopped}).empty());
}

TEST_CASE("the names are PM2's") {
  CHECK(event_name(E::start) == "start");
  CHECK(event_name(E::overlimit) == "restart overlimit");
}

}  // namespace clusterd
