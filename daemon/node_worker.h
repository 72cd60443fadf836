// NodeWorker: the daemon as parent, and where that was asked for as cluster primary, of one Node process.
//
// Owned by HostedProcess for one life. Gives the process its message channel, answers what Node's cluster
// asks (sockets, above all), and reports binding, listening and notified_ready through `post`. It decides
// nothing about lifecycles. The channel stays open until the process is gone: a worker that loses it exits at
// once.
#pragma once

#include <boost/asio/io_context.hpp>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "config/node_role.h"
#include "daemon/core/node_protocol.h"
#include "daemon/fd_watcher.h"
#include "daemon/instance_host.h"
#include "daemon/listener_book.h"
#include "daemon/node_sockets.h"
#include "daemon/supervisor.h"
#include "daemon/system/launch_plan.h"
#include "daemon/system/node_channel.h"

namespace clusterd {

inline constexpr std::size_t kNodeServersMax = 1024;  // open at the same time in one worker

// What outlives the worker.
struct NodeSurroundings {
  boost::asio::io_context& io;
  ListenerBook& listeners;
  NodeSockets& sockets;
  std::function<void(InstanceEvent::Kind)> post;
};

class NodeWorker {
 public:
  // For a program whose role is child or worker. Adds channel and variables to the plan, of which the channel
  // is borrowed until launched().
  static Result<std::unique_ptr<NodeWorker>> create(NodeSurroundings around, const LaunchOrder& order,
                                                    LaunchPlan& plan);
  ~NodeWorker();
  NodeWorker(const NodeWorker&) = delete;
  NodeWorker& operator=(const NodeWorker&) = delete;

  void launched(pid_t pid);

  // False: the program has left the channel, or does not read it.
  bool send(const nlohmann::json& message);
  bool ask_to_shut_down();   // process.on('message', m => m === 'shutdown')
  bool ask_to_disconnect();  // cluster workers: close the servers, finish, leave
  bool connected() const { return static_cast<bool>(watcher_); }

  // The stop signal or its message is out. Node keeps a worker alive as long as its channel is open, so that
  // one which has closed all its servers is let go.
  void stopping();

 private:
  // A server of the worker that listens or is about to.
  struct Server {
    NodeQuery query;
    std::optional<ListenAddress> address;  // of the ListenerBook
  };

  NodeWorker(NodeSurroundings around, const LaunchOrder& order, NodeChannel channel);
  void fill(LaunchPlan& plan);
  void read();
  void handle(const NodeMessage& message);
  void answer(const NodeQuery& query);
  std::expected<UniqueFd, int> find_socket(const NodeQuery& query, Server& server);
  std::expected<UniqueFd, int> own_descriptor(int fd) const;
  Result<int> hand_out(const NodeQuery& query, const ListenAddress& address, Server& server);
  bool may_have_port(std::uint16_t port) const;
  bool has_other_server(const ListenAddress& address) const;
  void started_listening(const NodeQuery& query);
  bool add(std::string line, UniqueFd socket = {});
  void flush();
  void let_go_if_idle();
  std::string label() const { return order_.app.name + "." + std::to_string(order_.slot); }

  NodeSurroundings around_;
  LaunchOrder order_;
  NodeRole role_;
  std::optional<Identity> identity_;
  pid_t pid_ = 0;
  NodeChannel channel_;
  FdWatcher watcher_;
  std::map<std::string, Server> servers_;  // by key
  bool stopping_ = false;
  bool leaving_ = false;  // it will close the channel by itself
  bool too_long_said_ = false;
  bool full_said_ = false;
};

}  // namespace clusterd
