// Instance views as the daemon sends them, for the tests of the views.
//
// For the tests of this folder alone.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

inline nlohmann::json instance_view(int id, const std::string& name, const std::string& status = "online") {
  return {{"id", id},
          {"name", name},
          {"namespace", "default"},
          {"slot", 0},
          {"generation", 1},
          {"mode", "cluster"},
          {"status", status},
          {"pid", status == "online" ? nlohmann::json(4712) : nlohmann::json(nullptr)},
          {"started_at_ms", 1790000000000},
          {"uptime_ms", 185'000},
          {"created_at_ms", 1780000000000},
          {"restarts", 3},
          {"unstable_restarts", 1},
          {"max_restarts", nullptr},
          {"cpu", 0.4},
          {"memory", 52428800},
          {"connections", nullptr},
          {"user", "alice"},
          {"watching", false},
          {"instances", 1},
          {"exit", nullptr},
          {"reason", ""},
          {"next_start_ms", nullptr},
          {"script", "/srv/web/server"},
          {"args", {"--port", "3000"}},
          {"cwd", "/srv/web"},
          {"interpreter", ""},
          {"exec_path", "/srv/web/server"},
          {"version", "1.2.3"},
          {"cron_restart", "0 4 * * *"},
          {"max_memory_restart", 104857600},
          {"out_file", "/l/web-out.log"},
          {"error_file", "/l/web-error.log"},
          {"pid_file", "/p/web.pid"}};
}
