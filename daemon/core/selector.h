// Targets on the command line -> apps and instances: `all`, /regex/, a name, namespace/name, a namespace, an
// id, name.slot.
//
// Pure. Operations call it with one AppFacts for each app; an unknown or ambiguous target is an error that
// names candidates, and then nothing at all is selected.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/result.h"

namespace clusterd {

struct AppFacts {
  std::string name_space;
  std::string name;
  std::vector<int> ids;  // by slot
};

struct Selection {
  std::size_t app = 0;     // index into the facts
  std::vector<int> slots;  // empty: the whole app
};

inline constexpr std::size_t kRegexBytesMax = 256;

Result<std::vector<Selection>> select_targets(std::span<const AppFacts> apps,
                                              std::span<const std::string> targets);

}  // namespace clusterd
