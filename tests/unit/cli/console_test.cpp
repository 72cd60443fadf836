#include "cli/console.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "captured_console.h"

using namespace clusterd::cli;

TEST_CASE("a reader that left is no failure") {
  signal(SIGPIPE, SIG_IGN);
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  close(ends[0]);
  CapturedConsole captured;
  Console console(ends[1], STDERR_FILENO, Loudness::silent, ColorWish::never);
  CHECK(console.out("x") == Console::OutState::reader_gone);
  CHECK(console.out("x") == Console::OutState::reader_gone);
  CHECK(console.exit_status(0) == 0);
  CHECK(console.exit_status(4) == 4);
  close(ends[1]);
}

TEST_CASE("a full disk under the output is a failure") {
  int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  REQUIRE(full >= 0);
  Console console(full, null, Loudness::silent, ColorWish::never);
  CHECK(console.out("x") == Console::OutState::failed);
  CHECK(console.exit_status(0) == 1);
  close(full);
  close(null);
}

TEST_CASE("--silent keeps errors and data") {
  CapturedConsole captured(Loudness::silent);
  captured.console.note("a note");
  captured.console.progress("progress");
  captured.console.error("an error");
  captured.console.out("data");
  CHECK(captured.err() == "error: an error\n");
  CHECK(captured.out() == "data");
}

TEST_CASE("a message cannot control the terminal") {
  CapturedConsole captured;
  captured.console.error("no app '\x1b[2J'");
  captured.console.note("two\nlines");
  captured.console.progress("a\rb");
  CHECK(captured.err() == "error: no app '\\x1b[2J'\ntwo\nlines\na\\x0db\n");
}

TEST_CASE("a pipe gets plain output of any width") {
  CapturedConsole captured;
  Style style = captured.console.out_style();
  CHECK(style.frame == Style::Frame::plain);
  CHECK(style.colors == Style::Colors::off);
  CHECK(style.width == 0);
}

TEST_CASE("colours of a terminal are switched off on wish") {
  int primary = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  REQUIRE(primary >= 0);
  REQUIRE(grantpt(primary) == 0);
  REQUIRE(unlockpt(primary) == 0);
  int terminal = open(ptsname(primary), O_RDWR | O_NOCTTY | O_CLOEXEC);
  REQUIRE(terminal >= 0);
  setenv("TERM", "xterm", 1);
  Console colorful(terminal, terminal, Loudness::normal, ColorWish::automatic);
  CHECK(colorful.out_style().frame == Style::Frame::box);
  CHECK(colorful.out_style().colors == Style::Colors::on);
  Console plain(terminal, terminal, Loudness::normal, ColorWish::never);
  CHECK(plain.out_style().colors == Style::Colors::off);
  close(terminal);
  close(primary);
}
