#include "daemon/core/lane_choice.h"

namespace clusterd {
namespace {

template <class Predicate>
std::vector<std::size_t> those(std::span<const LaneView> lanes, Predicate predicate) {
  std::vector<std::size_t> indexes;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    if (lanes[i].listening && predicate(lanes[i].state)) indexes.push_back(i);
  }
  return indexes;
}

}  // namespace

std::vector<std::size_t> choose_lanes(std::span<const LaneView> lanes, bool queues_move) {
  auto chosen = those(lanes, [](LaneState state) { return state == LaneState::serving; });
  if (!chosen.empty()) return chosen;
  if (!queues_move) {
    chosen = those(
        lanes, [](LaneState state) { return state == LaneState::orphan || state == LaneState::starting; });
    if (!chosen.empty()) return {chosen.front()};
  }
  chosen = those(lanes, [](LaneState state) { return state == LaneState::orphan; });
  if (!chosen.empty()) return chosen;
  return those(lanes,
               [](LaneState state) { return state == LaneState::starting || state == LaneState::lost; });
}

}  // namespace clusterd
