#include "daemon/node_worker.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "common/json_text.h"
#include "daemon/listen_errno.h"
#include "daemon/node_socket_choice.h"
#include "daemon/system/caller_socket.h"
#include "daemon/system/listening_socket.h"

namespace clusterd {
namespace {

using Kind = NodeMessage::Kind;

constexpr const char* kChannelVariable = "NODE_CHANNEL_FD";
constexpr const char* kSerialization = "NODE_CHANNEL_SERIALIZATION_MODE";
constexpr const char* kWorkerId = "NODE_UNIQUE_ID";

void set_variable(LaunchPlan& plan, const std::string& name, const std::string& value) {
  std::erase_if(plan.environment, [&](const std::string& entry) { return entry.starts_with(name + "="); });
  if (!value.empty()) plan.environment.push_back(name + "=" + value);
}

// A datagram socket on any port is a client's, of a name server or of statistics.
bool makes_a_server(const NodeQuery& query) { return !query.is_udp() || query.port != 0; }

}  // namespace

Result<std::unique_ptr<NodeWorker>> NodeWorker::create(NodeSurroundings around, const LaunchOrder& order,
                                                       LaunchPlan& plan) {
  auto channel = NodeChannel::open();
  if (!channel) return fail(channel.error());
  std::unique_ptr<NodeWorker> worker(new NodeWorker(std::move(around), order, std::move(*channel)));
  worker->fill(plan);
  return worker;
}

NodeWorker::NodeWorker(NodeSurroundings around, const LaunchOrder& order, NodeChannel channel)
    : around_(std::move(around)),
      order_(order),
      role_(node_role_of(*order.spec)),
      channel_(std::move(channel)) {}

NodeWorker::~NodeWorker() {
  watcher_.stop();
  around_.sockets.forget_user(order_.app, order_.key);
}

// The id is that of the slot, so that "only the first worker" stays one worker over restarts and reloads.
void NodeWorker::fill(LaunchPlan& plan) {
  identity_ = plan.identity;
  plan.passed.push_back({channel_.child_end(), kChannelVariable});
  set_variable(plan, kSerialization, "json");
  set_variable(plan, kWorkerId, role_ == NodeRole::worker ? std::to_string(order_.slot + 1) : "");
}

void NodeWorker::launched(pid_t pid) {
  pid_ = pid;
  channel_.close_child_end();
  watcher_ = FdWatcher(around_.io, channel_.fd(), [this] { read(); });
}

void NodeWorker::read() {
  const NodeChannel::Received received = channel_.receive();
  if (received.too_long && !std::exchange(too_long_said_, true)) {
    spdlog::warn("{}: a message of more than {} bytes was skipped", label(), kNodeLineBytesMax);
  }
  for (const std::string& line : received.lines) handle(parse_node_message(line));
  if (received.ended) {
    watcher_.stop();
  } else {
    flush();
  }
}

void NodeWorker::handle(const NodeMessage& message) {
  switch (message.kind) {
    case Kind::ready:
      return around_.post(InstanceEvent::Kind::notified_ready);
    case Kind::query_server:
      return answer(message.query);
    case Kind::listening:
      return started_listening(message.query);
    case Kind::close:
      servers_.erase(message.key);
      return let_go_if_idle();
    case Kind::exited_after_disconnect:
      leaving_ = true;
      add(node_ack(message.seq));
      return;
    case Kind::handle:
      // What it passed along has no taker here; unacknowledged, it would not say another word.
      channel_.outbox().add_urgent(node_handle_ack());
      return;
    case Kind::handle_ack:
      return channel_.outbox().acknowledged();
    case Kind::handle_nack:
      channel_.outbox().lost();
      if (channel_.outbox().gave_up_on_socket()) {
        spdlog::warn("{}: a socket did not reach the program (is it out of descriptors?)", label());
      }
      return;
    case Kind::online:
    case Kind::user:
    case Kind::internal:
    case Kind::nonsense:
      return;
  }
}

void NodeWorker::answer(const NodeQuery& query) {
  if (role_ != NodeRole::worker || leaving_) return;
  if (makes_a_server(query)) around_.post(InstanceEvent::Kind::binding);
  Server server{query, std::nullopt};
  auto socket = find_socket(query, server);
  const std::string data = around_.sockets.shared_data(order_.app, query.key, query.data);
  if (!socket) {
    add(node_query_answer(query, socket.error(), data));
    return;
  }
  servers_.insert_or_assign(query.key, std::move(server));
  add(node_query_answer(query, 0, data), std::move(*socket));
}

std::expected<UniqueFd, int> NodeWorker::own_descriptor(int fd) const {
  auto socket = CallerSocket::open(pid_, fd);
  if (!socket) return std::unexpected(EBADF);
  return std::move(socket->duplicate);
}

std::expected<UniqueFd, int> NodeWorker::find_socket(const NodeQuery& query, Server& server) {
  if (servers_.size() >= kNodeServersMax) return std::unexpected(EMFILE);
  if (query.fd >= 0) return own_descriptor(query.fd);
  const std::vector<ListenAddress> candidates = node_addresses(query);
  Error error{ErrorCode::usage, "no address that could be listened on"};
  for (const ListenAddress& address : candidates) {
    const auto fd = hand_out(query, address, server);
    if (!fd) {
      error = fd.error();
      continue;
    }
    UniqueFd copy = duplicate_for_event_loop(*fd);
    if (!copy) return std::unexpected(EMFILE);
    return copy;
  }
  spdlog::warn("{}: listen refused: {}", label(), error.message);
  return std::unexpected(listen_errno(error));
}

Result<int> NodeWorker::hand_out(const NodeQuery& query, const ListenAddress& address, Server& server) {
  const bool declared = std::ranges::find(order_.spec->listen, address) != order_.spec->listen.end();
  if (!declared && !may_have_port(address.port)) {
    return fail(ErrorCode::denied, to_string(address) + ": this port needs CAP_NET_BIND_SERVICE or `listen`");
  }
  if (!declared && !is_in_listener_book(query)) {
    return around_.sockets.hand_out(order_.app, order_.key, query.key,
                                    node_socket_wish(query, address, identity_));
  }
  if (has_other_server(address)) {
    return fail(ErrorCode::conflict, to_string(address) + " is already bound by this instance");
  }
  server.address = address;
  return around_.listeners.hand_out(order_.app, order_.key, order_.spec->balance, address);
}

bool NodeWorker::has_other_server(const ListenAddress& address) const {
  return std::ranges::any_of(servers_, [&](const auto& one) { return one.second.address == address; });
}

// The daemon may be privileged where the program is not: it lends nobody a port below 1024.
bool NodeWorker::may_have_port(std::uint16_t port) const {
  if (port == 0) return true;
  const auto status = read_task_status(pid_);
  return status && may_bind_port(pid_, *status, port);
}

void NodeWorker::started_listening(const NodeQuery& query) {
  const auto found =
      std::ranges::find_if(servers_, [&](const auto& one) { return one.second.query.is_same_server(query); });
  if (found == servers_.end()) return;
  if (const auto& address = found->second.address) {
    if (auto done = around_.listeners.listening(order_.app, order_.key, *address); !done) {
      spdlog::warn("{}: {}", label(), done.error().message);
      return;
    }
  }
  if (makes_a_server(found->second.query)) around_.post(InstanceEvent::Kind::listening);
}

bool NodeWorker::add(std::string line, UniqueFd socket) {
  if (!connected()) return false;
  const bool taken = channel_.outbox().add(std::move(line), std::move(socket));
  if (!taken && !std::exchange(full_said_, true)) {
    spdlog::warn("{}: the program does not read its message channel; messages to it are lost", label());
  }
  if (taken) flush();
  return taken;
}

void NodeWorker::flush() {
  if (channel_.flush() == NodeOutbox::State::blocked) watcher_.when_writable([this] { flush(); });
}

bool NodeWorker::send(const nlohmann::json& message) { return add(to_frame(message)); }

bool NodeWorker::ask_to_shut_down() { return send("shutdown"); }

bool NodeWorker::ask_to_disconnect() {
  if (role_ != NodeRole::worker) return false;
  leaving_ = add(node_disconnect_request()) || leaving_;
  return leaving_;
}

void NodeWorker::stopping() {
  stopping_ = true;
  let_go_if_idle();
}

void NodeWorker::let_go_if_idle() {
  if (stopping_ && !leaving_ && servers_.empty()) ask_to_disconnect();
}

}  // namespace clusterd
