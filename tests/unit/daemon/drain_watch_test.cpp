#include "daemon/drain_watch.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <map>
#include <utility>
#include <vector>

namespace clusterd {
namespace {

using Look = DrainWatch::Look;

struct Fixture {
  boost::asio::io_context io;
  std::map<InstanceKey, std::vector<Look>> script;  // what is seen, in this order; the last one goes on
  std::map<InstanceKey, int> looks;
  std::vector<InstanceKey> drained;
  std::map<InstanceKey, int> ended;
  std::function<void()> on_look = [] {};
  DrainWatch watch{
      io,
      {[this](InstanceKey key) {
         on_look();
         const std::vector<Look>& seen = script.at(key);
         const auto number = static_cast<std::size_t>(looks[key]++);
         return seen[std::min(number, seen.size() - 1)];
       },
       [this](InstanceKey key) { drained.push_back(key); }, [this](InstanceKey key) { ++ended[key]; }}};
};

}  // namespace

TEST_CASE("an instance is drained when nothing was seen twice in a row") {
  Fixture fixture;
  fixture.script[1] = {Look::busy, Look::empty, Look::busy, Look::empty, Look::empty};
  fixture.watch.watch(1);
  fixture.io.run();  // ends: nothing is watched any more
  CHECK(fixture.drained == std::vector<InstanceKey>{1});
  CHECK(fixture.looks[1] == 5);
}

TEST_CASE("where handshakes cannot be seen, nothing counts as empty before they had their time") {
  Fixture fixture;
  fixture.script[1] = {Look::empty};
  constexpr std::chrono::milliseconds kSettle{60};
  const auto begin = std::chrono::steady_clock::now();
  fixture.watch.watch(1, kSettle);
  fixture.io.run();
  CHECK(fixture.drained == std::vector<InstanceKey>{1});
  CHECK(std::chrono::steady_clock::now() - begin >= kSettle);
}

TEST_CASE("several are watched at a time, each for itself") {
  Fixture fixture;
  fixture.script[1] = {Look::busy, Look::busy, Look::empty};
  fixture.script[2] = {Look::empty};
  fixture.script[3] = {Look::busy, Look::over};
  for (const InstanceKey key : {1, 2, 3}) fixture.watch.watch(key);
  fixture.io.run();
  CHECK(fixture.drained == std::vector<InstanceKey>{2, 1});
  CHECK(fixture.looks[3] == 2);
}

TEST_CASE("who has ended is not drained") {
  Fixture fixture;
  fixture.script[1] = {Look::empty, Look::over};
  fixture.watch.watch(1);
  fixture.io.run();
  CHECK(fixture.drained.empty());
}

TEST_CASE("silent connections are ended now and then, while there are any") {
  Fixture fixture;
  fixture.script[1] = std::vector<Look>(12, Look::busy);
  fixture.script[1].insert(fixture.script[1].end(), 2, Look::empty);
  fixture.script[2] = {Look::empty};
  fixture.watch.watch(1);
  fixture.watch.watch(2);
  fixture.io.run();
  CHECK(fixture.ended[1] == 2);
  CHECK(fixture.ended[2] == 0);
}

TEST_CASE("watching can begin again, also from within") {
  Fixture fixture;
  fixture.script[1] = {Look::empty};
  fixture.script[2] = {Look::empty};
  fixture.watch.watch(1);
  fixture.on_look = [&, added = false]() mutable {
    if (!std::exchange(added, true)) fixture.watch.watch(2);
  };
  fixture.io.run();
  fixture.io.restart();
  fixture.looks.clear();
  fixture.watch.watch(1);
  fixture.io.run();
  CHECK(fixture.drained == std::vector<InstanceKey>{1, 2, 1});
}

TEST_CASE("after stop() nothing is looked at and the loop can end") {
  Fixture fixture;
  fixture.script[1] = {Look::busy};
  fixture.watch.watch(1);
  boost::asio::steady_timer stop(fixture.io, std::chrono::milliseconds(25));
  stop.async_wait([&](const boost::system::error_code&) { fixture.watch.stop(); });
  fixture.io.run();
  CHECK(fixture.drained.empty());
  CHECK(fixture.looks[1] >= 1);
}

}  // namespace clusterd
