#include "daemon/core/node_protocol.h"

#include <climits>
#include <nlohmann/json.hpp>

#include "common/json_text.h"

namespace clusterd {
namespace {

using nlohmann::json;
using Family = NodeQuery::Family;
using Kind = NodeMessage::Kind;

constexpr int kUvIpv6Only = 1;      // UV_TCP_IPV6ONLY and UV_UDP_IPV6ONLY
constexpr int kUvReuseAddress = 4;  // UV_UDP_REUSEADDR
constexpr std::int64_t kPortMax = 65'535;

std::optional<std::int64_t> integer(const json& message, const char* name) {
  const auto found = message.find(name);
  if (found == message.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<std::int64_t>();
}

std::optional<std::string> text(const json& message, const char* name) {
  const auto found = message.find(name);
  if (found == message.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

bool is_true(const json& message, const char* name) {
  const auto found = message.find(name);
  return found != message.end() && *found == true;
}

// A number for TCP and paths, a word for UDP, null for a descriptor.
Family family_of(const json& message, std::int64_t port, int fd) {
  const auto word = text(message, "addressType");
  if (word == "udp4") return Family::udp4;
  if (word == "udp6") return Family::udp6;
  if (fd >= 0) return Family::descriptor;
  const auto number = integer(message, "addressType");
  if (number == -1 && port < 0) return Family::unix_path;
  if (number == 4) return Family::tcp4;
  if (number == 6) return Family::tcp6;
  return Family::unknown;
}

NodeQuery read_query(const json& message, std::int64_t seq) {
  NodeQuery query;
  query.seq = seq;
  query.address = text(message, "address");
  query.index = integer(message, "index").value_or(0);
  const std::int64_t fd = integer(message, "fd").value_or(-1);
  query.fd = fd >= 0 && fd <= INT_MAX ? static_cast<int>(fd) : -1;
  const std::int64_t port = integer(message, "port").value_or(query.fd >= 0 ? 0 : -1);
  query.family = family_of(message, port, query.fd);
  const std::int64_t flags = integer(message, "flags").value_or(0);
  query.readable_by_all = is_true(message, "readableAll");
  query.writable_by_all = is_true(message, "writableAll");
  query.ipv6_only = (flags & kUvIpv6Only) != 0;
  query.reuse_address = query.is_udp() && (flags & kUvReuseAddress) != 0;
  const bool has_port = query.family != Family::unix_path && query.family != Family::descriptor;
  if (has_port && (port < 0 || port > kPortMax)) query.family = Family::unknown;
  if (query.family == Family::unix_path && !query.address) query.family = Family::unknown;
  if (has_port && query.family != Family::unknown) query.port = static_cast<std::uint16_t>(port);
  query.key = query.address.value_or("null") + ':' + std::to_string(port) + ':' +
              std::to_string(static_cast<int>(query.family)) + ':' + std::to_string(query.fd) + ':' +
              std::to_string(query.index);
  if (const auto data = message.find("data"); data != message.end()) query.data = to_line(*data);
  return query;
}

NodeMessage read_cluster_message(const json& message) {
  NodeMessage result;
  result.kind = Kind::internal;
  result.seq = integer(message, "seq").value_or(-1);
  const std::string act = text(message, "act").value_or("");
  if (act == "online") {
    result.kind = Kind::online;
  } else if (act == "queryServer" || act == "listening") {
    result.kind = act == "listening" ? Kind::listening : Kind::query_server;
    result.query = read_query(message, result.seq);
  } else if (act == "close") {
    result.kind = Kind::close;
    result.key = text(message, "key").value_or("");
  } else if (act == "exitedAfterDisconnect") {
    result.kind = Kind::exited_after_disconnect;
  }
  return result;
}

Kind kind_of_internal(std::string_view command) {
  if (command == "NODE_HANDLE") return Kind::handle;
  if (command == "NODE_HANDLE_ACK") return Kind::handle_ack;
  if (command == "NODE_HANDLE_NACK") return Kind::handle_nack;
  return Kind::internal;
}

json cluster_message() { return {{"cmd", "NODE_CLUSTER"}}; }

}  // namespace

bool NodeQuery::is_same_server(const NodeQuery& later) const {
  return family == later.family && address == later.address && fd == later.fd && index == later.index &&
         (port == later.port || port == 0);
}

NodeMessage parse_node_message(std::string_view line) {
  NodeMessage message;
  const auto parsed = parse_line(line);
  if (!parsed) return message;
  message.kind = Kind::user;
  if (*parsed == "ready") message.kind = Kind::ready;
  if (!parsed->is_object()) return message;
  const std::string command = text(*parsed, "cmd").value_or("");
  if (!command.starts_with("NODE_")) return message;
  if (command == "NODE_CLUSTER") return read_cluster_message(*parsed);
  message.kind = kind_of_internal(command);
  return message;
}

std::string node_query_answer(const NodeQuery& query, int error, std::string_view data) {
  json answer = cluster_message();
  answer["ack"] = query.seq;
  answer["errno"] = -error;
  answer["key"] = query.key;
  answer["data"] = parse_line(data).value_or(nullptr);
  if (error != 0) return to_frame(answer);
  const char* type = query.is_udp() ? "dgram.Native" : "net.Native";
  return to_frame({{"cmd", "NODE_HANDLE"}, {"type", type}, {"msg", std::move(answer)}});
}

std::string node_ack(std::int64_t seq) {
  json answer = cluster_message();
  answer["ack"] = seq;
  return to_frame(answer);
}

std::string node_disconnect_request() {
  json request = cluster_message();
  request["act"] = "disconnect";
  return to_frame(request);
}

std::string node_handle_ack() { return to_frame({{"cmd", "NODE_HANDLE_ACK"}}); }

}  // namespace clusterd
