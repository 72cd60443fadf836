#include "common/signal_names.h"

#include <catch2/catch.hpp>
#include <csignal>

using namespace clusterd;

TEST_CASE("a signal is known by name, short name and number") {
  CHECK(signal_from_name("SIGUSR1").value() == SIGUSR1);
  CHECK(signal_from_name("USR1").value() == SIGUSR1);
  CHECK(signal_from_name("sigusr1").value() == SIGUSR1);
  CHECK(signal_from_name("10").value() == 10);
  CHECK(signal_from_name("SIGRTMIN").value() == 34);
  CHECK(signal_from_name("SIGRTMIN+3").value() == 37);
  CHECK(signal_from_name("RTMAX-1").value() == 63);
}

TEST_CASE("what is no signal is refused with a near match") {
  for (const char* name : {"", "0", "-9", "65", "32", "33", "SIG", "SIGSIGTERM", "TERM ", "9.0",
                           "SIGRTMIN+31", "RTMIN+", "RTMIN+-1", "RTMAX--1", "99999999999", "SIGRTMIN-1"}) {
    INFO(name);
    CHECK_FALSE(signal_from_name(name));
  }
  CHECK(signal_from_name("SIGTREM").error().message ==
        "no signal is called \"SIGTREM\"; did you mean SIGTERM?");
}

TEST_CASE("every signal's name leads back to its number") {
  for (int number = 1; number <= 64; ++number) {
    if (number == 32 || number == 33) continue;
    INFO(signal_name(number));
    CHECK(signal_name(number).starts_with("SIG"));
    CHECK(signal_from_name(signal_name(number)).value() == number);
  }
  CHECK(signal_name(SIGABRT) == "SIGABRT");
  CHECK(signal_name(SIGIO) == "SIGIO");
}

TEST_CASE("a number that is no signal still has a printable name") {
  CHECK(signal_name(99) == "signal 99");
  CHECK(signal_name(0) == "signal 0");
  CHECK(signal_name(-1) == "signal -1");
  CHECK(signal_name(32) == "signal 32");
}
