// TeeTarget: several targets of one stream, each of which gets everything; for the combined log of an app.
//
// Made by daemon/log_targets. What one of them cannot take is no matter of the others.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "daemon/system/log_target.h"

namespace clusterd {

class TeeTarget final : public LogTarget {
 public:
  explicit TeeTarget(std::vector<std::unique_ptr<LogTarget>> targets) : targets_(std::move(targets)) {}

  void write(std::string_view bytes, MonotonicTime now) override {
    for (const auto& target : targets_) target->write(bytes, now);
  }
  bool wants_whole_lines() const override {
    return std::ranges::any_of(targets_, [](const auto& target) { return target->wants_whole_lines(); });
  }

 private:
  std::vector<std::unique_ptr<LogTarget>> targets_;
};

}  // namespace clusterd
