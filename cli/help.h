// Help: what `clusterd help`, `clusterd help VERB` and `--help` print.
//
// Pure; made from the verb and option tables alone, so it cannot disagree with what is accepted.
#pragma once

#include <string>

#include "cli/verb.h"

namespace clusterd::cli {

std::string overview_text();
std::string verb_help_text(const VerbRow& row);

}  // namespace clusterd::cli
