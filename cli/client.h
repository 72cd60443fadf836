// Client: a conversation with the daemon: greeting, then request -> events -> response.
//
// Used by every command that needs the daemon. Blocks; one request at a time. Transport and protocol faults
// are the errors of call(); what the daemon refused is inside Response, since it may carry a result as well.
#pragma once

#include <functional>
#include <string>

#include "cli/connection.h"
#include "common/message.h"

namespace clusterd::cli {

inline constexpr std::chrono::milliseconds kGreetingTimeout{10'000};

enum class Flow { go_on, stop };

class Client {
 public:
  using OnEvent = std::function<Flow(const Event&)>;

  static Result<Client> connect(const std::string& socket_path);
  static Result<Client> greet(Connection connection, std::chrono::milliseconds timeout = kGreetingTimeout);

  const Greeting& greeting() const { return greeting_; }

  // What a call looks at besides the daemon; both may change while it waits.
  struct Watch {
    int output_fd = -1;  // the call ends when the reader of our output is gone; -1: not looked at
    int input_fd = -1;   // -1: not looked at
    std::function<Flow()> on_input = {};  // input_fd can be read, or has ended
  };

  // Waits for the response, however long it takes. Nothing comes back if on_event or on_input asked to stop,
  // or when the reader of our output is gone.
  Result<std::optional<Response>> call_watching(const std::string& op, nlohmann::json args,
                                                const OnEvent& on_event, const Watch& watch);
  Result<Response> call(const std::string& op, nlohmann::json args, const OnEvent& on_event = {});

 private:
  Client(Connection connection, Greeting greeting);

  Connection connection_;
  Greeting greeting_;
  std::int64_t last_id_ = 0;
};

}  // namespace clusterd::cli
