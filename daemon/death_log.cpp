#include "daemon/death_log.h"

#include <spdlog/spdlog.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/json_text.h"
#include "daemon/death.h"
#include "daemon/private_log_sink.h"

namespace clusterd {

void DeathLog::open() {
  writer_ =
      std::make_shared<spdlog::logger>("deaths", private_log_sink(path_, bytes_max_, kDeathLogFilesKept));
  writer_->set_pattern("%v");
  writer_->flush_on(spdlog::level::info);
  writer_->set_error_handler([](const std::string& what) { spdlog::warn("record of deaths: {}", what); });
}

void DeathLog::life_ended(const App& app, const Instance& before, const Instance& after,
                          const InstanceEvent& event, Instant now) {
  append(death_record(app, before, after, event, now));
}

void DeathLog::append(const nlohmann::json& record) try {
  std::error_code ignored;
  if (!writer_ || !std::filesystem::exists(path_, ignored)) open();  // somebody may have removed it
  writer_->info("{}", to_line(record));
} catch (const spdlog::spdlog_ex& error) {
  spdlog::warn("record of deaths: {}", error.what());
}

}  // namespace clusterd
