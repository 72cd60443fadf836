// The rows of config/app_fields that are about logs: LogSettings from JSON and back.
//
// Pure; a part of the one table of keys, in a file of its own.
#pragma once

#include <span>
#include <string_view>

#include "config/app_fields.h"

namespace clusterd {

std::span<const AppField> log_fields();
std::string_view log_target_word(LogTargetKind target);  // "journald"

}  // namespace clusterd
