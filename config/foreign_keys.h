// Keys of PM2's app files that clusterd does not have: read with a warning, so that files can be brought
// over.
//
// Pure; used by config/app_file, and by the tests that hold the schema and the documents against it.
#pragma once

#include <span>
#include <string_view>

namespace clusterd {

struct ForeignKey {
  std::string_view name;
  std::string_view why;  // the warning: what is ignored and for which reason
};

std::span<const ForeignKey> foreign_keys();

// By name or the camelCase form of it; null: no such key.
const ForeignKey* find_foreign_key(std::string_view key);

}  // namespace clusterd
