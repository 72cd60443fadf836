#include "daemon/core/balance_choice.h"

namespace clusterd {
namespace {

std::string without(const BalanceMeans& means) {
  return "the in-kernel balancer is not usable: " + means.missing;
}

}  // namespace

BalanceChoice choose_balance(Balance asked, AddressFamily family, const BalanceMeans& means) {
  if (family == AddressFamily::unix_stream) {
    const bool free_choice = asked == Balance::automatic || asked == Balance::shared;
    return {Balance::shared, "the kernel has no groups of unix sockets", free_choice};
  }
  switch (asked) {
    case Balance::shared:
    case Balance::hash:
    case Balance::random:
      return {asked, "as asked for", true};
    case Balance::round_robin:
      if (means.kernel) return {asked, "as asked for", true};
      return {Balance::random, without(means), false};
    case Balance::least_conn:
    case Balance::automatic:
      if (means.kernel && means.counting) {
        return {Balance::least_conn, asked == Balance::automatic ? "the kernel allows it" : "as asked for",
                true};
      }
      if (means.kernel) return {Balance::round_robin, means.missing, asked == Balance::automatic};
      return {Balance::random, without(means), asked == Balance::automatic};
  }
  return {Balance::shared, "", false};
}

}  // namespace clusterd
