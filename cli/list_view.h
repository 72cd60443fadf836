// The table of `list`: instance views of the daemon -> text.
//
// Pure. Below the table stands one line for each app that waits for a restart or gave up, with the reason and
// the next start, because the status alone does not help anybody.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/table.h"

namespace clusterd::cli {

// Sorted by name, namespace and id; of two views with one id (during a reload) the older generation first.
std::vector<nlohmann::json> sorted_instances(const nlohmann::json& instances);

// What of an instance view the table and the troubles below it are made of.
extern const std::vector<std::string_view> kListFields;

std::string render_list(const nlohmann::json& instances, const Style& style);
std::string render_rows(const std::vector<nlohmann::json>& instances,
                        const Style& style);  // in the order given
std::string render_troubles(const nlohmann::json& instances, const Style& style);

Color status_color(std::string_view status);
std::string uptime_text(const nlohmann::json& instance);  // "0" without a running process
std::string cpu_text(const nlohmann::json& instance);     // "0.4%", "-" as long as nothing was measured
std::string memory_text(const nlohmann::json& instance);
std::string version_text(const nlohmann::json& instance);  // of its package; "N/A" if nobody says
std::string trouble_text(
    const nlohmann::json& instance);  // "web.0: exited with code 1; next start in 2.3 s, restart 4"

}  // namespace clusterd::cli
