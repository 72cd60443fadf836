// Which balance an app gets: what was asked for, as far as kernel and privileges allow, and why.
//
// Pure; asked when an address is opened, shown by describe and doctor. Why `auto` prefers what it prefers:
// docs/decisions/0008-balance.md.
#pragma once

#include <string>

#include "config/app_spec.h"

namespace clusterd {

struct BalanceMeans {
  bool kernel = false;    // the in-kernel balancer is loaded
  bool counting = false;  // ... and counts connections
  std::string missing;    // why not, for people; empty: both are there
};

struct BalanceChoice {
  Balance balance = Balance::shared;  // never automatic
  std::string reason;                 // a sentence without a full stop
  bool as_asked = true;               // false: a fallback from what the operator wrote
};

BalanceChoice choose_balance(Balance asked, AddressFamily family, const BalanceMeans& means);

}  // namespace clusterd
