// DeathLog: the file in which the daemon keeps the record of every death, one JSON object a line.
//
// Owned by Daemon; read by `clusterd why` straight from the home folder, with or without a daemon. Bounded:
// at kDeathLogBytesMax the file becomes `deaths.1.jsonl`, and the one of that name is forgotten. A record
// that cannot be written is a line in the daemon's log, never a fault.
#pragma once

#include <spdlog/logger.h>

#include <cstddef>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace clusterd {

inline constexpr std::size_t kDeathLogBytesMax = 4 * 1024 * 1024;
inline constexpr std::size_t kDeathLogFilesKept = 1;  // beside the current one

class DeathLog {
 public:
  explicit DeathLog(std::string path, std::size_t bytes_max = kDeathLogBytesMax)
      : path_(std::move(path)), bytes_max_(bytes_max) {}

  void append(const nlohmann::json& record);

 private:
  void open();

  std::string path_;
  std::size_t bytes_max_;
  std::shared_ptr<spdlog::logger> writer_;  // null before the first death
};

}  // namespace clusterd
