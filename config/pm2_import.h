// PM2 import: the records of PM2's list (`pm2 jlist`, or its dump.pm2) -> app objects of an ecosystem file.
//
// Pure; used by `clusterd import pm2`. The records of one name become one app. What PM2 adds to an
// environment and what any shell has is left out; every value is checked by the table that reads app files,
// so that what comes out can be read again. What cannot be carried over is a sentence that names app and key,
// never a value of the environment. Record shapes: PM2 7.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/app_spec.h"

namespace clusterd {

inline constexpr std::size_t kPm2RecordsMax = 10'000;

struct Pm2Surroundings {
  std::string home;         // PM2_HOME, absolute: log and pid files below it are PM2's own choice
  std::string user;         // PM2's, as the value of `uid` for apps without one; empty: it is the caller's
  Environment environment;  // of the caller: PATH, LANG and their kin are left out where they are the same
};

struct Pm2Import {
  std::vector<nlohmann::json> apps;  // objects of the keys of docs/config.md, in the order of the list
  std::vector<std::vector<int>>
      ids;  // PM2's, of the processes of each of these apps; unknown ones are left out
  std::vector<std::string> notices;
};

// An array of records; an error of code config if it is something else.
Result<Pm2Import> import_pm2(const nlohmann::json& records, const Pm2Surroundings& surroundings);

// {"apps": [...]}, indented.
std::string ecosystem_text(const Pm2Import& import);

}  // namespace clusterd
