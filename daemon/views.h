// Views: apps and instances as the JSON of docs/protocol.md. Reads only; environment values never appear
// here.
//
// Used by the operations. Owns the CPU meters, which need the sample before; they cost nothing while nobody
// asks.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <unordered_map>

#include "daemon/log_paths.h"
#include "daemon/process_host.h"
#include "daemon/supervisor.h"
#include "daemon/system/process_stats.h"

namespace clusterd {

// {"code":n} or {"signal":"SIGSEGV"}, null if there is none: how a process ended.
nlohmann::json exit_view(const std::optional<ExitRecord>& exit);

class Views {
 public:
  Views(const Supervisor& supervisor, ProcessHost& host, HomePaths home, int cpus);

  // Every slot of the app, its instances in order; a slot without any is shown as stopped.
  void append_instances(const App& app, nlohmann::json& list);
  nlohmann::json describe(const App& app);
  // What others know of an app goes into its description, too.
  void add_facts(std::function<void(const App&, nlohmann::json&)> add) { add_facts_ = std::move(add); }

 private:
  nlohmann::json slot_view(const App& app, int slot, const Instance* instance);
  void add_process(const App& app, const Instance& instance, nlohmann::json& view);
  nlohmann::json connections(const App& app, InstanceKey key) const;
  nlohmann::json listeners(const App& app) const;

  const Supervisor& supervisor_;
  ProcessHost& host_;
  HomePaths home_;
  std::function<void(const App&, nlohmann::json&)> add_facts_;
  int cpus_;
  std::string own_name_;
  struct Meter {
    std::uint64_t life;
    CpuMeter meter;
  };
  std::unordered_map<InstanceKey, Meter> meters_;
  std::size_t meters_swept_at_ = 0;
};

}  // namespace clusterd
