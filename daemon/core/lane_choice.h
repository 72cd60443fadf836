// Which lanes of a group get new connections.
//
// A lane is one listening socket of an address, normally that of one instance. Pure; asked by the lane group
// after every change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace clusterd {

enum class LaneState : std::uint8_t {
  starting,  // its instance is not ready yet
  serving,
  leaving,  // its instance drains: it keeps what it has and gets nothing new
  lost,     // its process has died and the next one has not come yet
  orphan,   // belongs to nobody: waits for the next instance that binds
};

struct LaneView {
  LaneState state = LaneState::starting;
  bool listening = false;
};

// Indexes of the lanes to choose from. Who serves comes first. If nobody does, connections wait where a
// successor will find them: in a lane that nobody has, then in those of instances that start or start again.
// Empty: nobody will come. Where what waits cannot be moved to another lane (queues_move), all wait in one,
// the first, which the next instance gets.
std::vector<std::size_t> choose_lanes(std::span<const LaneView> lanes, bool queues_move = true);

}  // namespace clusterd
