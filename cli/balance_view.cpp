#include "cli/balance_view.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>

#include "cli/json_read.h"
#include "cli/list_view.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;
using Count = std::optional<std::int64_t>;

constexpr std::size_t kBarWidth = 30;
constexpr std::size_t kBarWidthMin = 4;

// The counts of one app. Rows are all instances, the ratios are of those that serve.
struct Spread {
  struct Row {
    std::string name;  // "web.0"
    Count pid, open, total;
    Color color = Color::none;
  };
  std::vector<Row> rows;
  std::int64_t open_max = 0;
  std::int64_t total_sum = 0;
  std::optional<double> open_ratio, total_ratio;
  bool open_known = false;
  bool total_known = false;
};

Count count_of(const json& instance, std::string_view key) {
  const Count count = integer_of(member_of(instance, "connections"), key);
  return count ? Count(std::max<std::int64_t>(*count, 0)) : std::nullopt;
}

Spread spread_of(const json& app) {
  Spread spread;
  std::vector<std::int64_t> open, total;
  for (const json& instance : sorted_instances(member_of(app, "instances"))) {
    const std::string status = text_of(instance, "status");
    const std::string slot = std::to_string(integer_of(instance, "slot").value_or(0));
    Spread::Row row{printable(text_of(instance, "name")) + "." + slot, integer_of(instance, "pid"),
                    count_of(instance, "open"), count_of(instance, "total"), status_color(status)};
    if (row.open && status == "online") open.push_back(*row.open);
    if (row.total && status == "online") total.push_back(*row.total);
    spread.open_known |= row.open.has_value();
    spread.total_known |= row.total.has_value();
    spread.open_max = std::max(spread.open_max, row.open.value_or(0));
    spread.total_sum += row.total.value_or(0);
    spread.rows.push_back(std::move(row));
  }
  spread.open_ratio = max_over_mean(open);
  spread.total_ratio = max_over_mean(total);
  return spread;
}

std::string number_text(const Count& count) { return count ? std::to_string(*count) : "-"; }

std::string decimal(const char* format, double value) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string share_text(const Count& total, std::int64_t sum) {
  if (!total) return "-";
  std::string text = std::to_string(*total);
  if (sum > 0) text += decimal(" (%.0f%%)", 100.0 * static_cast<double>(*total) / static_cast<double>(sum));
  return text;
}

// Who has anything at all has a bar.
std::string bar(std::int64_t value, std::int64_t longest, std::size_t width, const Style& style) {
  if (value <= 0 || longest <= 0) return "";
  const double part = static_cast<double>(value) / static_cast<double>(longest);
  const auto cells =
      std::max<std::size_t>(1, static_cast<std::size_t>(part * static_cast<double>(width) + 0.5));
  std::string text;
  for (std::size_t i = 0; i < cells; ++i) text += style.frame == Style::Frame::box ? "█" : "#";
  return text;
}

// The bars take what is left of the width; without any room for them the numbers stay.
std::size_t bar_width(const std::vector<std::vector<Cell>>& rows, std::size_t open_width,
                      const Style& style) {
  if (style.width == 0) return kBarWidth;
  std::size_t others = 2 * rows.front().size() + open_width;
  for (const std::size_t column : {0, 1, 3}) {
    std::size_t widest = 0;
    for (const auto& row : rows) widest = std::max(widest, display_width(row[column].text));
    others += widest;
  }
  const std::size_t left = style.width > others ? style.width - others : 0;
  return left < kBarWidthMin ? 0 : std::min(left, kBarWidth);
}

std::string bars(const Spread& spread, const Style& style) {
  std::vector<std::vector<Cell>> rows{{{"name"}, {"pid"}, {"open"}, {"total"}}};
  std::size_t open_width = 4;
  for (const Spread::Row& row : spread.rows) {
    open_width = std::max(open_width, number_text(row.open).size());
    rows.push_back({{row.name}, {number_text(row.pid)}, {}, {share_text(row.total, spread.total_sum)}});
  }
  const std::size_t width = bar_width(rows, open_width, style);
  for (std::size_t i = 0; i < spread.rows.size(); ++i) {
    const Spread::Row& row = spread.rows[i];
    std::string open = pad(number_text(row.open), open_width, Align::right);
    const std::string drawn = bar(row.open.value_or(0), spread.open_max, width, style);
    rows[i + 1][2] = {drawn.empty() ? open : open + " " + drawn, row.color};
  }
  rows.erase(rows.begin());
  std::vector<Column> columns{{"name"}, {"pid", Align::left, 1}, {"open"}, {"total", Align::left, 2}};
  columns[0].shrink_min = 6;
  return render_table(std::move(columns), std::move(rows), {Style::Frame::plain, style.colors, style.width});
}

