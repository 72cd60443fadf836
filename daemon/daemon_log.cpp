#include "daemon/daemon_log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <utility>
#include <vector>

#include "daemon/private_log_sink.h"

namespace clusterd {
namespace {

// Appends the message as one quoted word, whatever is in it.
class QuotedMessage : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
    constexpr char kHexDigits[] = "0123456789abcdef";
    for (const char c : message.payload) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        out.push_back('\\');
        out.push_back(c);
      } else if (c == '\n') {
        out.push_back('\\');
        out.push_back('n');
      } else if (byte < 0x20 || byte == 0x7f) {
        for (const char escaped : {'\\', 'x', kHexDigits[byte >> 4], kHexDigits[byte & 0xf]}) {
          out.push_back(escaped);
        }
      } else {
        out.push_back(c);
      }
    }
  }

  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<QuotedMessage>(); }
};

std::unique_ptr<spdlog::formatter> line_formatter() {
  auto formatter = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
  formatter->add_flag<QuotedMessage>('*').set_pattern(
      "time=%Y-%m-%dT%H:%M:%S.%eZ level=%l pid=%P msg=\"%*\"");
  return formatter;
}

}  // namespace

Result<void> start_daemon_log(const std::string& path, StderrLog stderr_log) try {
  std::vector<spdlog::sink_ptr> sinks;
  if (!path.empty()) sinks.push_back(private_log_sink(path, kDaemonLogBytesMax, kDaemonLogFilesKept));
  if (stderr_log == StderrLog::on) sinks.push_back(std::make_shared<spdlog::sinks::stderr_sink_st>());

  auto logger = std::make_shared<spdlog::logger>("clusterd", sinks.begin(), sinks.end());
  logger->set_formatter(line_formatter());
  logger->set_level(spdlog::level::info);
  // The last events before a SIGKILL are the ones somebody will look for; events are rare enough.
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
  return {};
} catch (const spdlog::spdlog_ex& error) {
  return fail(ErrorCode::failed, "cannot open the daemon's log " + path + ": " + error.what());
}

}  // namespace clusterd
