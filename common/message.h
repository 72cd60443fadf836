// The messages of the control protocol: greeting, request, event, response. docs/protocol.md is their source.
//
// Pure; the server parses requests and writes the rest, the CLI the other way round. Parsing takes any bytes
// and never throws; errors have code `protocol`. Unknown fields are ignored in what the server says, and
// refused in requests, so that a typo never passes silently.
// The only header of this floor that needs the whole of nlohmann/json: messages own JSON values.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "common/result.h"

namespace clusterd {

inline constexpr int kProtocolVersion = 1;

struct Greeting {
  std::string version;  // of the daemon
  int protocol = kProtocolVersion;
  std::int64_t pid = 0;
};

struct Request {
  std::int64_t id = 0;
  std::string op;
  nlohmann::json args = nlohmann::json::object();  // always an object
};

struct Event {
  std::int64_t id = 0;  // of the request it belongs to
  std::string event;    // its name
  nlohmann::json fields = nlohmann::json::object();
};

struct Response {
  std::int64_t id = 0;
  std::optional<Error> error;                        // absent: ok
  nlohmann::json result = nlohmann::json::object();  // with an error: what is known (may be empty)
};

using ServerMessage = std::variant<Event, Response>;

nlohmann::json to_json(const Greeting& greeting);
nlohmann::json to_json(const Request& request);
nlohmann::json to_json(const Event& event);
nlohmann::json to_json(const Response& response);

Result<Greeting> parse_greeting(std::string_view line);
Result<Request> parse_request(std::string_view line);
Result<ServerMessage> parse_server_message(std::string_view line);

// For the answer to a request that parse_request() refused: its id if there is a readable one, else 0.
std::int64_t request_id_of(std::string_view line);

}  // namespace clusterd
