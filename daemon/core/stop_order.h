// stop_order: whose turn it is when all apps are stopped, from `depends_on`: dependents before what they
// need.
//
// Pure; asked by StopSequence again and again until nobody is left.
#pragma once

#include <vector>

#include "config/app_spec.h"

namespace clusterd {

struct Leaver {
  const AppSpec* spec = nullptr;
  bool lives = false;  // has processes, or is about to have some
  bool told = false;   // to stop
};

// Indices of those to be told now: whoever no living app depends on, and whoever does not live. Who is left
// in a circle (a resurrected list may have one) goes at once when nobody else is on the way out.
std::vector<std::size_t> next_to_stop(const std::vector<Leaver>& apps);

}  // namespace clusterd
