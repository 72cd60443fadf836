// ProveOptions: what `clusterd prove` is to do to an app, and the limits of it.
//
// Filled in by the rows of option_table.cpp, read by everything in this folder. Pure; the set_ functions
// check one word of the command line each, and their errors (of code usage) name the option.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"

namespace clusterd::cli {

enum class Round { baseline, reload, kill, restart, scale };

std::string_view round_word(Round round);

inline constexpr int kProveConnectionsMax = 64;  // of each kind of client
inline constexpr int kProveRateMax = 10'000;     // requests per second, of all clients together
inline constexpr int kProveHeadersMax = 64;
inline constexpr std::size_t kProveTextBytesMax = 4096;  // of a path or a header
inline constexpr std::chrono::milliseconds kProveTimeMin{100};
inline constexpr std::chrono::milliseconds kProveTimeMax{10 * 60 * 1000};

struct ProveOptions {
  std::chrono::milliseconds duration{3'000};  // of a round; longer if the operations of the round take longer
  std::chrono::milliseconds timeout{10'000};  // of a request
  int connections = 8;
  int rate = 500;
  std::string method = "GET";
  std::string path = "/";
  std::vector<std::string> headers;  // "Name: value"
  std::vector<int> expected;         // statuses; empty: any 2xx or 3xx
  std::vector<int> ports;            // of the app's TCP addresses, only these; empty: all addresses
  // After the baseline, which always comes first.
  std::vector<Round> rounds{Round::reload, Round::kill, Round::restart, Round::scale};
  bool here = false;    // no network of its own
  bool strict = false;  // a raced request is a lost one

  bool accepts(int status) const;
};

// A closed connection before the first byte of the answer lets a client repeat these: RFC 9110, 9.2.2.
bool is_idempotent(std::string_view method);

Result<> set_prove_duration(ProveOptions& options, const std::string& text);
Result<> set_prove_timeout(ProveOptions& options, const std::string& text);
Result<> set_prove_connections(ProveOptions& options, const std::string& text);
Result<> set_prove_rate(ProveOptions& options, const std::string& text);
Result<> set_prove_method(ProveOptions& options, const std::string& text);
Result<> set_prove_path(ProveOptions& options, const std::string& text);
Result<> set_prove_headers(ProveOptions& options, const std::vector<std::string>& lines);
Result<> set_prove_expected(ProveOptions& options, const std::string& text);
Result<> set_prove_ports(ProveOptions& options, const std::string& text);
Result<> set_prove_rounds(ProveOptions& options, const std::string& text);

}  // namespace clusterd::cli
