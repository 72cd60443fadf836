#include "cli/takeover.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>

#include "cli/json_read.h"
#include "config/spec_json.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLookEvery{50};

std::string target_of(const AppSpec& app) { return app.name_space + "/" + app.name; }

Result<json> ask(Client& client, const std::string& op, json args) {
  auto response = client.call(op, std::move(args));
  if (!response) return fail(response.error());
  if (response->error) return fail(*response->error);
  return std::move(response->result);
}

Result<std::set<std::string>> served_addresses(Client& client, const AppSpec& app) {
  auto described = ask(client, "describe", {{"target", target_of(app)}});
  if (!described) return fail(described.error());
  std::set<std::string> served;
  for (const json& one : member_of(*described, "apps")) {
    for (const json& listener : member_of(one, "listeners")) {
      if (flag_of(listener, "listening")) served.insert(text_of(listener, "address"));
    }
  }
  return served;
}

// An app is ready with its first address; others follow.
Result<> until_all_are_served(Client& client, const AppSpec& app, const json& taken) {
  const Clock::time_point deadline = Clock::now() + app.listen_timeout;
  while (true) {
    auto served = served_addresses(client, app);
    if (!served) return fail(served.error());
    const auto missing = std::ranges::find_if(taken, [&](const json& address) {
      return address.is_string() && !served->contains(address.get<std::string>());
    });
    if (missing == taken.end()) return {};
    if (Clock::now() >= deadline) {
      return fail(ErrorCode::failed, app.name + " does not listen on " + missing->get<std::string>() +
                                         " as the running one does");
    }
    std::this_thread::sleep_for(kLookEvery);
  }
}

}  // namespace

Result<> take_over(Client& client, const Takeover& takeover) {
  json args{{"mode", "new"}, {"apps", {to_json(takeover.app)}}};
  args["take_sockets_from"] = takeover.pids;
  args["serves_them"] = takeover.serves_all;
  auto response = client.call("start", std::move(args));
  if (!response) return fail(response.error());
  const bool is_ours = !member_of(response->result, "apps").empty();
  Result<> outcome = response->error ? fail(*response->error) : Result<>();
  if (outcome && takeover.serves_all)
    outcome = until_all_are_served(client, takeover.app, member_of(response->result, "taken"));
  if (outcome || !is_ours) return outcome;
  if (auto removed = ask(client, "delete", {{"targets", {target_of(takeover.app)}}, {"now", true}}); !removed)
    return fail(outcome.error().code,
                outcome.error().message + "\nand it could not be deleted again: " + removed.error().message);
  return outcome;
}

}  // namespace clusterd::cli
