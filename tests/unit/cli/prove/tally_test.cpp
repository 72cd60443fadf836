#include "cli/prove/tally.h"

#include <catch2/catch.hpp>

using namespace clusterd::cli;

namespace {

FailedRequest failure(Outcome outcome, std::string address) {
  FailedRequest request;
  request.outcome = outcome;
  request.address = std::move(address);
  return request;
}

}  // namespace

TEST_CASE("every outcome has a word of its own") {
  CHECK(outcome_word(Outcome::timed_out) == "timed_out");
  CHECK(outcome_title(Outcome::cut_by_kill) == "cut by kill");
  CHECK(outcome_word(Outcome::ok) == "ok");
}

TEST_CASE("the first request that counts as lost is kept") {
  Tally tally;
  tally.add(Outcome::ok);
  tally.add_failure(failure(Outcome::raced, "a"));
  tally.add_failure(failure(Outcome::cut_by_kill, "b"));
  CHECK(tally.lost() == 0);
  CHECK_FALSE(tally.first_failure());
  tally.add_failure(failure(Outcome::truncated, "c"));
  tally.add_failure(failure(Outcome::refused, "d"));
  CHECK(tally.requests() == 5);
  CHECK(tally.lost() == 2);
  CHECK(tally.count(Outcome::truncated) == 1);
  REQUIRE(tally.first_failure());
  CHECK(tally.first_failure()->address == "c");
}

TEST_CASE("a race is lost only if races are counted; what we killed ourselves never is") {
  Tally strict(Tally::Races::counted);
  strict.add_failure(failure(Outcome::cut_by_kill, "a"));
  CHECK(strict.lost() == 0);
  strict.add_failure(failure(Outcome::raced, "b"));
  CHECK(strict.lost() == 1);
  CHECK(strict.first_failure()->address == "b");
}
