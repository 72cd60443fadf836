// Rows of the verb table, in the order of the help: those about apps, then those about the daemon and this
// machine. Pure data; read by verb.cpp alone, which makes one table of them.
#pragma once

#include <span>

#include "cli/verb.h"

namespace clusterd::cli {

std::span<const VerbRow> app_verbs();
std::span<const VerbRow> machine_verbs();

}  // namespace clusterd::cli
