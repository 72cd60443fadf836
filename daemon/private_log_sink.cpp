#include "daemon/private_log_sink.h"

#include <spdlog/sinks/rotating_file_sink.h>

#include <memory>

#include "daemon/system/private_file.h"

namespace clusterd {

spdlog::sink_ptr private_log_sink(const std::string& path, std::size_t bytes_max, std::size_t files_kept) {
  spdlog::file_event_handlers handlers;
  handlers.after_open = [](const spdlog::filename_t&, std::FILE* file) { make_private(file); };
  return std::make_shared<spdlog::sinks::rotating_file_sink_st>(path, bytes_max, files_kept, false, handlers);
}

}  // namespace clusterd
