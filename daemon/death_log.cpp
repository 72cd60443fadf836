#include "daemon/death_log.h"

#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/json_text.h"
#include "daemon/system/private_file.h"

namespace clusterd {

void DeathLog::open() {
  spdlog::file_event_handlers handlers;
  handlers.after_open = [](const spdlog::filename_t&, std::FILE* file) { make_private(file); };
  auto sink = std::make_shared<spdlog::sinks::rotating_file_sink_st>(path_, bytes_max_, kDeathLogFilesKept,
                                                                     false, handlers);
  writer_ = std::make_shared<spdlog::logger>("deaths", std::move(sink));
  writer_->set_pattern("%v");
  writer_->flush_on(spdlog::level::info);
  writer_->set_error_handler([](const std::string& what) { spdlog::warn("record of deaths: {}", what); });
}

void DeathLog::append(const nlohmann::json& record) try {
  std::error_code ignored;
  if (!writer_ || !std::filesystem::exists(path_, ignored)) open();  // somebody may have removed it
  writer_->info("{}", to_line(record));
} catch (const spdlog::spdlog_ex& error) {
  spdlog::warn("record of deaths: {}", error.what());
}

}  // namespace clusterd
