// PM2 list: finds the list of PM2's processes, of its running daemon or of its dump file.
//
// Used by `clusterd import pm2`. Never starts PM2's daemon: `pm2` is run only while its socket answers.
// Blocks, for a limited time.
#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/caller.h"
#include "common/result.h"

namespace clusterd::cli {

inline constexpr std::size_t kPm2ListBytesMax = 64 * 1024 * 1024;

struct Pm2List {
  nlohmann::json records;
  std::string home;     // PM2_HOME
  uid_t user = 0;       // whose list it is: of the running PM2, or of the owner of the file
  pid_t daemon = 0;     // of the running PM2; 0: the list is of a file
  std::string program;  // `pm2` as found on PATH; empty: the list is of a file
  std::string source;   // for people: "the running PM2 (pid 4711)" or the path of the file
};

// `file`: the dump to read; empty: what is there.
Result<Pm2List> read_pm2_list(const std::string& file, const Caller& caller);

}  // namespace clusterd::cli
