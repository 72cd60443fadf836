// Fuzz target: any bytes as an app file in JSON and in JSON5, as an env file, and as a resolved app of the
// control protocol.
//
// Called by libFuzzer (app_file_fuzz.cpp) and by the unit tests, which replay the committed corpus. Aborts if
// something that was accepted does not survive the way to the daemon.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "common/json_text.h"
#include "config/app_file.h"
#include "config/env_file.h"
#include "config/spec_json.h"

namespace clusterd {

inline void require_round_trip(const AppSpec& spec) {
  const auto travelled = parse_line(to_line(to_json(spec)));
  if (!travelled) std::abort();
  const auto arrived = parse_resolved_app(*travelled);
  if (!arrived || *arrived != spec) std::abort();
}

inline int fuzz_app_file(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  AppFileContext context;
  context.file_name = "fuzz.json";
  context.base_dir = "/srv/fuzz";
  context.user_home = "/home/fuzz";
  context.env_profile = "production";
  context.inherited_env = {{"PATH", "/bin"}, {"BYTES", "\xff\x01"}};
  context.look_at_file = [](const std::string& path) -> std::optional<ScriptFacts> {
    if (path.size() % 2 == 0) return std::nullopt;
    return ScriptFacts{path.size() % 3 == 0, path.size() % 5 == 0 ? "#!/usr/bin/env node\n"
                                                                  : "\x7f"
                                                                    "ELF"};
  };
  context.read_env_file = [text](const std::string&) { return Result<std::string>(text); };
  for (const bool is_json5 : {false, true}) {
    context.is_json5 = is_json5;
    const AppFileResult result = parse_app_file(text, context);
    if (!result.errors.empty()) continue;
    for (const AppSpec& spec : result.apps) require_round_trip(spec);
  }
  (void)parse_env_file(text, "fuzz.env");
  if (const auto value = parse_line(text)) {
    if (const auto spec = parse_resolved_app(*value)) require_round_trip(*spec);
  }
  return 0;
}

}  // namespace clusterd
