// Tally: what became of the requests of one round, counted, with the first one that failed kept in full.
//
// Pure; filled by the load clients, read by the report. A request has exactly one outcome.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace clusterd::cli {

enum class ClientKind {
  fresh,  // a connection for each request
  kept,   // request after request on one connection
  slow,   // sends its request in pieces and reads the answer slowly
};
inline constexpr std::array kClientKinds{ClientKind::fresh, ClientKind::kept, ClientKind::slow};
std::string_view client_word(ClientKind kind);

enum class Outcome {
  ok,
  refused,       // nobody accepts at the address
  reset,         // the connection ended without a byte of the answer
  truncated,     // the answer began and did not end
  timed_out,     // no whole answer in time
  wrong_status,  // another status than wanted, or no HTTP
  raced,         // a kept connection was closed while the next request was on its way: clients repeat it
  cut_by_kill,   // in the hands of the process that `prove` itself killed
};
inline constexpr std::array kOutcomes{Outcome::ok,        Outcome::refused,    Outcome::reset,
                                      Outcome::truncated, Outcome::timed_out,  Outcome::wrong_status,
                                      Outcome::raced,     Outcome::cut_by_kill};
std::string_view outcome_word(Outcome outcome);  // "timed_out", as in JSON
std::string outcome_title(Outcome outcome);      // "timed out"

// One request that failed, as a person wants to see it.
struct FailedRequest {
  std::chrono::milliseconds at{0};  // of the failure, since the round began
  ClientKind kind = ClientKind::fresh;
  Outcome outcome = Outcome::reset;
  std::string address;
  std::string event;     // what `prove` was doing
  std::string sent;      // "78 of 78 bytes of GET / HTTP/1.1"
  std::string received;  // "120 bytes: HTTP/1.1 200 OK..."
  std::string detail;    // "connection reset by peer"
};

class Tally {
 public:
  enum class Races { forgiven, counted };
  explicit Tally(Races races = Races::forgiven) : races_(races) {}

  void add(Outcome outcome) { ++counts_[static_cast<std::size_t>(outcome)]; }
  void add_failure(FailedRequest failure);  // the first that counts as lost is kept

  bool counts_as_lost(Outcome outcome) const;
  std::uint64_t count(Outcome outcome) const { return counts_[static_cast<std::size_t>(outcome)]; }
  std::uint64_t requests() const;
  std::uint64_t lost() const;
  const std::optional<FailedRequest>& first_failure() const { return first_failure_; }

 private:
  Races races_;
  std::array<std::uint64_t, kOutcomes.size()> counts_{};
  std::optional<FailedRequest> first_failure_;
};

}  // namespace clusterd::cli
