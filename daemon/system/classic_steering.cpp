#include "daemon/system/classic_steering.h"

#include <linux/filter.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "daemon/system/system_error.h"

namespace clusterd {
namespace {

// Of the IPv4 and IPv6 headers and the TCP header behind them, RFC 791, 8200, 9293.
constexpr std::uint32_t kVersionByte = 0;
constexpr std::uint32_t kSource4 = 12;
constexpr std::uint32_t kSource6Tail = 20;  // the last four bytes of the client's IPv6 address
constexpr std::uint32_t kHeader4 = 20;      // a SYN with IP options is hashed by other bytes, no worse
constexpr std::uint32_t kHeader6 = 40;
constexpr std::uint32_t kMultiplier = 0x9E3779B1;  // 2^32 / golden ratio, odd: spreads neighbouring ports

class Program {
 public:
  void statement(int code, std::uint32_t operand) {
    code_.push_back(BPF_STMT(static_cast<std::uint16_t>(code), operand));
  }
  void jump(int code, std::uint32_t operand, std::uint8_t if_true, std::uint8_t if_false) {
    code_.push_back(BPF_JUMP(static_cast<std::uint16_t>(code), operand, if_true, if_false));
  }
  std::vector<sock_filter>& code() { return code_; }

 private:
  std::vector<sock_filter> code_;
};

std::uint32_t network(std::uint32_t offset) { return static_cast<std::uint32_t>(SKF_NET_OFF) + offset; }

// A = source address ^ source port * multiplier, for either version of IP.
void hash_of_client(Program& program) {
  program.statement(BPF_LD | BPF_B | BPF_ABS, network(kVersionByte));
  program.statement(BPF_ALU | BPF_RSH | BPF_K, 4);
  program.jump(BPF_JMP | BPF_JEQ | BPF_K, 4, 0, 6);
  for (const auto& [source, header] : {std::pair{kSource4, kHeader4}, std::pair{kSource6Tail, kHeader6}}) {
    program.statement(BPF_LD | BPF_W | BPF_ABS, network(source));
    program.statement(BPF_MISC | BPF_TAX, 0);
    program.statement(BPF_LD | BPF_H | BPF_ABS, network(header));
    program.statement(BPF_ALU | BPF_MUL | BPF_K, kMultiplier);
    program.statement(BPF_ALU | BPF_XOR | BPF_X, 0);
    if (source == kSource4) program.statement(BPF_JMP | BPF_JA, 5);
  }
  // The product's upper half is the well mixed one.
  program.statement(BPF_ALU | BPF_RSH | BPF_K, 8);
}

// For each pair (port, index): a client with that port gets that index.
using Directed = std::vector<std::pair<std::uint16_t, std::uint32_t>>;
void direct_ports(Program& program, const Directed& directed) {
  program.statement(BPF_LD | BPF_B | BPF_ABS, network(kVersionByte));
  program.statement(BPF_ALU | BPF_RSH | BPF_K, 4);
  program.jump(BPF_JMP | BPF_JEQ | BPF_K, 4, 0, 2);
  program.statement(BPF_LD | BPF_H | BPF_ABS, network(kHeader4));
  program.statement(BPF_JMP | BPF_JA, 1);
  program.statement(BPF_LD | BPF_H | BPF_ABS, network(kHeader6));
  for (const auto& [port, index] : directed) {
    program.jump(BPF_JMP | BPF_JEQ | BPF_K, port, 0, 1);
    program.statement(BPF_RET | BPF_K, index);
  }
}

std::vector<sock_filter> write_program(Spread spread, const std::vector<std::uint32_t>& indexes,
                                       const Directed& directed) {
  Program program;
  if (!directed.empty()) direct_ports(program, directed);
  if (spread == Spread::hash) {
    hash_of_client(program);
  } else {
    program.statement(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(SKF_AD_OFF + SKF_AD_RANDOM));
  }
  program.statement(BPF_ALU | BPF_MOD | BPF_K, static_cast<std::uint32_t>(indexes.size()));
  for (std::uint32_t i = 0; i + 1 < indexes.size(); ++i) {
    program.jump(BPF_JMP | BPF_JEQ | BPF_K, i, 0, 1);
    program.statement(BPF_RET | BPF_K, indexes[i]);
  }
  program.statement(BPF_RET | BPF_K, indexes.back());
  return std::move(program.code());
}

}  // namespace

Result<void> ClassicSteering::add(int) { return {}; }

Result<void> ClassicSteering::listening(int fd) {
  std::erase(order_, fd);
  order_.push_back(fd);
  return attach();
}

void ClassicSteering::remove(int fd) {
  std::erase_if(chosen_, [fd](const LaneShare& share) { return share.fd == fd; });
  const auto found = std::ranges::find(order_, fd);
  if (found == order_.end()) return;
  *found = order_.back();
  order_.pop_back();
}

Result<void> ClassicSteering::choose(std::span<const LaneShare> lanes, WhenNobody) {
  chosen_.assign(lanes.begin(), lanes.end());
  return attach();
}

// How often a lane stands in the list that is chosen from: a canary as often as gives it its part of the
// whole.
std::size_t ClassicSteering::entries_of(const LaneShare& share) const {
  constexpr unsigned kResolution = 20;
  unsigned canary_permille = 0;
  std::size_t canaries = 0;
  std::size_t others = 0;
  for (const LaneShare& one : chosen_) {
    canary_permille += one.permille;
    canaries += one.permille > 0 ? 1 : 0;
    others += one.permille > 0 ? 0 : std::max(1U, one.weight);
  }
  if (canaries == 0 || others == 0 || canary_permille >= 1000) return std::max(1U, share.weight);
  if (share.permille == 0) return kResolution * std::max(1U, share.weight);
  const double rest = 1000.0 - canary_permille;
  return std::max<std::size_t>(
      1, static_cast<std::size_t>(static_cast<double>(kResolution * others) * share.permille / rest + 0.5));
}

bool ClassicSteering::direct(std::uint16_t port, int fd) {
  constexpr std::size_t kDirectedMax = 64;
  if (directed_.size() >= kDirectedMax || std::ranges::find(order_, fd) == order_.end()) return false;
  directed_[port] = fd;
  return attach().has_value();
}

void ClassicSteering::undirect(std::uint16_t port) {
  if (directed_.erase(port) > 0) attach();
}

Result<void> ClassicSteering::attach() {
  if (order_.empty()) return {};
  std::vector<std::uint32_t> indexes;
  for (const LaneShare& share : chosen_) {
    const auto found = std::ranges::find(order_, share.fd);
    if (found == order_.end()) continue;
    const auto index = static_cast<std::uint32_t>(found - order_.begin());
    indexes.insert(indexes.end(), entries_of(share), index);
  }
  if (indexes.empty()) {
    for (std::uint32_t index = 0; index < order_.size(); ++index) indexes.push_back(index);
  }
  constexpr std::size_t kIndexesMax = BPF_MAXINSNS / 2 - 160;  // the rest is for directed ports and the hash
  indexes.resize(std::min(indexes.size(), kIndexesMax));
  Directed directed;
  for (const auto& [port, fd] : directed_) {
    const auto found = std::ranges::find(order_, fd);
    if (found != order_.end()) directed.emplace_back(port, found - order_.begin());
  }
  std::vector<sock_filter> code = write_program(spread_, indexes, directed);
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  if (setsockopt(order_.front(), SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program, sizeof program) != 0) {
    return system_error("cannot steer connections", errno);
  }
  return {};
}

}  // namespace clusterd
