// Readiness and HealthCheck: what `ready` and `health` say. When an instance counts as up, and what shows
// later that it still is.
//
// Pure values of AppSpec. `ready` is a word, a probe, "delay:TIME", or {"check": one of these, "interval",
// "timeout"}; `health` is a probe, or {"check", "interval", "timeout", "threshold"}.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "config/app_field_problem.h"
#include "config/probe.h"

namespace clusterd {

struct Readiness {
  enum class Kind : std::uint8_t {
    automatic,  // listen(), READY=1 or survival: docs/lifecycle.md
    listening,  // listen() only
    notify,     // READY=1, or `ready` on the message channel
    message,    // the same
    fd,         // a line on the descriptor named by READY_FD, as s6 has it
    probe,      // the daemon asks
    delay,      // alive that long after it was executed
  };
  Kind kind = Kind::automatic;
  Probe probe;                               // Kind::probe
  std::chrono::milliseconds delay{0};        // Kind::delay
  std::chrono::milliseconds interval{250};   // between two probes
  std::chrono::milliseconds timeout{5'000};  // of one probe

  bool operator==(const Readiness&) const = default;
};

struct HealthCheck {
  Probe probe;
  std::chrono::milliseconds interval{10'000};
  std::chrono::milliseconds timeout{5'000};
  int threshold = 3;  // failures in a row

  bool operator==(const HealthCheck&) const = default;
};

void read_readiness(const nlohmann::json& value, Readiness& target, FieldProblems& problems);
nlohmann::json write_readiness(const Readiness& readiness);
std::string readiness_text(const Readiness& readiness);  // "listening", "http://:80/"

void read_health(const nlohmann::json& value, HealthCheck& target, FieldProblems& problems);
nlohmann::json write_health(const HealthCheck& health);

}  // namespace clusterd
