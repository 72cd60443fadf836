#include "daemon/core/balance_choice.h"

#include <catch2/catch.hpp>

namespace clusterd {
namespace {

const BalanceMeans kAll{.kernel = true, .counting = true, .missing = ""};
const BalanceMeans kUncounted{.kernel = true, .counting = false, .missing = "no cgroup v2 is mounted"};
const BalanceMeans kNone{.kernel = false, .counting = false, .missing = "needs root"};

BalanceChoice chosen(Balance asked, const BalanceMeans& means, AddressFamily family = AddressFamily::tcp4) {
  return choose_balance(asked, family, means);
}

}  // namespace

TEST_CASE("auto is the best there is, and that is no fallback") {
  CHECK(chosen(Balance::automatic, kAll).balance == Balance::least_conn);
  CHECK(chosen(Balance::automatic, kUncounted).balance == Balance::round_robin);
  CHECK(chosen(Balance::automatic, kNone).balance == Balance::random);
  for (const BalanceMeans& means : {kAll, kUncounted, kNone}) {
    const BalanceChoice choice = chosen(Balance::automatic, means);
    CHECK(choice.as_asked);
    CHECK_FALSE(choice.reason.empty());
  }
}

TEST_CASE("what is asked for and possible is chosen") {
  for (const Balance asked :
       {Balance::least_conn, Balance::round_robin, Balance::random, Balance::hash, Balance::shared}) {
    for (const AddressFamily family : {AddressFamily::tcp4, AddressFamily::tcp6}) {
      const BalanceChoice choice = chosen(asked, kAll, family);
      CHECK(choice.balance == asked);
      CHECK(choice.as_asked);
      CHECK(choice.reason == "as asked for");
    }
  }
}

TEST_CASE("what needs no privileges is chosen without any") {
  for (const Balance asked : {Balance::random, Balance::hash, Balance::shared}) {
    CHECK(chosen(asked, kNone).balance == asked);
    CHECK(chosen(asked, kNone).as_asked);
  }
}

TEST_CASE("a fallback is one, and says why") {
  const BalanceChoice turns = chosen(Balance::round_robin, kNone);
  CHECK(turns.balance == Balance::random);
  CHECK_FALSE(turns.as_asked);
  CHECK(turns.reason == "the in-kernel balancer is not usable: needs root");

  const BalanceChoice fewest = chosen(Balance::least_conn, kNone);
  CHECK(fewest.balance == Balance::random);
  CHECK_FALSE(fewest.as_asked);

  const BalanceChoice uncounted = chosen(Balance::least_conn, kUncounted);
  CHECK(uncounted.balance == Balance::round_robin);
  CHECK_FALSE(uncounted.as_asked);
  CHECK(uncounted.reason == "no cgroup v2 is mounted");
  CHECK(chosen(Balance::round_robin, kUncounted).as_asked);
}

TEST_CASE("unix sockets are shared, whatever was asked for") {
  for (const Balance asked : {Balance::automatic, Balance::least_conn, Balance::round_robin, Balance::random,
                              Balance::hash, Balance::shared}) {
    const BalanceChoice choice = chosen(asked, kAll, AddressFamily::unix_stream);
    CHECK(choice.balance == Balance::shared);
    CHECK(choice.as_asked == (asked == Balance::automatic || asked == Balance::shared));
  }
}

}  // namespace clusterd
