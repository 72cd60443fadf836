// The planner: what is wanted and what is seen -> which instances to create, retire, stop or discard.
//
// Problem: start, stop, scale, restart, reload, rollback and shutdown, each of which may meet any other in
// the middle. Idea: none of them "does" anything. They change Wanted, and this one pure function says the
// next steps from the facts alone; nothing remembers where a reload was, so nothing can be confused about it.
// The supervisor calls it after every batch of events, until it has nothing more to say.
//
// A slot wants a generation. An instance of that generation is fresh, any other is stale. With overlap a
// stale instance is told to go only when a fresh one has proven itself in its slot; without it the old one
// goes first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "daemon/core/lifecycle.h"

namespace clusterd {

using Generation = std::uint64_t;
using InstanceKey = std::uint64_t;  // unique for the life of the daemon

enum class Goal : std::uint8_t { up, down };
enum class Replacement : std::uint8_t {
  overlap,     // new before old
  stop_first,  // old before new
};

// At most this many processes of one slot at a time: the one that serves, its successor, one still draining.
inline constexpr int kProcessesPerSlotMax = 3;

struct WantedSlot {
  Generation generation = 0;
  Goal goal = Goal::up;

  bool operator==(const WantedSlot&) const = default;
};

struct Wanted {
  std::vector<WantedSlot> slots;
  int surge_max = 1;  // replacements under way at a time
  Replacement replacement = Replacement::overlap;
};

struct Seen {
  InstanceKey key = 0;
  int slot = 0;
  Generation generation = 0;
  Phase phase = Phase::stopped;
  Goal goal = Goal::up;
  bool settled = false;  // online for min_uptime, without a crash since
  bool blamed = false;   // it failed since it was created and has not settled since

  bool operator==(const Seen&) const = default;
};

struct Action {
  enum class Kind : std::uint8_t {
    create,   // a new instance of `generation` in `slot`
    retire,   // let `key` leave without cutting anybody
    stop,     // stop signal to `key`
    discard,  // forget `key`, which has ended
  };
  Kind kind = Kind::create;
  InstanceKey key = 0;
  int slot = 0;
  Generation generation = 0;

  bool operator==(const Action&) const = default;
};

// Nothing to do: an empty list. At most one action an instance and one creation a slot in one answer.
std::vector<Action> reconcile(const Wanted& wanted, std::span<const Seen> seen);

}  // namespace clusterd
