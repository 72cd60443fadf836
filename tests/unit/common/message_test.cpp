#include "common/message.h"

#include <catch2/catch.hpp>

#include "common/json_text.h"
#include "tests/fuzz/frame_target.h"
#include "tests/unit/corpus.h"

using namespace clusterd;
using nlohmann::json;

TEST_CASE("the greeting has the form of docs/protocol.md") {
  CHECK(to_json(Greeting{"0.1.0", 1, 4711}) ==
        json::parse(R"({"clusterd":"0.1.0","protocol":1,"pid":4711})"));
  const auto greeting = parse_greeting(R"({"clusterd":"0.1.0","protocol":1,"pid":4711,"later":true})");
  REQUIRE(greeting);
  CHECK(greeting->version == "0.1.0");
  CHECK(greeting->pid == 4711);
}

TEST_CASE("another protocol version is named in the error") {
  const auto greeting = parse_greeting(R"({"clusterd":"9.0.0","protocol":2,"pid":1})");
  REQUIRE_FALSE(greeting);
  CHECK(greeting.error().message.find("clusterd 9.0.0 and speaks protocol 2") != std::string::npos);
  CHECK_FALSE(parse_greeting("HTTP/1.1 400 Bad Request"));
  CHECK_FALSE(parse_greeting("{}"));
}

TEST_CASE("a request survives its way, with all its arguments") {
  const Request request{7, "stop", {{"targets", {"web"}}, {"wait", true}}};
  const auto parsed = parse_request(to_line(to_json(request)));
  REQUIRE(parsed);
  CHECK(parsed->id == 7);
  CHECK(parsed->op == "stop");
  CHECK(parsed->args == request.args);
}

TEST_CASE("a request without arguments has an empty object of them") {
  CHECK(parse_request(R"({"id":-1,"op":"ping"})").value().args == json::object());
}

TEST_CASE("malformed requests are errors of code protocol") {
  for (const char* line :
       {"", "5", "[]", "null", "{}", R"({"id":1})", R"({"op":"ping"})", R"({"id":"1","op":"ping"})",
        R"({"id":1.5,"op":"ping"})", R"({"id":9223372036854775808,"op":"ping"})", R"({"id":1,"op":5})",
        R"({"id":1,"op":"ping","args":[]})", R"({"id":1,"op":"ping","args":null})",
        R"({"id":1,"op":"ping","arg":{}})"}) {
    INFO(line);
    const auto request = parse_request(line);
    REQUIRE_FALSE(request);
    CHECK(request.error().code == ErrorCode::protocol);
  }
  CHECK(parse_request(R"({"id":1,"op":"ping","arg":{}})").error().message.ends_with("did you mean 'args'?"));
}

TEST_CASE("the id of a refused request is found where there is one") {
  CHECK(request_id_of(R"({"id":12,"op":5})") == 12);
  CHECK(request_id_of(R"({"id":"x"})") == 0);
  CHECK(request_id_of("not json") == 0);
}

TEST_CASE("an event keeps its fields beside id and name") {
  const Event event{1, "progress", {{"app", "web"}, {"done", 1}}};
  CHECK(to_json(event) == json::parse(R"({"id":1,"event":"progress","app":"web","done":1})"));
  const auto parsed = parse_server_message(to_line(to_json(event)));
  REQUIRE(parsed);
  const auto* received = std::get_if<Event>(&*parsed);
  REQUIRE(received);
  CHECK(received->event == "progress");
  CHECK(received->fields == event.fields);
}

TEST_CASE("a field cannot forge the id or the name of an event") {
  const json message = to_json(Event{1, "log", {{"id", 99}, {"event", "sources"}}});
  CHECK(message["id"] == 1);
  CHECK(message["event"] == "log");
}

TEST_CASE("responses carry a result, or an error and what is known") {
  CHECK(to_json(Response{1, {}, json::object()}) == json::parse(R"({"id":1,"ok":true,"result":{}})"));
  const Response failed{1, Error{ErrorCode::not_found, "no app"}, json::object()};
  CHECK(to_json(failed) ==
        json::parse(R"({"id":1,"ok":false,"error":{"code":"not_found","message":"no app"}})"));

  const Response with_tail{2, Error{ErrorCode::failed, "x"}, {{"log_tail", json::array({"boom"})}}};
  const auto parsed = parse_server_message(to_line(to_json(with_tail)));
  REQUIRE(parsed);
  const auto* response = std::get_if<Response>(&*parsed);
  REQUIRE(response);
  CHECK(response->error->code == ErrorCode::failed);
  CHECK(response->error->message == "x");
  CHECK(response->result == with_tail.result);
}

TEST_CASE("an error code of a later version is still a failure") {
  const auto parsed = parse_server_message(R"({"id":1,"ok":false,"error":{"code":"on_fire","message":"x"}})");
  REQUIRE(parsed);
  CHECK(std::get<Response>(*parsed).error->code == ErrorCode::failed);
}

TEST_CASE("what is neither event nor response is refused") {
  for (const char* line : {"[]", "{}", R"({"id":1})", R"({"id":1,"ok":"yes"})", R"({"id":1,"ok":false})",
                           R"({"ok":true})", R"({"id":1,"ok":false,"error":"x"})"}) {
    INFO(line);
    CHECK_FALSE(parse_server_message(line));
  }
}

TEST_CASE("the fuzzing corpus of frames holds") {
  const auto corpus = read_corpus("frame");
  REQUIRE(corpus.size() >= 10);
  for (const auto& [name, bytes] : corpus) {
    INFO(name);
    CHECK(fuzz_frame(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()) == 0);
  }
}
