// ProbeRun: one probe under way: an HTTP request, a connection, or a command.
//
// Started and owned by InstanceChecks. Answers exactly once, from the loop, within its timeout; destroying it
// before drops the answer and ends what is under way. Never blocks: addresses are numbers, sockets are
// asynchronous, the command is a process of its own that the reaper of the daemon waits for.
#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "config/app_spec.h"
#include "daemon/system/launch_plan.h"

namespace clusterd {

inline constexpr std::size_t kProbeAnswerBytesMax = 4096;  // of the answer's head; more is not read
inline constexpr std::size_t kProbeTriesMax = 16;          // connections of one probe that others may take

struct ProbeAnswer {
  bool passed = false;
  bool unreached = false;  // not passed, because only other instances took its connections
  std::string note;        // what it met, if it did not pass: "answered 503", "connection refused"
};
using ProbeDone = std::function<void(ProbeAnswer)>;

// Commands under way; the reaper calls and forgets an entry when that process has ended.
using ProbeChildren = std::unordered_map<pid_t, std::function<void(int wait_status)>>;

class ProbeRun {
 public:
  virtual ~ProbeRun() = default;
};

// Connects; with a path, asks for it and takes 200 to 399 for passed. With is_ours, which is told the inode
// of the accepted socket, a connection that somebody else has accepted is set aside and another one is tried.
// direct is told the port a connection will come from before it is made, and once more when it is: where
// connections are steered, it goes to the right instance at once.
struct SocketProbe {
  ListenAddress address;
  std::string host;
  std::string path;  // empty: tcp
  std::function<bool(ino_t)> is_ours{};
  std::function<void(std::uint16_t port, bool on)> direct{};
};
std::unique_ptr<ProbeRun> start_socket_probe(boost::asio::io_context& io, const SocketProbe& probe,
                                             Milliseconds timeout, ProbeDone done);

// One that cannot even be started; answers as any other does.
std::unique_ptr<ProbeRun> refuse_probe(boost::asio::io_context& io, const std::string& why, ProbeDone done);

// Exit status 0 is passed. Killed with its group when its time is up.
std::unique_ptr<ProbeRun> start_exec_probe(boost::asio::io_context& io, const std::string& launcher_path,
                                           const LaunchPlan& plan, ProbeChildren& children,
                                           Milliseconds timeout, ProbeDone done);

}  // namespace clusterd
