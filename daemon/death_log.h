// DeathLog: the file in which the daemon keeps the record of every death, one JSON object a line.
//
// Owned by Daemon, a listener of the Supervisor; read by `clusterd why` straight from the home folder, with
// or without a daemon. Bounded: at kDeathLogBytesMax the file becomes `deaths.1.jsonl`, and the one of that
// name is forgotten. A record that cannot be written is a line in the daemon's log, never a fault.
#pragma once

#include <spdlog/logger.h>

#include <cstddef>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "daemon/supervisor.h"

namespace clusterd {

inline constexpr std::size_t kDeathLogBytesMax = 4 * 1024 * 1024;
inline constexpr std::size_t kDeathLogFilesKept = 1;  // beside the current one

class DeathLog final : public SupervisorListener {
 public:
  explicit DeathLog(std::string path, std::size_t bytes_max = kDeathLogBytesMax)
      : path_(std::move(path)), bytes_max_(bytes_max) {}

  void life_ended(const App& app, const Instance& before, const Instance& after, const InstanceEvent& event,
                  Instant now) override;
  void append(const nlohmann::json& record);

 private:
  void open();

  std::string path_;
  std::size_t bytes_max_;
  std::shared_ptr<spdlog::logger> writer_;  // null before the first death
};

}  // namespace clusterd
