// What a Node program is to the daemon: nothing special, a child with a message channel, or a cluster worker.
//
// Pure. Asked when a process is launched and when an app is applied.
#pragma once

#include "config/app_spec.h"

namespace clusterd {

enum class NodeRole {
  none,    // not run by Node, or by a tool on top of it (npm, tsx ...), which would not pass the channel on
  child,   // has process.send(); is a cluster primary of its own if it wants to
  worker,  // cluster.isWorker: the daemon is its primary. Where a number of instances or the mode `cluster`
           // was asked for, as in PM2; who did not ask may want to fork its workers itself
};

NodeRole node_role_of(const AppSpec& spec);

}  // namespace clusterd
