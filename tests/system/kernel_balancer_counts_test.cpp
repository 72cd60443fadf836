// The in-kernel balancer: how many connections each lane has, however they begin and end.
#include <arpa/inet.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <thread>

#include "kernel_lanes.h"

namespace clusterd::test {
namespace {

using Numbers = std::vector<std::int64_t>;

std::int64_t sum_of_open(const Lanes& lanes) {
  const Numbers open = lanes.all_open();
  return std::accumulate(open.begin(), open.end(), std::int64_t{0});
}
std::int64_t sum_of_handshakes(const Lanes& lanes) {
  std::int64_t sum = 0;
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) sum += lanes.counts(lane).handshakes;
  return sum;
}
bool has_open(const Lanes& lanes, std::int64_t count) {
  return eventually([&] { return sum_of_open(lanes) == count; });
}

std::uint16_t checksum(const void* data, std::size_t size, std::uint32_t sum = 0) {
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  for (std::size_t i = 0; i + 1 < size; i += 2)
    sum += static_cast<std::uint32_t>(bytes[i] << 8 | bytes[i + 1]);
  while (sum >> 16 != 0) sum = (sum & 0xFFFF) + (sum >> 16);
  return htons(static_cast<std::uint16_t>(~sum));
}

// A SYN from 10.0.0.0/8, whose sender will never answer.
bool send_syn(int raw, std::uint32_t client, std::uint16_t port) {
  struct {
    iphdr ip;
    tcphdr tcp;
  } packet{};
  packet.ip.version = 4;
  packet.ip.ihl = 5;
  packet.ip.ttl = 64;
  packet.ip.protocol = IPPROTO_TCP;
  packet.ip.tot_len = htons(sizeof packet);
  packet.ip.saddr = htonl(0x0A000001 + client);
  packet.ip.daddr = htonl(INADDR_LOOPBACK);
  packet.tcp.source = htons(static_cast<std::uint16_t>(1'024 + client % 60'000));
  packet.tcp.dest = htons(port);
  packet.tcp.seq = htonl(client);
  packet.tcp.doff = 5;
  packet.tcp.syn = 1;
  packet.tcp.window = htons(65'000);
  const std::uint32_t from = 0x0A000001 + client;
  const std::uint32_t pseudo = (from >> 16) + (from & 0xFFFF) + (INADDR_LOOPBACK >> 16) +
                               (INADDR_LOOPBACK & 0xFFFF) + IPPROTO_TCP + sizeof packet.tcp;
  packet.tcp.check = checksum(&packet.tcp, sizeof packet.tcp, pseudo);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = packet.ip.daddr;
  return sendto(raw, &packet, sizeof packet, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to) ==
         sizeof packet;
}

bool flood(const Lanes& lanes, std::uint32_t count) {
  const UniqueFd raw(socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW));
  for (std::uint32_t client = 0; client < count; ++client) {
    if (!send_syn(raw.get(), client, lanes.address().port)) return false;
  }
  return true;
}

std::string check_flood() {
  KernelLanes lanes(Spread::least_conn, 4);
  if (!flood(lanes, 400)) return "cannot send raw SYNs";
  if (!eventually([&] { return sum_of_handshakes(lanes) == 400; })) return "handshakes are not counted";
  if (sum_of_open(lanes) != 0) return "handshakes count as open";
  const auto clients = lanes.connect_many(40);
  if (!has_open(lanes, 40)) return "real connections are miscounted";
  for (const std::int64_t open : lanes.all_open()) {
    if (open != 10) return "the flood disturbs the spread";
  }
  // One lane gets nothing more: its handshakes have to be forgotten all the same.
  lanes.choose({1, 2, 3});
  if (!eventually([&] { return lanes.counts(0).handshakes == 0; })) return "handshakes of a left lane stay";
  if (!eventually([&] { return sum_of_handshakes(lanes) == 0; })) return "handshakes stay";
  return sum_of_open(lanes) == 40 ? "" : "the end of the flood changes what is open";
}

std::string check_syn_cookies(Spread spread) {
  if (!set_sysctl("net/ipv4/tcp_syncookies", "2")) return "no sysctl";
  KernelLanes lanes(spread, 4);
  auto clients = lanes.connect_many(200);
  if (!has_open(lanes, 200)) return "open: " + std::to_string(sum_of_open(lanes));
  for (const std::int64_t open : lanes.all_open()) {
    if (open < 20) return "a lane gets next to nothing";
  }
  for (UniqueFd& client : clients) reset_connection(client);
  if (!has_open(lanes, 0)) return "open after the end: " + std::to_string(sum_of_open(lanes));
  if (spread != Spread::least_conn) return "";  // the same for all, and it takes seconds
  return eventually([&] { return sum_of_handshakes(lanes) == 0; }) ? "" : "handshakes stay";
}

std::string check_fast_open() {
  // Client and server, without cookies and without being asked by socket option: ip-sysctl.rst, tcp_fastopen.
  if (!set_sysctl("net/ipv4/tcp_fastopen", "1543")) return "no sysctl";
  KernelLanes lanes(Spread::least_conn, 2);
  const auto where = to_socket_address(lanes.address());
  std::vector<UniqueFd> clients;
  for (int i = 0; i < 20; ++i) {
    clients.emplace_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (sendto(clients.back().get(), "hello", 5, MSG_FASTOPEN, where->get(), where->length) != 5)
      return "no fast open";
  }
  if (!eventually([&] { return lanes.all_open() == Numbers{10, 10}; })) return "fast open is miscounted";
  if (sum_of_handshakes(lanes) != 0) return "its handshakes stay";
  tcp_info info{};
  socklen_t length = sizeof info;
  getsockopt(lanes.accept(0).get(), IPPROTO_TCP, TCP_INFO, &info, &length);
  if ((info.tcpi_options & TCPI_OPT_SYN_DATA) == 0) return "there was no fast open";
  for (UniqueFd& client : clients) reset_connection(client);
  return has_open(lanes, 0) ? "" : "fast open stays open";
}

long connections_of_long_run() {
  const char* asked = std::getenv("CLUSTERD_TEST_CONNECTIONS");
  return asked == nullptr ? 200'000 : std::atol(asked);
}

}  // namespace

