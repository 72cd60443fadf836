#include "cli/first_app_file.h"

namespace clusterd::cli {

std::string_view first_app_file() {
  return R"({
  // clusterd start      starts what stands here, and later applies what has changed
  // clusterd diff       shows what that would be
  "apps": [
    {
      "name": "web",
      // A program, a script, or a shell line such as "npm run start". Relative to cwd.
      "script": "./server",
      // "args": ["--verbose"],
      // "cwd": "app",                      // relative to this file; default: its folder

      // All instances share the port they bind. "max": one for each CPU.
      "instances": 2,

      "env": {"PORT": 3000, "LOG_LEVEL": "info"},
      // Used in addition with: clusterd start ecosystem.json --env staging
      "env_staging": {"LOG_LEVEL": "debug"},
      // "env_file": ".env",                // weaker than env

      // What shows that a new instance is ready, and that it still works.
      // "ready": "http://127.0.0.1:3000/",
      // "health": "http://127.0.0.1:3000/",

      // "kill_timeout": "5s",              // from the stop signal to SIGKILL
      // "max_restarts": 16,                // default: it never gives up
      // "out_file": "logs/web.log",
      // "uid": "www-data",                 // needs a daemon of root
    },
  ],
}
)";
}

std::string_view simple_app_file() {
  return R"({
  "apps": [
    {"name": "web", "script": "./server"}
  ]
}
)";
}

}  // namespace clusterd::cli
