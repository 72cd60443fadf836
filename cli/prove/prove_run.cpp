#include "cli/prove/prove_run.h"

#include <poll.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/daemon_launcher.h"
#include "cli/json_read.h"
#include "cli/operation_run.h"
#include "cli/prove/load_loop.h"
#include "cli/prove/private_network.h"
#include "cli/prove/prove_report.h"
#include "cli/prove/prove_target.h"
#include "cli/prove/round_driver.h"
#include "common/error_code.h"
#include "common/json_text.h"
#include "common/units.h"
#include "config/spec_json.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kLookPauseMs = 50;
constexpr int kSettledLooks = 5;  // the addresses are all there if so many looks in a row find the same

Milliseconds listen_patience(const std::vector<AppSpec>& specs) {
  Milliseconds longest{0};
  for (const AppSpec& spec : specs) longest = std::max(longest, spec.listen_timeout);
  return longest;
}

class ProveRun {
 public:
  ProveRun(Client& client, const std::vector<AppSpec>& specs, const Context& context)
      : client_(client), specs_(specs), context_(context), options_(context.arguments.prove) {}

  int run();

 private:
  // Exit status of what did not work; 0: it did.
  int start_apps();
  Result<> find_addresses();
  Result<> choose_addresses(const std::vector<std::string>& found);
  Result<std::vector<std::string>> look_for_addresses();
  void announce() const;
  RoundReport run_round(Round round);
  int show() const;

  Client& client_;
  const std::vector<AppSpec>& specs_;
  const Context& context_;
  const ProveOptions& options_;
  std::vector<ProvedApp> apps_;  // those that listen
  std::vector<LoadAddress> addresses_;
  ProveReport report_;
};

int ProveRun::run() {
  if (int status = start_apps(); status != 0) return status;
  if (auto found = find_addresses(); !found) return report(found.error(), context_.console);
  announce();
  report_.private_network = !options_.here;
  report_.rounds.push_back(run_round(Round::baseline));
  if (verdict_of(report_) != ProveVerdict::unusable) {
    for (Round round : options_.rounds) report_.rounds.push_back(run_round(round));
  }
  context_.console.end_progress();
  return show();
}

int ProveRun::start_apps() {
  json args{{"mode", "apply"}, {"wait", true}, {"apps", json::array()}};
  for (const AppSpec& spec : specs_) args["apps"].push_back(to_json(spec));
  auto response = client_.call("start", std::move(args), [&](const Event& event) {
    context_.console.progress(text_of(event.fields, "text"));
    return Flow::go_on;
  });
  context_.console.end_progress();
  if (!response) return report(response.error(), context_.console);
  return response->error ? report(*response, context_.console) : 0;
}

Result<std::vector<std::string>> ProveRun::look_for_addresses() {
  std::vector<std::string> found;
  apps_.clear();
  for (const AppSpec& spec : specs_) {
    ProvedApp app(client_, spec.name, spec.name_space + "/" + spec.name);
    auto addresses = app.addresses();
    if (!addresses) return fail(addresses.error());
    if (addresses->empty()) continue;
    apps_.push_back(std::move(app));
    found.insert(found.end(), addresses->begin(), addresses->end());
  }
  return found;
}

Result<> ProveRun::find_addresses() {
  auto patience = listen_patience(specs_);
  auto deadline = Clock::now() + patience;
  std::vector<std::string> found;
  for (int looks = 0; found.empty() || looks < kSettledLooks; poll(nullptr, 0, kLookPauseMs)) {
    auto now_found = look_for_addresses();
    if (!now_found) return fail(now_found.error());
    looks = *now_found == found ? looks + 1 : 0;
    found = std::move(*now_found);
    if (found.empty() && Clock::now() >= deadline) {
      return fail(ErrorCode::failed,
                  specs_.front().name + " listens at no address clusterd knows of within " +
                      format_duration_exact(patience) +
                      " (listen_timeout): there is nothing to send requests to. Is it a server that binds a "
                      "TCP port, or has it addresses in `listen`?");
    }
  }
  for (const ProvedApp& app : apps_) report_.apps.push_back(app.name());
  return choose_addresses(found);
}

Result<> ProveRun::choose_addresses(const std::vector<std::string>& found) {
  std::string all;
  for (const std::string& text : found) {
    all += (all.empty() ? "" : ", ") + text;
    auto address = load_address(text);
    if (!address) return fail(address.error());
    if (!options_.ports.empty() && std::ranges::count(options_.ports, address->port) == 0) continue;
    report_.addresses.push_back(text);
    addresses_.push_back(std::move(*address));
  }
  if (addresses_.empty()) {
    return fail(ErrorCode::not_found, "none of the ports of --ports is one the app listens at: " + all);
  }
  return {};
}

void ProveRun::announce() const {
  std::string names, addresses;
  for (const std::string& name : report_.apps) names += (names.empty() ? "" : ", ") + name;
  for (const std::string& address : report_.addresses) addresses += (addresses.empty() ? "" : ", ") + address;
  auto rounds = static_cast<int>(options_.rounds.size()) + 1;
  auto clients = options_.connections * static_cast<int>(kClientKinds.size());
  context_.console.note("proving " + names + " at " + addresses + ": " + std::to_string(rounds) +
                        " rounds, at least " + format_duration_exact(options_.duration) + " each, " +
                        format_duration_exact(options_.duration * rounds) +
                        " and more together, as long as the operations take; at most " +
                        std::to_string(clients) + " connections and " + std::to_string(options_.rate) +
                        " requests a second");
}

RoundReport ProveRun::run_round(Round round) {
  context_.console.progress("round " + std::string(round_word(round)));
  RoundReport result;
  result.round = round;
  EventJournal journal;
  RoundDriver driver(options_, journal);
  LoadLoop load(options_, addresses_, journal);
  auto began_at = Clock::now();
  load.start();
  RoundEvents events = driver.drive(round, apps_);
  result.tally = load.finish();
  result.events = events.count;
  result.duration = std::chrono::duration_cast<milliseconds>(Clock::now() - began_at);
  if (events.error) result.error = events.error->message;
  return result;
}

int ProveRun::show() const {
  if (context_.arguments.json) {
    context_.console.out(to_line(prove_json(report_)) + "\n");
  } else {
    context_.console.out(render_prove(report_, context_.console.out_style()));
  }
  switch (verdict_of(report_)) {
    case ProveVerdict::kept:
      return static_cast<int>(ExitStatus::success);
    case ProveVerdict::lost:
      return static_cast<int>(ExitStatus::lost);
    case ProveVerdict::unusable:
      break;
  }
  return static_cast<int>(ExitStatus::failed);
}

}  // namespace

int prove_in(const std::string& folder, std::vector<AppSpec> specs, const Context& context) {
  if (!context.arguments.prove.here) {
    if (auto entered = enter_private_network(); !entered) return report(entered.error(), context.console);
  }
  auto paths = home_paths(folder, "");
  if (!paths) return report(paths.error(), context.console);
  move_unix_sockets(specs, folder);
  auto launched = connect_or_launch(*paths, context.caller);
  if (!launched) return report(launched.error(), context.console);
  return context.console.exit_status(ProveRun(launched->client, specs, context).run());
}

}  // namespace clusterd::cli
