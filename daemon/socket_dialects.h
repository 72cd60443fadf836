// Socket dialects: the environment variables by which programs learn of the sockets they inherit.
//
// Pure; called by daemon/launch_environment for apps with `listen`. systemd's own LISTEN_* are not made here:
// LISTEN_PID is known to clusterd-exec only. Descriptors count from 3. A variable that the app sets itself is
// left alone. Formats, as their readers take them:
//   nginx            NGINX="3;4;"                                 matched to `listen` lines by address
//   php-fpm          FPM_SOCKETS="127.0.0.1:9000=3,/run/x=4"      the same; unmatched Unix sockets are
//   unlinked unicorn          UNICORN_FD="3,4" puma             PUMA_INHERIT_0="3:tcp://0.0.0.0:9292" matched
//   by the text of `bind` einhorn          EINHORN_FD_COUNT, EINHORN_FD_n, EINHORN_FD_FAMILY_n, EINHORN_FDS,
//   EINHORN_CHILD_INDEX,
//                    EINHORN_MASTER_PID                           has to be the worker's getppid()
//   server-starter   SERVER_STARTER_PORT="127.0.0.1:80=3;8080=4;/run/x=5", SERVER_STARTER_GENERATION
//   gunicorn         GUNICORN_FD="3,4", GUNICORN_PID              its parent: it takes itself for an upgrade
//   uwsgi            UPSTART_EVENTS="socket", UPSTART_FDS="3"     one socket, the first
//   overseer         OVERSEER_IS_SLAVE, OVERSEER_NUM_FDS, OVERSEER_SLAVE_ID
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "config/app_spec.h"

namespace clusterd {

struct DialectFacts {
  std::vector<ListenAddress> sockets;  // where each is really bound, in the order of their descriptors
  std::uint64_t generation = 0;
  int slot = 0;
  pid_t parent = 0;  // what getppid() of the program answers
};

void add_socket_dialects(Environment& environment, const AppSpec& spec, const DialectFacts& facts);

// The app says so itself: in `env` or in its chosen profile.
bool sets_variable(const AppSpec& spec, const std::string& name);

}  // namespace clusterd
