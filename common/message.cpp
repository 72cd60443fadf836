#include "common/message.h"

#include <limits>

#include "common/error_code.h"
#include "common/json_text.h"
#include "common/suggest.h"

namespace clusterd {
namespace {

using nlohmann::json;

std::unexpected<Error> malformed(std::string message) {
  return fail(ErrorCode::protocol, std::move(message));
}

std::optional<std::int64_t> integer_at(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  if (found->is_number_unsigned() &&
      found->get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return std::nullopt;
  }
  return found->get<std::int64_t>();
}

std::optional<std::string> string_at(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

Result<json> parse_object(std::string_view line) {
  auto value = parse_line(line);
  if (value && !value->is_object())
    return malformed("expected a JSON object, got " + std::string(value->type_name()));
  return value;
}

Result<void> check_request_keys(const json& object) {
  constexpr std::array<std::string_view, 3> kKeys{"id", "op", "args"};
  for (const auto& item : object.items()) {
    bool known = false;
    for (const std::string_view key : kKeys) known = known || key == item.key();
    if (!known) {
      return malformed("unknown field '" + item.key().substr(0, 40) + "' in the request" +
                       did_you_mean(item.key(), kKeys));
    }
  }
  return {};
}

Result<Error> parse_error(const json& object) {
  const auto found = object.find("error");
  if (found == object.end() || !found->is_object())
    return malformed("a failed response carries no 'error' object");
  // A code this version does not know is still a failure.
  const auto code = error_code_from_word(string_at(*found, "code").value_or(""));
  return Error{code.value_or(ErrorCode::failed), string_at(*found, "message").value_or("no reason given")};
}

Result<ServerMessage> parse_response(std::int64_t id, const json& object) {
  const auto ok = object.find("ok");
  if (ok == object.end() || !ok->is_boolean())
    return malformed("the message is neither an event nor a response");
  Response response{.id = id, .error = {}, .result = json::object()};
  if (!ok->get<bool>()) {
    auto error = parse_error(object);
    if (!error) return fail(error.error());
    response.error = std::move(*error);
  }
  if (const auto result = object.find("result"); result != object.end()) response.result = *result;
  return response;
}

}  // namespace

json to_json(const Greeting& greeting) {
  return {{"clusterd", greeting.version}, {"protocol", greeting.protocol}, {"pid", greeting.pid}};
}

json to_json(const Request& request) {
  return {{"id", request.id}, {"op", request.op}, {"args", request.args}};
}

json to_json(const Event& event) {
  json message = event.fields.is_object() ? event.fields : json::object();
  message["id"] = event.id;
  message["event"] = event.event;
  return message;
}

json to_json(const Response& response) {
  json message{{"id", response.id}, {"ok", !response.error}};
  if (response.error) {
    message["error"] = {{"code", error_code_word(response.error->code)},
                        {"message", response.error->message}};
  }
  if (!response.error || !response.result.empty()) message["result"] = response.result;
  return message;
}

Result<Greeting> parse_greeting(std::string_view line) {
  auto object = parse_object(line);
  if (!object) return fail(object.error());
  const auto version = string_at(*object, "clusterd");
  const auto protocol = integer_at(*object, "protocol");
  if (!version || !protocol) return malformed("the peer does not greet like a clusterd daemon");
  if (*protocol != kProtocolVersion) {
    return malformed("the daemon is clusterd " + *version + " and speaks protocol " +
                     std::to_string(*protocol) + ", this program speaks " + std::to_string(kProtocolVersion) +
                     "; use the same version of both");
  }
  return Greeting{*version, kProtocolVersion, integer_at(*object, "pid").value_or(0)};
}

Result<Request> parse_request(std::string_view line) {
  auto object = parse_object(line);
  if (!object) return fail(object.error());
  if (auto checked = check_request_keys(*object); !checked) return fail(checked.error());
  const auto id = integer_at(*object, "id");
  if (!id) return malformed("a request needs an 'id', a whole number of 64 bits");
  auto op = string_at(*object, "op");
  if (!op) return malformed("a request needs an 'op', the name of an operation");
  Request request{*id, std::move(*op), json::object()};
  if (const auto args = object->find("args"); args != object->end()) {
    if (!args->is_object())
      return malformed("'args' of a request is an object, got " + std::string(args->type_name()));
    request.args = std::move(*args);
  }
  return request;
}

Result<ServerMessage> parse_server_message(std::string_view line) {
  auto object = parse_object(line);
  if (!object) return fail(object.error());
  const auto id = integer_at(*object, "id");
  if (!id) return malformed("the message has no 'id'");
  auto event = string_at(*object, "event");
  if (!event) return parse_response(*id, *object);
  object->erase("id");
  object->erase("event");
  return Event{*id, std::move(*event), std::move(*object)};
}

std::int64_t request_id_of(std::string_view line) {
  const auto object = parse_object(line);
  return object ? integer_at(*object, "id").value_or(0) : 0;
}

}  // namespace clusterd
