#include "cli/prove/event_journal.h"

#include <catch2/catch.hpp>

using namespace clusterd::cli;
using std::chrono::milliseconds;

namespace {

SteadyTime at(int ms) { return SteadyTime(milliseconds(ms)); }

}  // namespace

TEST_CASE("the journal says what is, or was, going on") {
  EventJournal journal;
  CHECK(journal.at_this_moment() == "nothing");
  journal.begin("reload 1 of web");
  CHECK(journal.at_this_moment() == "reload 1 of web");
  journal.end();
  CHECK(journal.at_this_moment() == "after reload 1 of web");
}

TEST_CASE("only a connection that was open during a kill may have been cut by it") {
  EventJournal journal;
  CHECK_FALSE(journal.may_be_cut_by_kill(at(0), at(1)));
  journal.kill_begins(at(100));
  CHECK(journal.may_be_cut_by_kill(at(90), at(101)));
  CHECK(journal.may_be_cut_by_kill(at(110), at(120)));  // accepted before the process was gone
  CHECK_FALSE(journal.may_be_cut_by_kill(at(10), at(99)));
  journal.kill_over(at(150));
  CHECK(journal.may_be_cut_by_kill(at(90), at(160)));
  CHECK_FALSE(journal.may_be_cut_by_kill(at(151), at(160)));
  CHECK(journal.may_be_cut_by_kill(at(90), at(150) + kKillEchoMax));
  CHECK_FALSE(journal.may_be_cut_by_kill(at(90), at(151) + kKillEchoMax));
}

TEST_CASE("a connection may be cut by any of several kills") {
  EventJournal journal;
  journal.kill_begins(at(100));
  journal.kill_over(at(150));
  journal.kill_begins(at(9'000));
  journal.kill_over(at(9'050));
  CHECK(journal.may_be_cut_by_kill(at(5'000), at(9'010)));
  CHECK_FALSE(journal.may_be_cut_by_kill(at(5'000), at(8'000)));
}
