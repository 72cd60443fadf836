// Lines as real Node 20 workers write them, and lines nobody should write.
#include "daemon/core/node_protocol.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/fuzz/node_protocol_target.h"
#include "tests/unit/corpus.h"

namespace clusterd {
namespace {

using nlohmann::json;
using Kind = NodeMessage::Kind;
using Family = NodeQuery::Family;

Kind kind_of(std::string_view line) { return parse_node_message(line).kind; }

NodeQuery query_of(json fields) {
  fields["cmd"] = "NODE_CLUSTER";
  fields["act"] = "queryServer";
  const NodeMessage message = parse_node_message(fields.dump());
  CHECK(message.kind == Kind::query_server);
  return message.query;
}

constexpr auto kPlainListen =
    R"({"cmd":"NODE_CLUSTER","act":"queryServer","index":0,"data":null,"address":null,"port":3000,)"
    R"("addressType":4,"backlog":0,"seq":1})";

TEST_CASE("what a worker says has its kind") {
  CHECK(kind_of("\"ready\"") == Kind::ready);
  CHECK(kind_of("\"shutdown\"") == Kind::user);
  CHECK(kind_of(R"({"type":"process:msg","data":{}})") == Kind::user);
  CHECK(kind_of(R"({"cmd":"NODE_CLUSTER","act":"online","seq":0})") == Kind::online);
  CHECK(kind_of(R"({"cmd":"NODE_HANDLE","type":"net.Socket","msg":"x"})") == Kind::handle);
  CHECK(kind_of(R"({"cmd":"NODE_HANDLE_ACK"})") == Kind::handle_ack);
  CHECK(kind_of(R"({"cmd":"NODE_HANDLE_NACK"})") == Kind::handle_nack);
  CHECK(kind_of(R"({"cmd":"NODE_DEBUG_ENABLED"})") == Kind::internal);
  CHECK(kind_of(R"({"cmd":"NODE_CLUSTER","act":"newfangled"})") == Kind::internal);
  const NodeMessage leaving =
      parse_node_message(R"({"cmd":"NODE_CLUSTER","act":"exitedAfterDisconnect","seq":12})");
  CHECK(leaving.kind == Kind::exited_after_disconnect);
  CHECK(leaving.seq == 12);
}

TEST_CASE("nonsense is a message, too") {
  for (const char* line : {"", "{", "nonsense", "\xff\xfe", "{\"cmd\":\"NODE_CLUSTER\""})
    CHECK(kind_of(line) == Kind::nonsense);
  for (const char* line :
       {"0", "null", "[]", "{}", R"({"cmd":7})", R"({"cmd":["NODE_CLUSTER"]})", R"("ready ")"})
    CHECK(kind_of(line) == Kind::user);
  CHECK(kind_of(std::string(1000, '[') + std::string(1000, ']')) == Kind::nonsense);
  const NodeMessage odd = parse_node_message(
      R"({"cmd":"NODE_CLUSTER","act":"queryServer","seq":"a","index":{},"port":[],"address":5,"fd":1.5})");
  CHECK(odd.kind == Kind::query_server);
  CHECK(odd.query.family == Family::unknown);
  CHECK(parse_node_message(R"({"cmd":"NODE_CLUSTER","act":"close","key":[1]})").key.empty());
}

TEST_CASE("a request to listen") {
  const NodeQuery plain = parse_node_message(kPlainListen).query;
  CHECK(plain.family == Family::tcp4);
  CHECK_FALSE(plain.address);
  CHECK(plain.port == 3000);
  CHECK(plain.seq == 1);
  CHECK(plain.fd == -1);

  const NodeQuery ipv6 =
      query_of({{"address", "::"}, {"port", 80}, {"addressType", 6}, {"flags", 1}, {"seq", 2}, {"index", 1}});
  CHECK(ipv6.family == Family::tcp6);
  CHECK(ipv6.address == "::");
  CHECK(ipv6.ipv6_only);

  const NodeQuery path =
      query_of({{"address", "/run/a.sock"}, {"port", -1}, {"addressType", -1}, {"writableAll", true}});
  CHECK(path.family == Family::unix_path);
  CHECK(path.writable_by_all);
  CHECK_FALSE(path.readable_by_all);
  CHECK(path.address == "/run/a.sock");

  const NodeQuery udp = query_of(
      {{"address", "0.0.0.0"}, {"port", nullptr}, {"addressType", "udp4"}, {"fd", -1}, {"flags", 4}});
  CHECK(udp.family == Family::unknown);  // no port at all
  const NodeQuery bound =
      query_of({{"address", "0.0.0.0"}, {"port", 53}, {"addressType", "udp4"}, {"fd", -1}, {"flags", 4}});
  CHECK(bound.family == Family::udp4);
  CHECK(bound.reuse_address);

  const NodeQuery inherited =
      query_of({{"address", nullptr}, {"port", nullptr}, {"addressType", nullptr}, {"fd", 3}});
  CHECK(inherited.family == Family::descriptor);
  CHECK(inherited.fd == 3);
}

TEST_CASE("ports and types that do not exist are of unknown family") {
  for (const int port : {-1, 65'536, 1'000'000'000})
    CHECK(query_of({{"port", port}, {"addressType", 4}}).family == Family::unknown);
  CHECK(query_of({{"port", 0}, {"addressType", 5}}).family == Family::unknown);
  CHECK(query_of({{"port", -1}, {"addressType", -1}}).family == Family::unknown);
  CHECK(query_of({{"port", 65'535}, {"addressType", 4}}).family == Family::tcp4);
}

TEST_CASE("keys differ where sockets do, and listening finds its request by the port it became") {
  const json any{{"address", nullptr}, {"port", 0}, {"addressType", 4}, {"index", 0}};
  json second = any;
  second["index"] = 1;
  json udp = any;
  udp["addressType"] = "udp4";
  CHECK(query_of(any).key == query_of(any).key);
  CHECK(query_of(any).key != query_of(second).key);
  CHECK(query_of(any).key != query_of(udp).key);

  json later = any;
  later["port"] = 45'678;
  CHECK(query_of(any).is_same_server(query_of(later)));
  CHECK_FALSE(query_of(later).is_same_server(query_of(any)));
  CHECK_FALSE(query_of(second).is_same_server(query_of(later)));
}

TEST_CASE("answers are what Node reads") {
  const NodeQuery query = parse_node_message(kPlainListen).query;
  const json answer = json::parse(node_query_answer(query, 0, R"({"ticketKeys":"00"})"));
  CHECK(answer["cmd"] == "NODE_HANDLE");
  CHECK(answer["type"] == "net.Native");
  CHECK(answer["msg"]["cmd"] == "NODE_CLUSTER");
  CHECK(answer["msg"]["ack"] == 1);
  CHECK(answer["msg"]["errno"] == 0);
  CHECK(answer["msg"]["key"] == query.key);
  CHECK(answer["msg"]["data"]["ticketKeys"] == "00");

  const json refusal = json::parse(node_query_answer(query, 98, "null"));
  CHECK(refusal["cmd"] == "NODE_CLUSTER");
  CHECK(refusal["errno"] == -98);
  CHECK(refusal["data"].is_null());

  const NodeQuery udp = query_of({{"address", "::"}, {"port", 53}, {"addressType", "udp6"}, {"fd", -1}});
  CHECK(json::parse(node_query_answer(udp, 0, "null"))["type"] == "dgram.Native");
  CHECK(json::parse(node_ack(7)) == json({{"cmd", "NODE_CLUSTER"}, {"ack", 7}}));
  CHECK(json::parse(node_disconnect_request())["act"] == "disconnect");
  CHECK(json::parse(node_handle_ack())["cmd"] == "NODE_HANDLE_ACK");
  for (const std::string& line : {node_ack(1), node_handle_ack(), node_disconnect_request()})
    CHECK(line.find('\n') == line.size() - 1);
}

TEST_CASE("the fuzzing corpus of Node's messages holds") {
  const auto corpus = read_corpus("node_protocol");
  REQUIRE(corpus.size() >= 7);
  for (const auto& [name, bytes] : corpus) {
    INFO(name);
    CHECK(fuzz_node_protocol(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()) == 0);
  }
}

}  // namespace
}  // namespace clusterd
