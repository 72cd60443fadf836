#include "cli/pm2_takeover.h"

#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/child_run.h"
#include "cli/json_read.h"
#include "cli/running_process.h"
#include "cli/takeover.h"
#include "config/spec_json.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kPm2SaysMax = 16 * 1024 * 1024;
constexpr std::chrono::milliseconds kPm2Limit{120'000};  // it waits for each process to end

// What PM2 has of one app.
struct Pm2Processes {
  std::vector<std::string> ids;
  std::vector<pid_t> pids;  // that run
  bool is_cluster = false;
};

Pm2Processes processes_of(const json& records, const AppSpec& app) {
  Pm2Processes found;
  for (const json& record : records) {
    const json& about = member_of(record, "pm2_env");
    const std::string name_space = text_of(about, "namespace");
    if (text_of(record, "name") != app.name || (!name_space.empty() && name_space != app.name_space))
      continue;
    if (const auto id = integer_of(record, "pm_id")) found.ids.push_back(std::to_string(*id));
    const auto pid = integer_of(record, "pid");
    if (pid && *pid > 1 && text_of(about, "status") == "online")
      found.pids.push_back(static_cast<pid_t>(*pid));
    found.is_cluster = text_of(about, "exec_mode") == "cluster_mode";
  }
  return found;
}

Result<> delete_from_pm2(const Pm2List& list, const Pm2Processes& processes) {
  std::vector<std::string> words{list.program, "delete"};
  words.insert(words.end(), processes.ids.begin(), processes.ids.end());
  auto run = run_child({std::move(words), STDOUT_FILENO, kPm2SaysMax, kPm2Limit});
  if (!run) return fail(run.error());
  if (run->status == 0) return {};
  return fail(ErrorCode::failed, "pm2 delete failed with status " + std::to_string(run->status));
}

Result<> start_anew(Client& client, const AppSpec& app) {
  auto response = client.call("start", {{"mode", "new"}, {"apps", {to_json(app)}}});
  if (!response) return fail(response.error());
  return response->error ? fail(*response->error) : Result<>();
}

// In cluster mode the sockets are those of PM2's daemon, and not all of them are of this app.
Takeover takeover_of(const AppSpec& app, const Pm2List& list, const Pm2Processes& processes) {
  Takeover takeover{app, {}, !processes.is_cluster};
  if (processes.is_cluster) takeover.pids.push_back(list.daemon);
  for (const pid_t pid : processes.pids) {
    const std::vector<pid_t> tree = process_tree(pid);
    takeover.pids.insert(takeover.pids.end(), tree.begin(), tree.end());
  }
  return takeover;
}

// Programs that share nothing, each with a port of its own, bind them without the daemon: PM2's have to end
// first.
bool binds_by_itself(const AppSpec& app) { return app.exec_mode == ExecMode::fork; }

Result<> move_app(Client& client, const Pm2List& list, const AppSpec& app, Console& console) {
  const Pm2Processes processes = processes_of(list.records, app);
  const bool ends_first = !processes.pids.empty() && binds_by_itself(app);
  if (ends_first) {
    if (auto deleted = delete_from_pm2(list, processes); !deleted) return deleted;
  }
  auto started = processes.pids.empty() || ends_first ? start_anew(client, app)
                                                      : take_over(client, takeover_of(app, list, processes));
  if (!started) return started;
  if (!ends_first) {
    if (auto deleted = delete_from_pm2(list, processes); !deleted)
      return fail(deleted.error().code, app.name + " runs here and under PM2: " + deleted.error().message);
  }
  console.note(app.name + (processes.pids.empty() ? ": moved over, not running"
                           : ends_first           ? ": moved over, stopped and started again"
                                                  : ": moved over"));
  return {};
}

}  // namespace

Result<> take_over_from_pm2(Client& client, const Pm2List& list, const std::vector<AppSpec>& apps,
                            Console& console) {
  for (const AppSpec& app : apps) {
    auto moved = move_app(client, list, app, console);
    if (!moved) return fail(moved.error().code, app.name + ": " + moved.error().message);
  }
  return {};
}

}  // namespace clusterd::cli