// One word for all addresses where they agree, else one for each.
std::string balance_of(const json& app) {
  const json& listeners = member_of(app, "listeners");
  if (!listeners.is_array() || listeners.empty()) return balance_text(app);
  const std::string first = balance_text(listeners.front());
  if (std::ranges::all_of(listeners, [&](const json& one) { return balance_text(one) == first; }))
    return first;
  std::string text;
  for (const json& one : listeners) {
    if (!text.empty()) text += "; ";
    text += printable(text_of(one, "address")) + ": " + balance_text(one);
  }
  return text;
}

std::string why_uncounted(const json& app, const Spread& spread) {
  const bool runs =
      std::ranges::any_of(spread.rows, [](const Spread::Row& row) { return row.pid.has_value(); });
  if (!runs) return "no instance is running";
  const json& listeners = member_of(app, "listeners");
  if (listeners.is_array() && !listeners.empty()) return "connections of Unix sockets cannot be counted";
  if (text_of(member_of(app, "spec"), "exec_mode") == "fork")
    return "exec_mode \"fork\" leaves the sockets to the program";
  return "it has bound no TCP port and declares no address";
}

std::string ratios_text(const Spread& spread) {
  std::string text = "max/mean ";
  text += spread.open_ratio ? decimal("%.2f", *spread.open_ratio) : "-";
  text += " of open, ";
  text += spread.total_ratio ? decimal("%.2f", *spread.total_ratio) : "-";
  text += " of total";
  if (!spread.total_known) text += " (only the in-kernel balancer counts totals)";
  return text;
}

json ratio_json(const std::optional<double>& ratio) { return ratio ? json(*ratio) : json(nullptr); }

}  // namespace

std::optional<double> max_over_mean(const std::vector<std::int64_t>& counts) {
  const auto sum = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  if (sum <= 0) return std::nullopt;
  const auto most = static_cast<double>(*std::ranges::max_element(counts));
  return most * static_cast<double>(counts.size()) / static_cast<double>(sum);
}

std::string render_balance(const json& apps, const Style& style) {
  std::string text;
  if (!apps.is_array()) return text;
  for (const json& app : apps) {
    if (!text.empty()) text += "\n";
    const Spread spread = spread_of(app);
    if (!spread.open_known && !spread.total_known) {
      text += colored(printable(text_of(app, "name")) + ": nothing is counted: " + why_uncounted(app, spread),
                      Color::yellow, style) +
              "\n";
      continue;
    }
    text += bars(spread, style);
    text += balance_of(app) + "; " + ratios_text(spread) + "\n";
  }
  return text;
}

json balance_json(const json& apps) {
  json list = json::array();
  if (!apps.is_array()) return list;
  for (const json& app : apps) {
    const Spread spread = spread_of(app);
    json instances = json::array();
    for (const json& instance : sorted_instances(member_of(app, "instances"))) {
      json row = json::object();
      for (const char* key : {"id", "name", "slot", "generation", "status", "pid", "connections"})
        row[key] = member_of(instance, key);
      instances.push_back(std::move(row));
    }
    list.push_back({{"name", member_of(app, "name")},
                    {"namespace", member_of(app, "namespace")},
                    {"balance", member_of(app, "balance")},
                    {"balance_reason", member_of(app, "balance_reason")},
                    {"listeners", member_of(app, "listeners")},
                    {"instances", std::move(instances)},
                    {"max_over_mean",
                     {{"open", ratio_json(spread.open_ratio)}, {"total", ratio_json(spread.total_ratio)}}}});
  }
  return list;
}

std::string open_text(const json& instance) { return number_text(count_of(instance, "open")); }

std::string connections_text(const json& instance) {
  std::string text;
  for (const auto& [key, word] : {std::pair{"open", " open"}, {"total", " total"}, {"queued", " waiting"}}) {
    const Count count = count_of(instance, key);
    if (!count) continue;
    if (!text.empty()) text += ", ";
    text += std::to_string(*count) + word;
  }
  return text;
}

std::string balance_text(const json& object) {
  std::string text = printable(text_of(object, "balance"));
  const std::string reason = printable(text_of(object, "balance_reason"));
  if (!text.empty() && !reason.empty()) text += " (" + reason + ")";
  return text;
}

}  // namespace clusterd::cli
