// DaemonContext: the parts of the running daemon that operations work with.
//
// Made by Daemon, outlives every operation; a bundle of references that owns nothing.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>

#include "common/home_paths.h"
#include "daemon/event_feed.h"
#include "daemon/dependency_gate.h"
#include "daemon/process_host.h"
#include "daemon/rollouts.h"
#include "daemon/supervisor.h"
#include "daemon/system/usable_cpus.h"
#include "daemon/views.h"
#include "daemon/waiters.h"

namespace clusterd {

struct DaemonContext {
  boost::asio::io_context& io;
  HomePaths home;
  Supervisor& supervisor;
  ProcessHost& host;
  Waiters& waiters;
  Rollouts& rollouts;
  DependencyGate& gate;
  Views& views;
  EventFeed& events;
  std::function<void()> end;  // leave the event loop; the last thing of `kill`
};

}  // namespace clusterd
