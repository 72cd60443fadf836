// A file of the daemon's own that grows by lines and rotates by size, readable for its user only.
//
// Used by the daemon's log and the record of deaths. Throws spdlog_ex if the file cannot be opened, as spdlog
// does.
#pragma once

#include <spdlog/common.h>

#include <cstddef>
#include <string>

namespace clusterd {

// `files_kept` beside the current one: name.1.ext ...
spdlog::sink_ptr private_log_sink(const std::string& path, std::size_t bytes_max, std::size_t files_kept);

}  // namespace clusterd
