#include "cli/foreign_verbs.h"

#include <array>

namespace clusterd::cli {
namespace {

constexpr std::string_view kNoCloud = "clusterd has no cloud service and sends nothing anywhere";
constexpr std::string_view kNoModules =
    "clusterd has no modules; what pm2-logrotate is used for is done by clusterd itself or by logrotate(8)";
constexpr std::string_view kNoSettings =
    "clusterd has no settings store; settings of an app stand in its file or behind the verb "
    "(docs/config.md)";
constexpr std::string_view kNoGit =
    "clusterd does not look at version control; use git, then: clusterd reload NAME";
constexpr std::string_view kNoInstrumentation =
    "clusterd puts nothing into a program, so there is nothing to ask it";
constexpr std::string_view kNotYet = "is not in this version";

constexpr std::array kForeignVerbs{
    ForeignVerb{"link", kNoCloud},
    ForeignVerb{"unlink", kNoCloud},
    ForeignVerb{"plus", kNoCloud},
    ForeignVerb{"register", kNoCloud},
    ForeignVerb{"login", kNoCloud},
    ForeignVerb{"logout", kNoCloud},
    ForeignVerb{"open", kNoCloud},
    ForeignVerb{"monitor", kNoCloud},
    ForeignVerb{"unmonitor", kNoCloud},
    ForeignVerb{"install", kNoModules},
    ForeignVerb{"uninstall", kNoModules},
    ForeignVerb{"module", kNoModules},
    ForeignVerb{"package", kNoModules},
    ForeignVerb{"publish", kNoModules},
    ForeignVerb{"install-otel", kNoModules},
    ForeignVerb{"uninstall-otel", kNoModules},
    ForeignVerb{"logrotate", kNoModules},
    ForeignVerb{"set", kNoSettings},
    ForeignVerb{"get", kNoSettings},
    ForeignVerb{"multiset", kNoSettings},
    ForeignVerb{"unset", kNoSettings},
    ForeignVerb{"conf", kNoSettings},
    ForeignVerb{"config", kNoSettings},
    ForeignVerb{"deploy",
                "clusterd does not copy files to other machines; a deploy script ends with: clusterd "
                "startOrReload ecosystem.json"},
    ForeignVerb{"pull", kNoGit},
    ForeignVerb{"forward", kNoGit},
    ForeignVerb{"backward", kNoGit},
    ForeignVerb{"trigger", kNoInstrumentation},
    ForeignVerb{"inspect", kNoInstrumentation},
    ForeignVerb{"profile",
                "there is no JavaScript in clusterd to be profiled; perf(1) works on its processes"},
    ForeignVerb{"autoinstall", kNoModules},
    ForeignVerb{"create", "clusterd makes no projects; clusterd init writes an ecosystem file"},
    ForeignVerb{"examples", "every verb has an example: clusterd help start"},
    ForeignVerb{"update", kNotYet},
    ForeignVerb{"updatePM2", kNotYet},
    ForeignVerb{"deepUpdate", kNotYet},
    ForeignVerb{"monit", kNotYet},
    ForeignVerb{"dashboard", kNotYet},
    ForeignVerb{"dash", kNotYet},
    ForeignVerb{"imonit", kNotYet},
};

}  // namespace

std::span<const ForeignVerb> foreign_verbs() { return kForeignVerbs; }

std::optional<std::string> foreign_verb_sentence(std::string_view word) {
  const std::string_view family = word.substr(0, word.find(':'));
  for (const ForeignVerb& verb : kForeignVerbs) {
    if (verb.name == word || verb.name == family) return std::string(word) + ": " + std::string(verb.why);
  }
  return std::nullopt;
}

}  // namespace clusterd::cli
