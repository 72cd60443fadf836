// Dump: the saved list of apps, as text. Pure; reading and writing the file is the operations' business.
//
// Versioned; an older daemon refuses a newer dump instead of guessing. Holds environments, so the file is
// 0600.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"
#include "daemon/app.h"

namespace clusterd {

inline constexpr int kDumpVersion = 1;
inline constexpr std::size_t kDumpBytesMax = 256 * 1024 * 1024;

struct SavedApp {
  AppSpec spec;
  std::vector<Goal> slots;  // what was wanted of each: a stopped instance stays stopped
};

SavedApp saved_app(const App& app);
std::string write_dump(const std::vector<SavedApp>& apps);
// One entry that cannot be understood is a fault of its own; the others come up. `config`: broken as a whole;
// `protocol`: whole, but of another version.
Result<std::vector<SavedApp>> read_dump(std::string_view text, std::vector<Error>& faults);

}  // namespace clusterd
