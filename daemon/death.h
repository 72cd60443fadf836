// Death: the record of one ended process of an app, as JSON: how it ended, by whom and why, what it said
// last, and what was decided about its successor.
//
// Pure; made by the daemon of what the Supervisor knew before and after it handled the end, written by
// DeathLog, shown by `clusterd why`. Its members are in docs/protocol.md. Never has values of the
// environment; the last output is the app's own and may have anything.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "daemon/supervisor.h"

namespace clusterd {

// The order that ended it, as a sentence: "the app was stopped"; empty if it was to live on.
std::string order_of_end(const App& app, const Instance& before);

nlohmann::json death_record(const App& app, const Instance& before, const Instance& after,
                            const InstanceEvent& event, Instant now);

}  // namespace clusterd
