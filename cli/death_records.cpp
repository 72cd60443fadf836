#include "cli/death_records.h"

#include <algorithm>
#include <charconv>

#include "cli/json_read.h"
#include "common/json_text.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;

std::optional<int> whole_number(std::string_view text) {
  int number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || stop != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

bool has_name(const json& death, const std::string& word) {
  const std::string name = text_of(death, "name");
  return name == word || text_of(death, "namespace") + "/" + name == word;
}

DeathTarget app_of(const json& death, std::optional<int> slot) {
  return {text_of(death, "namespace"), text_of(death, "name"), slot};
}

}  // namespace

std::vector<json> read_deaths(std::string_view text) {
  std::vector<json> deaths;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    auto death = parse_line(text.substr(begin, end - begin));
    if (death && death->is_object()) deaths.push_back(std::move(*death));
    begin = end + 1;
  }
  return deaths;
}

void keep_deaths_of(std::vector<json>& deaths, std::span<const DeathTarget> targets) {
  std::erase_if(deaths, [&](const json& death) {
    return std::ranges::none_of(targets, [&](const DeathTarget& target) {
      const bool same_app =
          text_of(death, "namespace") == target.name_space && text_of(death, "name") == target.name;
      return same_app && (!target.slot || integer_of(death, "slot") == *target.slot);
    });
  });
}

std::vector<DeathTarget> targets_in(std::span<const json> deaths, const std::string& word) {
  std::vector<DeathTarget> found;
  const std::size_t dot = word.rfind('.');
  const auto slot = dot == word.npos ? std::nullopt : whole_number(std::string_view(word).substr(dot + 1));
  for (const json& death : deaths) {
    if (has_name(death, word)) found.push_back(app_of(death, {}));
    if (slot && has_name(death, word.substr(0, dot))) found.push_back(app_of(death, slot));
  }
  const auto id = whole_number(word);
  if (!found.empty() || !id) return found;
  const auto last = std::find_if(deaths.rbegin(), deaths.rend(),
                                 [&](const json& death) { return integer_of(death, "id") == *id; });
  if (last == deaths.rend()) return {};
  const auto last_slot = integer_of(*last, "slot");
  return {app_of(*last, last_slot ? std::optional<int>(static_cast<int>(*last_slot)) : std::nullopt)};
}

}  // namespace clusterd::cli
