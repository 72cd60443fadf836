#include "config/foreign_keys.h"

#include <algorithm>
#include <array>

#include "config/app_fields.h"

namespace clusterd {
namespace {

constexpr std::string_view kNoInstrumentation = "ignored: clusterd puts nothing into a program";
constexpr std::string_view kNoVersionControl = "ignored: clusterd does not look at version control";

constexpr std::array kForeignKeys{
    ForeignKey{"name_prefix", "ignored: it is for PM2's modules; write it into 'name'"},
    ForeignKey{"watch_options", "ignored: it is of the library that PM2 watches with; see 'ignore_watch' and 'watch_delay'"},
    ForeignKey{"kill_retry_time", "ignored: clusterd is told when a process ends and does not have to ask"},
    ForeignKey{"force", "ignored: a name belongs to one app; give the second one another 'name'"},
    ForeignKey{"vizion", kNoVersionControl},
    ForeignKey{"post_update", kNoVersionControl},
    ForeignKey{"pmx", kNoInstrumentation},
    ForeignKey{"automation", kNoInstrumentation},
    ForeignKey{"trace", kNoInstrumentation},
    ForeignKey{"disable_trace", kNoInstrumentation},
    ForeignKey{"v8", kNoInstrumentation},
    ForeignKey{"event_loop_inspector", kNoInstrumentation},
    ForeignKey{"deep_monitoring", kNoInstrumentation},
    ForeignKey{"io", kNoInstrumentation},
    ForeignKey{"source_map_support",
               R"(ignored: Node has it itself: "interpreter_args": "--enable-source-maps")"},
    ForeignKey{"disable_source_map_support", kNoInstrumentation},
    ForeignKey{"install_url", "ignored: it is for PM2's modules"},
    ForeignKey{"write", "ignored: `clusterd save` stores the list"},
    ForeignKey{"username", "ignored: the user an app runs as is 'uid'"},
    ForeignKey{"windowsHide", "ignored: it is for Windows"},
};

}  // namespace

std::span<const ForeignKey> foreign_keys() { return kForeignKeys; }

const ForeignKey* find_foreign_key(std::string_view key) {
  const auto found = std::ranges::find_if(
      kForeignKeys, [key](const ForeignKey& row) { return key == row.name || key == camel_case(row.name); });
  return found == kForeignKeys.end() ? nullptr : &*found;
}

}  // namespace clusterd
