// Spec changes: in what the spec of an app differs from the one that is to take its place, for the operation
// `plan`.
//
// Pure. Of variables only names are told: what they hold may be a secret.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "config/app_spec.h"

namespace clusterd {

// [{"key":"args","from":…,"to":…}, {"key":"env.PORT","kind":"added"}]; null: the default. The caller's shell
// is left out.
nlohmann::json spec_changes(const AppSpec& known, const AppSpec& next);

}  // namespace clusterd
