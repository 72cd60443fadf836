// Gather: one answer for a request that concerns several apps, given when the last of them is done.
//
// Shared by the done-handlers of the parts. Partial failure is failure: the response names every part that
// failed.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "daemon/conversation.h"
#include "daemon/waiters.h"

namespace clusterd {

enum class Patience : std::uint8_t {
  wait,
  answer_at_once,  // --no-wait: faults of the request itself are answered, what comes of it is in `list`
};

class Gather : public std::enable_shared_from_this<Gather> {
 public:
  Gather(Reply reply, nlohmann::json result, Patience patience);
  ~Gather();
  Gather(const Gather&) = delete;
  Gather& operator=(const Gather&) = delete;

  DoneHandler part();               // one more part; call the handler once
  ProgressHandler progress();       // forwards to the client as `progress` events
  void refuse(const Error& error);  // a part that failed before it began
  nlohmann::json& result() { return result_; }

 private:
  void note(const Outcome& outcome);

  Reply reply_;
  Patience patience_;
  nlohmann::json result_;
  std::vector<Error> errors_;
  std::string log_tail_;
};

}  // namespace clusterd
