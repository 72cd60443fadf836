// The output of `balance`: how the connections of apps are spread over their instances, as bars.
//
// Pure: the member `apps` in the result of the operation `describe` -> text, or a JSON document. Ratios are
// of the instances that are online and counted: one that is leaving gets no new connections and would only
// distort them.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/table.h"

namespace clusterd::cli {

// The largest count over the mean: 1 is even, n (of n instances) is everything on one of them.
// Nothing: no counts, or all of them 0.
std::optional<double> max_over_mean(const std::vector<std::int64_t>& counts);

std::string render_balance(const nlohmann::json& apps, const Style& style);
nlohmann::json balance_json(const nlohmann::json& apps);

// "3", or "-" where nobody knows: the column `conn` of `list`.
std::string open_text(const nlohmann::json& instance);
// "3 open, 120 total, 0 waiting", less what nobody knows; empty: nothing is known.
std::string connections_text(const nlohmann::json& instance);
// "least_conn (the kernel allows it)" of anything that has `balance` and `balance_reason`; may be empty.
std::string balance_text(const nlohmann::json& object);

}  // namespace clusterd::cli
