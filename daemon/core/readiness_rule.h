// What makes an instance ready, and when it is late: the rules of docs/lifecycle.md, "Ready".
//
// Pure: asked by the Supervisor for each sign a new instance gives and for each deadline.
#pragma once

#include <cstdint>
#include <string>

#include "config/app_spec.h"
#include "daemon/core/restart_policy.h"

namespace clusterd {

// What is known of one life.
struct ReadyFacts {
  bool executed = false;
  bool binds = false;         // it called bind()
  bool listened = false;      // it called listen()
  bool app_listened = false;  // some instance of the app did, once
  std::string probe_note{};   // what the last probe met
};

enum class Sign : std::uint8_t {
  listening,  // a process of its tree called listen()
  notified,   // READY=1, or "ready" on the message channel
  proved,     // its probe passed, or the line came on its readiness descriptor
};

ReadyBy ready_by(const AppSpec& spec, const ReadyFacts& facts);

// The sign is enough. An http or tcp probe alone is not, where a listen() can be seen: an older instance may
// have answered it.
bool is_ready(const AppSpec& spec, Sign sign, const ReadyFacts& facts);

// Why it is late, as a sentence.
std::string late_reason(const AppSpec& spec, const ReadyFacts& facts, Milliseconds waited);

}  // namespace clusterd
