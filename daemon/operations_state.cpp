// Operations on state that outlives the daemon's apps or the daemon itself: save, resurrect, kill; and flush.
#include <nlohmann/json.hpp>
#include <set>

#include "daemon/dump.h"
#include "daemon/log_paths.h"
#include "daemon/operations.h"
#include "daemon/stop_sequence.h"
#include "daemon/system/state_file.h"

namespace clusterd {

using nlohmann::json;

void Operations::save(const json& args, const Reply& reply) {
  std::vector<SavedApp> apps;
  for (const auto& [key, app] : context_.supervisor.apps()) {
    if (!app.deleted) apps.push_back(saved_app(app));
  }
  if (apps.empty() && !args.value("force", false)) {
    return reply->fail_with(
        {ErrorCode::failed, "there are no apps; the saved list is kept. Use --force to save an empty one"},
        json::object());
  }
  if (auto written = write_atomically(context_.home.dump, write_dump(apps)); !written) {
    return reply->fail_with(written.error(), json::object());
  }
  reply->succeed({{"path", context_.home.dump}, {"apps", apps.size()}});
}

void Operations::clear_saved(const json&, const Reply& reply) {
  if (auto written = write_atomically(context_.home.dump, write_dump({})); !written)
    return reply->fail_with(written.error(), json::object());
  reply->succeed({{"path", context_.home.dump}});
}

void Operations::resurrect(const json& args, const Reply& reply) {
  const auto parts = gather(args, reply, {{"apps", json::array()}});
  if (auto started = resurrect_all(parts); !started) parts->refuse(started.error());
}

Result<int> Operations::resurrect_all(const std::shared_ptr<Gather>& parts) {
  auto text = read_whole(context_.home.dump, kDumpBytesMax);
  if (!text && text.error().code == ErrorCode::not_found) {
    return fail(ErrorCode::not_found,
                "nothing was saved in " + context_.home.dump + "; use `clusterd save` first");
  }
  if (!text) return fail(text.error());
  std::vector<Error> faults;
  auto saved = read_dump(*text, faults);
  for (const Error& fault : faults) parts->refuse(fault);
  if (!saved && saved.error().code == ErrorCode::protocol)
    return fail(saved.error());  // of another version: kept
  if (!saved) {
    const auto aside = set_aside(context_.home.dump);
    std::string message = context_.home.dump + ": " + saved.error().message;
    if (aside) message += "; it was moved to " + *aside;
    return fail(saved.error().code, message + "; the save before it is " + backup_path(context_.home.dump));
  }
  int started = 0;
  std::vector<std::pair<AppKey, std::vector<int>>> starting;
  for (const SavedApp& entry : *saved) {
    const AppKey key{entry.spec.name_space, entry.spec.name};
    const App* present = context_.supervisor.find(key);
    if (present != nullptr && present->deleted) {
      parts->refuse({ErrorCode::conflict, key.name + ": is just being deleted; try again"});
      continue;
    }
    const bool known = present != nullptr;
    json& apps = parts->result()["apps"];
    apps.push_back({{"name", key.name},
                    {"namespace", key.name_space},
                    {"outcome", known ? "already_running" : "started"}});
    if (known) continue;
    context_.supervisor.add(entry.spec, static_cast<int>(entry.slots.size()), Goal::down);
    std::vector<int> up;
    for (std::size_t slot = 0; slot < entry.slots.size(); ++slot) {
      if (entry.slots[slot] == Goal::up) up.push_back(static_cast<int>(slot));
    }
    ++started;
    if (!up.empty()) starting.emplace_back(key, std::move(up));
  }
  start_in_order(parts, starting);
  return started;
}

// All are known by now, so that nobody waits for one that is only not there yet.
void Operations::start_in_order(const std::shared_ptr<Gather>& parts,
                                const std::vector<std::pair<AppKey, std::vector<int>>>& starting) {
  std::vector<AppSpec> specs;
  for (const auto& [key, slots] : starting) specs.push_back(context_.supervisor.find(key)->spec());
  const auto order = order_of(specs);
  if (!order) parts->refuse(order.error());  // those of the circle wait, and say for whom
  for (std::size_t i = 0; i < starting.size(); ++i) {
    const auto& [key, slots] = starting[order ? (*order)[i] : i];
    context_.gate.start(*context_.supervisor.find(key), slots, parts->part(), parts->progress());
  }
}

void Operations::kill(const json&, const Reply& reply) {
  shut_down([reply, end = context_.end] {
    reply->succeed(json::object());
    end();
  });
}

void Operations::shut_down(std::function<void()> then) {
  ending_ = true;
  std::make_shared<StopSequence>(context_.io, context_.supervisor, context_.waiters, std::move(then))
      ->advance();
}

std::vector<std::string> Operations::log_files_of(const Target& target) const {
  std::set<std::string> files;
  const App& app = *target.app;
  for (std::size_t slot = 0; slot < app.slots.size(); ++slot) {
    const InstancePaths paths =
        instance_paths(context_.home, app.spec(), static_cast<int>(slot), app.slots[slot].id);
    if (keeps_files(log_target_of(app.spec().log))) files.insert({paths.out_file, paths.error_file});
    if (!paths.combined_file.empty()) files.insert(paths.combined_file);
  }
  return {files.begin(), files.end()};
}

void Operations::flush(const json& args, const Reply& reply) {
  auto targets = targets_or_all(args);
  if (!targets) return reply->fail_with(targets.error(), json::object());
  json files = json::array();
  for (const Target& target : *targets) {
    for (const std::string& path : log_files_of(target)) {
      if (auto emptied = context_.host.logs().file_for(path)->truncate(); !emptied) {
        return reply->fail_with(emptied.error(), {{"files", files}});
      }
      files.push_back(path);
    }
  }
  reply->succeed({{"files", std::move(files)}});
}

void Operations::reload_logs(const json& /*args*/, const Reply& reply) {
  json files = json::array();
  for (const auto& file : context_.host.logs().open_files()) files.push_back(file->path());
  if (auto reopened = context_.host.logs().reopen_all(); !reopened)
    return reply->fail_with(reopened.error(), {{"files", files}});
  reply->succeed({{"files", std::move(files)}});
}

}  // namespace clusterd
