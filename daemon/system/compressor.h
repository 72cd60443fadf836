// Compressor: makes rotated log files small, one after the other, while the daemon goes on.
//
// One per daemon, owned by LogKeeper. A thread of its own, started with the first job, of the lowest priority
// for CPU and disk; the event loop hands over a job and hears of its end, and never waits. A file is
// compressed into NAME.part, which gets its name when it is complete and only then takes the place of the
// original, whose owner, mode and time it has. An interrupted job leaves the original; it is found and done
// by the next daemon.
//
// Why a thread and not the programs: docs/decisions/0012-log-path.md.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "config/log_settings.h"
#include "daemon/system/log_folder.h"

namespace clusterd {

inline constexpr std::size_t kCompressionQueueMax = 10'000;

class Compressor {
 public:
  struct Job {
    std::string folder;  // absolute
    std::string name;
    LogRotation::Compression how = LogRotation::Compression::gzip;
    auto operator<=>(const Job&) const = default;
  };
  // Called in the thread: it has to hand over to the loop. An empty sentence is success.
  using Done = std::function<void(const Job& job, const std::string& trouble)>;

  explicit Compressor(Done done) : done_(std::move(done)) {}
  ~Compressor();  // gives up what is under way
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  // A job that waits already is not taken twice.
  void submit(Job job);

 private:
  void run(const std::stop_token& stop);

  Done done_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<Job> queue_;
  std::set<Job> known_;  // queued or under way
  std::jthread thread_;
};

// In the calling thread: what a job does. The sentence says what went wrong; empty: done.
std::string compress_file(const Compressor::Job& job, const std::stop_token& stop);

}  // namespace clusterd
