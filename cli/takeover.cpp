#include "cli/takeover.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>

#include "cli/json_read.h"
#include "cli/operation_run.h"
#include "config/spec_json.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLookEvery{50};

std::string target_of(const AppSpec& app) { return app.name_space + "/" + app.name; }

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

// An app is ready with its first address; others follow. Of sockets that are not all its own one is enough,
// and an app that serves nothing is none that fails.
Result<> until_served(Client& client, const Takeover& takeover, const json& taken) {
  const Clock::time_point deadline = Clock::now() + takeover.app.listen_timeout;
  while (true) {
    auto served = served_addresses(client, takeover.app);
    if (!served) return fail(served.error());
    const auto is_served = [&](const json& address) {
      return address.is_string() && served->contains(address.get<std::string>());
    };
    const auto missing = std::ranges::find_if_not(taken, is_served);
    if (missing == taken.end() || (!takeover.serves_all && std::ranges::any_of(taken, is_served))) return {};
    if (Clock::now() >= deadline && !takeover.serves_all) return {};
    if (Clock::now() >= deadline) {
      return fail(ErrorCode::failed, takeover.app.name + " does not listen on " +
                                         missing->get<std::string>() + " as the running one does");
    }
    std::this_thread::sleep_for(kLookEvery);
  }
}

// Gently: it may have taken requests already.
Result<> remove_again(Client& client, const AppSpec& app, const Error& why) {
  auto removed = ask(client, "delete", {{"targets", {target_of(app)}}});
  if (removed) return fail(why);
  return fail(why.code, why.message + "\nand it could not be deleted again: " + removed.error().message);
}

// The answer, if the app has been started; what was added and did not start is gone again.
Result<json> start_new(Client& client, const AppSpec& app, json args) {
  args["mode"] = "new";
  args["apps"] = {to_json(app)};
  auto response = client.call("start", std::move(args));
  if (!response) return fail(response.error());
  const json& apps = member_of(response->result, "apps");
  const bool is_ours = apps.is_array() && !apps.empty();
  if (!response->error && is_ours &&
      text_of(apps[0], "outcome") == (app.autostart ? "started" : "registered"))
    return std::move(response->result);
  const Error why =
      response->error ? *response->error : Error{ErrorCode::conflict, app.name + " is there already"};
  const bool was_added = response->error && is_ours;
  if (!was_added) return fail(why);
  return fail(remove_again(client, app, why).error());
}

}  // namespace

Result<> take_over(Client& client, const Takeover& takeover) {
  json args = json::object();
  args["take_sockets_from"] = takeover.pids;
  args["serves_them"] = takeover.serves_all;
  auto started = start_new(client, takeover.app, std::move(args));
  if (!started) return fail(started.error());
  auto served = until_served(client, takeover, member_of(*started, "taken"));
  return served ? served : remove_again(client, takeover.app, served.error());
}

Result<> start_or_remove(Client& client, const AppSpec& app) {
  auto started = start_new(client, app, json::object());
  return started ? Result<>() : fail(started.error());
}

}  // namespace clusterd::cli
