// Probe: one question to a running instance that the daemon can ask from outside: http, tcp or exec.
//
// Pure value; part of `ready` and `health`. Written as "http://HOST:PORT/PATH" (":PORT" is this machine),
// "tcp" (the address the app is served on), "tcp://HOST:PORT" and "exec:COMMAND LINE". ${NAME} in the first
// three is a variable of the instance's environment, so that a probe can be aimed at one of several. HOST is
// an IP address or localhost: the daemon never waits for a name server.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"
#include "config/listen_address.h"

namespace clusterd {

inline constexpr std::size_t kProbeTextBytesMax = 4096;

struct Probe {
  enum class Kind : std::uint8_t { http, tcp, exec };
  Kind kind = Kind::http;
  std::string text;  // as written

  bool operator==(const Probe&) const = default;
};

// A probe with everything filled in.
struct ProbeTarget {
  std::optional<ListenAddress> address;  // http, tcp; absent: the one the app is served on
  std::string host;                      // http: of the Host header
  std::string path;                      // http: "/health"
  std::vector<std::string> argv;         // exec
};

bool is_probe_text(std::string_view text);  // begins like one
Result<Probe> parse_probe(std::string_view text);

// The value of a variable, or nothing if the instance has none of that name.
using VariableLookup = std::function<std::optional<std::string>(std::string_view name)>;
Result<ProbeTarget> resolve_probe(const Probe& probe, const VariableLookup& variable);

// Where to connect to what listens there: for "all addresses" that is this machine.
ListenAddress reachable(ListenAddress address);

// Only this instance can answer: a command of its own environment, or an address made of its variables.
bool is_aimed(const Probe& probe);

}  // namespace clusterd
