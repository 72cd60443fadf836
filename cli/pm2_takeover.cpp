#include "cli/pm2_takeover.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/child_run.h"
#include "cli/json_read.h"
#include "cli/running_process.h"
#include "cli/takeover.h"

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
  bool is_wanted_up = false;
};

// PM2's own list is that of its user: what it says of processes of others is not believed.
Result<> check_owner(const Pm2List& list, pid_t pid) {
  const auto user = user_of_process(pid);
  if (!user || list.user == 0 || *user == list.user) return {};
  return fail(ErrorCode::denied, "process " + std::to_string(pid) + " is not of PM2's user");
}

Result<Pm2Processes> processes_of(const Pm2List& list, const std::vector<int>& ids) {
  Pm2Processes found;
  for (const json& record : list.records) {
    const json& about = member_of(record, "pm2_env");
    const auto id = integer_of(record, "pm_id");
    if (!id || std::ranges::find(ids, static_cast<int>(*id)) == ids.end()) continue;
    found.ids.push_back(std::to_string(*id));
    found.is_cluster = text_of(about, "exec_mode") == "cluster_mode";
    const std::string status = text_of(about, "status");
    found.is_wanted_up |= status != "stopped" && status != "stopping" && status != "errored";
    const auto pid = integer_of(record, "pid");
    if (!pid || *pid <= 1 || status != "online") continue;
    if (auto ours = check_owner(list, static_cast<pid_t>(*pid)); !ours) return fail(ours.error());
    found.pids.push_back(static_cast<pid_t>(*pid));
  }
  if (found.ids.empty())
    return fail(ErrorCode::not_found, "PM2's list does not say which processes are of it");
  return found;
}

Result<> run_pm2(const Pm2List& list, const std::string& verb, const Pm2Processes& processes) {
  std::vector<std::string> words{list.program, verb};
  words.insert(words.end(), processes.ids.begin(), processes.ids.end());
  auto run = run_child({std::move(words), STDOUT_FILENO, kPm2SaysMax, kPm2Limit});
  if (!run) return fail(run.error());
  if (run->status == 0) return {};
  return fail(ErrorCode::failed, "pm2 " + verb + " failed with status " + std::to_string(run->status));
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
// first. If ours fail then, PM2's come back.
Result<> replace(Client& client, const Pm2List& list, const AppSpec& app, const Pm2Processes& processes) {
  if (processes.is_wanted_up) {
    if (auto stopped = run_pm2(list, "stop", processes); !stopped) return stopped;
  }
  auto started = start_or_remove(client, app);
  if (started || !processes.is_wanted_up) return started;
  if (auto back = run_pm2(list, "restart", processes); !back)
    return fail(started.error().code,
                started.error().message + "\nand PM2 did not start it again: " + back.error().message);
  return started;
}

Result<> move_app(Client& client, const Pm2List& list, const AppSpec& known, const std::vector<int>& ids,
                  Console& console) {
  auto processes = processes_of(list, ids);
  if (!processes) return fail(processes.error());
  AppSpec app = known;
  app.autostart = processes->is_wanted_up;
  const bool takes = !processes->pids.empty() && app.exec_mode != ExecMode::fork;
  auto started =
      takes ? take_over(client, takeover_of(app, list, *processes)) : replace(client, list, app, *processes);
  if (!started) return started;
  if (auto deleted = run_pm2(list, "delete", *processes); !deleted)
    return fail(deleted.error().code, "it runs here, and PM2 still has it: " + deleted.error().message);
  console.note(app.name + (!app.autostart ? ": moved over, not running"
                           : takes        ? ": moved over"
                                          : ": moved over, stopped and started again"));
  return {};
}

}  // namespace

Result<> take_over_from_pm2(Client& client, const Pm2Move& move, Console& console) {
  for (std::size_t i = 0; i < move.apps.size(); ++i) {
    auto moved = move_app(client, move.list, move.apps[i], move.ids.at(i), console);
    if (!moved) return fail(moved.error().code, move.apps[i].name + ": " + moved.error().message);
  }
  return {};
}

}  // namespace clusterd::cli
