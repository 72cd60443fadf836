#include "daemon/lane_group.h"

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "tests/unit/daemon/lanes_fixture.h"

namespace clusterd {
namespace {

using test::client_of;
using test::clients_of;
using test::loopback;
using test::queue_becomes;

std::unique_ptr<LaneGroup> opened(Balancing& balancing, Balance balance = Balance::automatic,
                                  const ListenAddress& address = loopback()) {
  auto group = LaneGroup::open(balancing, balance, address);
  if (!group) FAIL(group.error().message);
  return std::move(*group);
}

// The instance starts, listens, and is ready.
Lane& serve(LaneGroup& group, InstanceKey key) {
  Lane* lane = group.lane_for(key).value();
  REQUIRE(group.listen(*lane));
  group.admit(key);
  return *lane;
}

const Lane* lane_of(const LaneGroup& group, InstanceKey key) {
  for (const Lane& lane : group.lanes()) {
    if (lane.owner == key) return &lane;
  }
  return nullptr;
}

void settle(LaneGroup& group) {
  while (group.unsettled()) group.settle();
}

bool balances_in_kernel(Balancing& balancing) {
  const BalanceMeans& means = balancing.means();
  if (!means.kernel || !means.counting) WARN("skipped: " << means.missing);
  return means.kernel && means.counting;
}

struct Unprivileged {
  Balancing balancing{""};
  std::unique_ptr<LaneGroup> group = opened(balancing);
};

}  // namespace

TEST_CASE("each instance gets a lane of its own, and the same one again") {
  Unprivileged world;
  LaneGroup& group = *world.group;
  CHECK(group.choice().balance == Balance::random);
  Lane* first = group.lane_for(1).value();
  Lane* second = group.lane_for(2).value();
  CHECK(first != second);
  CHECK(group.lane_for(1).value() == first);
  CHECK(group.find(second->inode) == second);
  CHECK(local_address(second->fd.get()) == group.bound());
  CHECK(group.bound().port != 0);
  CHECK(group.matches(loopback()));
  CHECK(group.matches(group.bound()));
  CHECK_FALSE(group.listening());
}

TEST_CASE("connections go to those who are ready, and to nobody who leaves") {
  Unprivileged world;
  LaneGroup& group = *world.group;
  const Lane& old = serve(group, 1);
  Lane* next = group.lane_for(2).value();
  REQUIRE(group.listen(*next));
  const auto early = clients_of(group.bound(), 10);
  CHECK(queue_becomes(old.fd.get(), 10));
  CHECK(accept_queue_length(next->fd.get()) == 0);

  group.admit(2);
  group.withdraw(1, true);
  const auto late = clients_of(group.bound(), 10);
  CHECK(queue_becomes(next->fd.get(), 10));
  CHECK(accept_queue_length(old.fd.get()) == 10);
  CHECK(group.load_of(1).queued == 10);
  CHECK_FALSE(group.load_of(1).drained());
  CHECK(group.load_of(3).drained());
}

TEST_CASE("after a crash the queue waits for the successor, which has the lane") {
  Unprivileged world;
  LaneGroup& group = *world.group;
  const Lane& lane = serve(group, 1);
  group.lost(1);
  group.end_life(1);
  CHECK(group.users().empty());
  const auto clients = clients_of(group.bound(), 5);
  CHECK(queue_becomes(lane.fd.get(), 5));
  CHECK(lane_of(group, 1)->state == LaneState::lost);
  CHECK(group.lane_for(1).value() == &lane);
  CHECK(lane.state == LaneState::starting);
}

TEST_CASE("a crashed one gets nothing while another serves") {
  Unprivileged world;
  LaneGroup& group = *world.group;
  const Lane& crashed = serve(group, 1);
  const Lane& other = serve(group, 2);
  group.lost(1);
  const auto clients = clients_of(group.bound(), 10);
  CHECK(queue_becomes(other.fd.get(), 10));
  CHECK(accept_queue_length(crashed.fd.get()) == 0);
}

TEST_CASE("the next instance adopts the lane of one that will not come back, with its queue") {
  Unprivileged world;
  LaneGroup& group = *world.group;
  const Lane& lane = serve(group, 1);
  const auto clients = clients_of(group.bound(), 3);
  REQUIRE(queue_becomes(lane.fd.get(), 3));
  group.lost(1);
  group.forget(1);
  CHECK(lane.state == LaneState::orphan);
  REQUIRE(group.lanes().size() == 1);
  CHECK(group.lane_for(2).value() == &lane);
  CHECK(group.load_of(2).queued == 3);
  CHECK(group.load_of(1).queued == 0);
}

TEST_CASE("when the only instance leaves and a successor will come, connections wait for it") {
  Unprivileged world;
  LaneGroup& group = *world.group;
  const Lane& leaving = serve(group, 1);
  group.withdraw(1, true);
  REQUIRE(group.lanes().size() == 2);
  const Lane& waiting = group.lanes().back();
  const auto clients = clients_of(group.bound(), 8);
  CHECK(queue_becomes(waiting.fd.get(), 8));
  CHECK(accept_queue_length(leaving.fd.get()) == 0);
  CHECK(group.load_of(1).drained());

  group.forget(1);
  CHECK(group.lane_for(2).value() == &waiting);
  group.admit(2);
  CHECK(group.load_of(2).queued == 8);
}

TEST_CASE("a lane that nobody has is kept where its queue cannot move, and the next instance gets it") {
  Unprivileged world;
  LaneGroup& group = *world.group;
  const Lane& first = serve(group, 1);
  serve(group, 2);
  group.withdraw(1, true);
  group.forget(1);
  CHECK(group.lanes().size() == 2);
  CHECK(first.state == LaneState::orphan);
  CHECK(group.lane_for(3).value() == &first);
  CHECK(group.lanes().size() == 2);
}

TEST_CASE("an app that stays down keeps nobody waiting in a lane that serves") {
  Unprivileged world;
  LaneGroup& group = *world.group;
  const Lane& last = serve(group, 1);
  group.withdraw(1, false);
  const auto late = clients_of(group.bound(), 4);
  CHECK(accept_queue_length(last.fd.get()) == 0);  // it drains in peace
  const ListenAddress address = group.bound();
  world.group.reset();
  CHECK_FALSE(client_of(address));
  CHECK(errno == ECONNREFUSED);
}

TEST_CASE("shared: one socket for all, and nobody is steered") {
  Balancing balancing("");
  const auto group = opened(balancing, Balance::shared);
  Lane* lane = group->lane_for(1).value();
  CHECK(group->lane_for(2).value() == lane);
  REQUIRE(group->listen(*lane));
  CHECK_FALSE(group->steered());
  CHECK_FALSE(group->steers(1));
  group->admit(1);
  group->withdraw(1, true);
  group->lost(1);
  CHECK(client_of(group->bound()));
  CHECK(group->users() == std::set<InstanceKey>{1, 2});
  group->forget(1);
  CHECK(group->lanes().size() == 1);
  CHECK_FALSE(group->direct(2, 1'234));
}

TEST_CASE("who has a lane is steered; a probe is directed to it") {
  Unprivileged world;
  LaneGroup& group = *world.group;
  serve(group, 1);
  CHECK(group.steers(1));
  CHECK_FALSE(group.steers(2));
  CHECK_FALSE(group.direct(2, 1'234));
  Lane* second = group.lane_for(2).value();
  CHECK_FALSE(group.direct(2, 1'234));  // does not listen yet
  REQUIRE(group.listen(*second));
  CHECK(group.direct(2, 1'234));
  group.undirect(1'234);
}

TEST_CASE("an address that somebody else listens on is a conflict") {
  Unprivileged world;
  serve(*world.group, 1);
  const auto second = LaneGroup::open(world.balancing, Balance::automatic, world.group->bound());
  REQUIRE_FALSE(second);
  CHECK(second.error().code == ErrorCode::conflict);
}

TEST_CASE("the file of a unix socket is gone with its group") {
  const std::string path = "/tmp/clusterd-lane-group-" + std::to_string(getpid()) + ".sock";
  Balancing balancing("");
  {
    const auto group =
        opened(balancing, Balance::automatic, {.family = AddressFamily::unix_stream, .path = path});
    CHECK(group->choice().balance == Balance::shared);
    CHECK(std::filesystem::is_socket(path));
    CHECK(group->declare({.mode = 0600, .owner = {}, .group = {}}));
    CHECK(std::filesystem::status(path).permissions() == std::filesystem::perms(0600));
  }
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("with the in-kernel balancer the queue of a crashed instance moves to who serves") {
  Balancing balancing(CLUSTERD_BIN_DIR "/clusterd-exec");
  if (!balances_in_kernel(balancing)) return;
  const auto group = opened(balancing);
  const Lane& crashed = serve(*group, 1);
  const auto first = clients_of(group->bound(), 6);
  REQUIRE(queue_becomes(crashed.fd.get(), 6));

  // Nobody else is there: they wait for it, until somebody is.
  group->lost(1);
  CHECK(group->load_of(1).queued == 6);
  const Lane& other = serve(*group, 2);
  settle(*group);
  CHECK(queue_becomes(other.fd.get(), 6));
  CHECK(group->load_of(1).drained());
  CHECK(group->load_of(2).open == 6);

  // It comes back on the same port.
  CHECK(&serve(*group, 1) == &crashed);
  CHECK(local_address(crashed.fd.get()) == group->bound());
  const auto more = clients_of(group->bound(), 6);
  CHECK(queue_becomes(crashed.fd.get(), 6));

  // What an instance that leaves for good has left in its queue is served by the others, too.
  group->withdraw(1, true);
  group->lost(1);
  group->forget(1);
  settle(*group);
  CHECK(queue_becomes(other.fd.get(), 12));
  CHECK(group->load_of(2).open == 12);
  CHECK(group->lanes().size() == 1);

  group->withdraw(2, false);
  CHECK_FALSE(client_of(group->bound()));
  CHECK(errno == ECONNREFUSED);
}

TEST_CASE("the next life of a crashed instance does not take the queue from those who serve") {
  Balancing balancing(CLUSTERD_BIN_DIR "/clusterd-exec");
  if (!balances_in_kernel(balancing)) return;
  const auto group = opened(balancing);
  const Lane& crashed = serve(*group, 1);
  const auto clients = clients_of(group->bound(), 6);
  REQUIRE(queue_becomes(crashed.fd.get(), 6));
  const Lane& other = serve(*group, 2);
  group->lost(1);
  CHECK(group->lane_for(1).value() != &crashed);
  CHECK(group->lanes().size() == 3);
  settle(*group);
  CHECK(queue_becomes(other.fd.get(), 6));
  CHECK(group->lanes().size() == 2);
  CHECK(lane_of(*group, 1)->state == LaneState::starting);
}

TEST_CASE("nobody who connects at the moment of a crash is reset") {
  Balancing balancing(CLUSTERD_BIN_DIR "/clusterd-exec");
  if (!balances_in_kernel(balancing)) return;
  const auto group = opened(balancing);
  serve(*group, 1);
  serve(*group, 2);
  std::atomic<bool> over{false};
  std::atomic<int> made{0};
  std::atomic<int> failed{0};
  std::thread connector([&, address = group->bound()] {
    while (!over) ++(client_of(address) ? made : failed);
  });
  // Stands for a tick: each connection that was under way is made.
  const auto settled_for_others = [&] {
    for (const int before = made; made < before + 2;) std::this_thread::yield();
  };
  for (int life = 0; life < 500; ++life) {
    const InstanceKey victim = 1 + life % 2;
    settled_for_others();
    group->lost(victim);
    while (group->unsettled()) {
      settled_for_others();
      group->settle();
    }
    serve(*group, victim);
    for (const Lane& lane : group->lanes()) {
      while (accept_queue_length(lane.fd.get()) > 0) UniqueFd(accept(lane.fd.get(), nullptr, nullptr));
    }
  }
  over = true;
  connector.join();
  CHECK(failed == 0);
}

}  // namespace clusterd