TEST_CASE("a connection counts until the server has closed it, however it ends") {
  if (!can_balance()) return;
  KernelLanes lanes(Spread::least_conn, 1);
  UniqueFd client = lanes.connect();
  REQUIRE(has_open(lanes, 1));

  SECTION("the client closes first: it counts until the server has, too") {
    UniqueFd server = lanes.accept(0);
    client.reset();
    pollfd ended{server.get(), POLLRDHUP, 0};
    REQUIRE(poll(&ended, 1, 5'000) == 1);
    CHECK(lanes.counts(0).open == 1);
    server.reset();
    CHECK(has_open(lanes, 0));
  }
  SECTION("the server closes first, whatever the client does with it") {
    lanes.accept(0).reset();
    CHECK(has_open(lanes, 0));
    client.reset();
    CHECK(has_open(lanes, 0));
  }
  SECTION("the client resets it") {
    const UniqueFd server = lanes.accept(0);
    reset_connection(client);
    CHECK(has_open(lanes, 0));
  }
  SECTION("the client resets it before it was accepted") {
    reset_connection(client);
    CHECK(has_open(lanes, 0));
    lanes.accept(0);
    CHECK(has_open(lanes, 0));
  }
  SECTION("the server resets it") {
    UniqueFd server = lanes.accept(0);
    reset_connection(server);
    CHECK(has_open(lanes, 0));
  }
  SECTION("the server has nothing more to say") {
    const UniqueFd server = lanes.accept(0);
    REQUIRE(shutdown(server.get(), SHUT_WR) == 0);
    CHECK(has_open(lanes, 0));
  }
  SECTION("the client has nothing more to say: the answer is still to come") {
    UniqueFd server = lanes.accept(0);
    REQUIRE(shutdown(client.get(), SHUT_WR) == 0);
    pollfd ended{server.get(), POLLRDHUP, 0};
    REQUIRE(poll(&ended, 1, 5'000) == 1);
    CHECK(lanes.counts(0).open == 1);
    server.reset();
    CHECK(has_open(lanes, 0));
  }
  CHECK(lanes.counts(0).total == 1);
  CHECK(lanes.counts(0).handshakes == 0);
}

TEST_CASE("handshakes that never end do not count as open and are forgotten") {
  if (!can_balance()) return;
  CHECK(in_private_network(check_flood) == "");
}

TEST_CASE("connections by SYN cookie are counted and spread") {
  if (!can_balance()) return;
  CHECK(in_private_network([] { return check_syn_cookies(Spread::least_conn); }) == "");
  CHECK(in_private_network([] { return check_syn_cookies(Spread::round_robin); }) == "");
}

TEST_CASE("connections by TCP Fast Open are counted") {
  if (!can_balance()) return;
  CHECK(in_private_network(check_fast_open) == "");
}

// CLUSTERD_TEST_CONNECTIONS=1000000 for the whole of it.
TEST_CASE("very many short connections leave exact counts") {
  if (!can_balance()) return;
  KernelLanes lanes(Spread::least_conn, 2);
  const long count = connections_of_long_run() / 2;
  {
    std::vector<std::jthread> servers;
    for (std::size_t lane = 0; lane < 2; ++lane) {
      servers.emplace_back([fd = lanes.fd(lane)] {
        for (int one = 0; one >= 0; close(one)) {
          one = accept4(fd, nullptr, nullptr, SOCK_CLOEXEC);
          if (one < 0) return;
        }
      });
    }
    std::array<long, 2> made{};
    {
      std::vector<std::jthread> clients;
      for (long& mine : made) {
        clients.emplace_back([&] {
          for (long i = 0; i < count; ++i) {
            UniqueFd client = lanes.connect();
            mine += client ? 1 : 0;
            reset_connection(client);
          }
        });
      }
    }
    CHECK(made[0] + made[1] == 2 * count);
    CHECK(has_open(lanes, 0));
    CHECK(static_cast<long>(lanes.counts(0).total + lanes.counts(1).total) == 2 * count);
    for (std::size_t lane = 0; lane < 2; ++lane) stop_listening(lanes.fd(lane));
  }
  for (std::size_t lane = 0; lane < 2; ++lane) lanes.listen(lane);
  lanes.choose_all();
  const auto clients = lanes.connect_many(100);
  CHECK(eventually([&] { return lanes.all_open() == Numbers{50, 50}; }));
}

}  // namespace clusterd::test
