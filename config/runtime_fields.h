// runtime_fields: the rows of the table of app fields that are about time, files, memory, order, hooks and
// limits.
//
// Pure; joined to the others by config/app_fields, which is who asks. Rows and kinds: config/field_row.h.
#pragma once

#include <span>

#include "config/app_fields.h"

namespace clusterd {

// Below it a limit of memory is a mistake of the unit: "100" are 100 bytes.
inline constexpr std::uint64_t kMemoryLimitMin = 1024 * 1024;
inline constexpr std::size_t kDependenciesMax = 64;

std::span<const AppField> runtime_fields();

}  // namespace clusterd
