// Verbs of PM2 that clusterd does not have: each answered with one sentence instead of "unknown verb".
//
// Pure data; read by arguments.cpp and by the test that holds docs/from-pm2.md against it. The exit status is
// that of every command line that makes no sense.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace clusterd::cli {

struct ForeignVerb {
  std::string_view name;
  std::string_view why;  // behind "VERB: "
};

std::span<const ForeignVerb> foreign_verbs();

// "link: clusterd has no cloud service; …", or nothing. "module:update" and the like are found, too.
std::optional<std::string> foreign_verb_sentence(std::string_view word);

}  // namespace clusterd::cli
