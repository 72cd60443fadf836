// LoadClient: one of the clients that keep an app busy: sends a request, judges the answer, and begins again
// when it is told to.
//
// Owned by LoadLoop, which polls its descriptor and calls advance() when something came or its time is up.
// Never blocks. Every request it begins ends with exactly one outcome in the tally, at the latest when the
// time limit of the request has passed. What goes wrong on this side (no free port, no descriptor) is not the
// app's fault: no outcome, another try a little later.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/prove/event_journal.h"
#include "cli/prove/http_response.h"
#include "cli/prove/load_address.h"
#include "cli/prove/prove_options.h"
#include "cli/prove/tally.h"

namespace clusterd::cli {

// A slow client takes about this long to send its request, and reads slowly for as long at most.
inline constexpr std::chrono::milliseconds kSlowSending{1'500};
inline constexpr int kSlowPieces = 6;
inline constexpr std::chrono::milliseconds kSlowReadPause{50};
inline constexpr std::size_t kSlowReadBytes = 256;
inline constexpr std::chrono::milliseconds kLocalTroublePause{50};
inline constexpr std::size_t kExcerptBytes = 120;

// What all clients of a round share.
struct LoadRound {
  const ProveOptions& options;
  const std::vector<LoadAddress>& addresses;
  EventJournal& journal;
  Tally tally;
  SteadyTime began_at;
};

class LoadClient {
 public:
  LoadClient(LoadRound& round, ClientKind kind, std::size_t number);
  LoadClient(LoadClient&& other) noexcept;
  LoadClient& operator=(LoadClient&&) = delete;
  ~LoadClient();

  bool is_idle() const { return phase_ == Phase::idle; }
  bool may_begin(SteadyTime now) const { return is_idle() && now >= wake_at_; }
  void begin(SteadyTime now);

  int fd() const { return is_idle() ? -1 : fd_; }
  short wanted_events() const;  // of poll()
  SteadyTime wake_at() const;   // advance() is due then at the latest
  void advance(short events, SteadyTime now);

 private:
  enum class Phase { idle, connecting, sending, send_pause, receiving, read_pause };

  void open(SteadyTime now);
  void finish_connecting(SteadyTime now);
  void start_sending(SteadyTime now);
  void send_some(SteadyTime now);
  void receive_some(SteadyTime now);
  void handle_close(int error, SteadyTime now);
  bool is_closed_by_server() const;
  void fail_to_connect(int error, SteadyTime now);
  void conclude(Outcome outcome, SteadyTime now, std::string detail);
  FailedRequest describe(Outcome outcome, SteadyTime now, std::string detail) const;
  void close_connection();

  LoadRound& round_;
  const ClientKind kind_;
  std::size_t next_address_;
  const LoadAddress* address_ = nullptr;
  int fd_ = -1;
  Phase phase_ = Phase::idle;
  bool reused_ = false;  // not the first request of its connection
  SteadyTime opened_at_{};
  SteadyTime deadline_{};
  SteadyTime wake_at_{};
  SteadyTime sent_at_{};
  std::string request_;
  std::size_t sent_ = 0;
  ResponseParser parser_;
  std::string excerpt_;  // the first bytes of the answer
};

}  // namespace clusterd::cli
