#include "cli/prove/load_loop.h"

#include <poll.h>

#include <algorithm>
#include <utility>

namespace clusterd::cli {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kTurnMax{5};     // how late a request may begin, and how late finish() is noticed
constexpr double kBurstSeconds = 0.02;  // of requests that may begin together after a pause

}  // namespace

LoadLoop::LoadLoop(const ProveOptions& options, const std::vector<LoadAddress>& addresses,
                   EventJournal& journal)
    : round_{options, addresses, journal,
             Tally(options.strict ? Tally::Races::counted : Tally::Races::forgiven), Clock::now()} {
  clients_.reserve(kClientKinds.size() * static_cast<std::size_t>(options.connections));
  for (int number = 0; number < options.connections; ++number) {
    for (ClientKind kind : kClientKinds)
      clients_.emplace_back(round_, kind, static_cast<std::size_t>(number));
  }
}

LoadLoop::~LoadLoop() { finish(); }

void LoadLoop::start() {
  thread_ = std::thread([this] { run(); });
}

Tally LoadLoop::finish() {
  finishing_ = true;
  if (thread_.joinable()) thread_.join();
  return round_.tally;
}

void LoadLoop::run() {
  tokens_at_ = Clock::now();
  while (!finishing_ || !all_idle()) {
    SteadyTime now = Clock::now();
    if (!finishing_) begin_requests(now);
    wait_and_advance(now);
  }
}

bool LoadLoop::all_idle() const { return std::ranges::all_of(clients_, &LoadClient::is_idle); }

// Another client is the first each time, so that none is starved when the rate is the limit.
void LoadLoop::begin_requests(SteadyTime now) {
  double rate = round_.options.rate;
  tokens_ += rate * std::chrono::duration<double>(now - std::exchange(tokens_at_, now)).count();
  tokens_ = std::min(tokens_, std::max(1.0, rate * kBurstSeconds));
  for (std::size_t i = 0; i < clients_.size() && tokens_ >= 1; ++i) {
    LoadClient& client = clients_[first_in_turn_++ % clients_.size()];
    if (!client.may_begin(now)) continue;
    tokens_ -= 1;
    client.begin(now);
  }
}

void LoadLoop::wait_and_advance(SteadyTime now) {
  std::vector<pollfd> fds;
  milliseconds wait = kTurnMax;
  for (const LoadClient& client : clients_) {
    fds.push_back({client.fd(), client.wanted_events(), 0});
    if (client.fd() >= 0 && client.wanted_events() == 0) fds.back().fd = -1;  // a hang-up can wait as well
    if (!client.is_idle()) wait = std::min(wait, std::chrono::ceil<milliseconds>(client.wake_at() - now));
  }
  if (poll(fds.data(), fds.size(), static_cast<int>(std::max(wait, milliseconds{0}).count())) < 0) {
    for (pollfd& fd : fds) fd.revents = 0;  // a signal: times may be due all the same
  }
  SteadyTime later = Clock::now();
  for (std::size_t i = 0; i < clients_.size(); ++i) clients_[i].advance(fds[i].revents, later);
}

}  // namespace clusterd::cli
