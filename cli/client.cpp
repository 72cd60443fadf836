#include "cli/client.h"

#include <utility>

#include "common/json_text.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;

// A daemon that turns a connection away says so in place of its greeting.
Error refusal(std::string_view line, Error greeting_error) {
  auto message = parse_server_message(line);
  if (!message) return greeting_error;
  const auto* response = std::get_if<Response>(&*message);
  return response != nullptr && response->error ? *response->error : greeting_error;
}

}  // namespace

Client::Client(Connection connection, Greeting greeting)
    : connection_(std::move(connection)), greeting_(std::move(greeting)) {}

Result<Client> Client::connect(const std::string& socket_path) {
  auto connection = Connection::open(socket_path);
  if (!connection) return fail(connection.error());
  return greet(std::move(*connection));
}

Result<Client> Client::greet(Connection connection, std::chrono::milliseconds timeout) {
  auto received = connection.receive({.limit = timeout});
  if (!received) return fail(received.error());
  if (received->kind == Connection::Received::Kind::timed_out) {
    return fail(ErrorCode::no_daemon,
                "the daemon took the connection but says nothing; is it stopped or stuck?");
  }
  auto greeting = parse_greeting(received->line);
  if (!greeting) return fail(refusal(received->line, greeting.error()));
  return Client(std::move(connection), std::move(*greeting));
}

Result<std::optional<Response>> Client::call_watching(const std::string& op, json args,
                                                      const OnEvent& on_event, const Watch& watch) {
  Request request{++last_id_, op, std::move(args)};
  std::string frame = to_frame(to_json(request));
  if (frame.size() > kFrameBytesMax) {
    return fail(ErrorCode::usage, "the request is too large: " + std::to_string(frame.size()) + " bytes, " +
                                      std::to_string(kFrameBytesMax) + " are allowed");
  }
  if (auto sent = connection_.send(frame); !sent) return fail(sent.error());
  while (true) {
    auto received =
        connection_.receive({.limit = {}, .output_fd = watch.output_fd, .input_fd = watch.input_fd});
    if (!received) return fail(received.error());
    if (received->kind == Connection::Received::Kind::input) {
      if (watch.on_input() == Flow::stop) return std::nullopt;
      continue;
    }
    if (received->kind != Connection::Received::Kind::line) return std::nullopt;
    auto message = parse_server_message(received->line);
    if (!message) return fail(message.error());
    if (auto* response = std::get_if<Response>(&*message)) {
      if (response->id == request.id) return std::move(*response);
      continue;  // an answer nobody waits for any more
    }
    const Event& event = std::get<Event>(*message);
    if (event.id == request.id && on_event && on_event(event) == Flow::stop) return std::nullopt;
  }
}

Result<Response> Client::call(const std::string& op, json args, const OnEvent& on_event) {
  auto response = call_watching(op, std::move(args), on_event, {});
  if (!response) return fail(response.error());
  if (!*response) return fail(ErrorCode::failed, "given up waiting for the daemon");
  return std::move(**response);
}

}  // namespace clusterd::cli
