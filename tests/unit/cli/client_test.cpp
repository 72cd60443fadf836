#include "cli/client.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "fake_daemon.h"
#include "temp_folder.h"

using namespace clusterd;
using namespace clusterd::cli;
using nlohmann::json;

namespace {

FakeAnswer echo(const json& request) { return {{FakeDaemon::ok(request, request["args"])}}; }

Error greeting_error(const std::string& greeting) {
  TempFolder folder;
  FakeDaemon daemon(folder.at("s"), echo, greeting);
  auto client = Client::connect(folder.at("s"));
  REQUIRE_FALSE(client);
  return client.error();
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("events come in order and before the one response") {
  TempFolder folder;
  FakeDaemon daemon(folder.at("s"), [](const json& request) {
    return FakeAnswer{{FakeDaemon::event(request, "progress", {{"text", "a"}}),
                       FakeDaemon::event(request, "progress", {{"text", "b"}}),
                       FakeDaemon::ok(request, {{"n", 1}})}};
  });
  auto client = Client::connect(folder.at("s"));
  REQUIRE(client);
  CHECK(client->greeting().pid == 4711);
  std::string seen;
  auto response = client->call("stop", {{"targets", {"web"}}}, [&](const Event& event) {
    seen += event.fields["text"];
    return Flow::go_on;
  });
  REQUIRE(response);
  CHECK(seen == "ab");
  CHECK(response->result["n"] == 1);
  CHECK(daemon.requests()[0]["args"]["targets"] == json{"web"});
}

TEST_CASE("several requests on one connection get their own answers") {
  TempFolder folder;
  FakeDaemon daemon(folder.at("s"), echo);
  auto client = Client::connect(folder.at("s"));
  REQUIRE(client);
  for (int i = 0; i < 5; ++i) CHECK(client->call("x", {{"i", i}})->result["i"] == i);
}

TEST_CASE("a refusal keeps its code, its words and what is known") {
  TempFolder folder;
  FakeDaemon daemon(folder.at("s"), [](const json& request) {
    return FakeAnswer{{FakeDaemon::failed(request, "conflict", "the name is taken", {{"log_tail", "x"}})}};
  });
  auto client = Client::connect(folder.at("s"));
  REQUIRE(client);
  auto response = client->call("start", json::object());
  REQUIRE(response);
  REQUIRE(response->error);
  CHECK(response->error->code == ErrorCode::conflict);
  CHECK(response->error->message == "the name is taken");
  CHECK(response->result["log_tail"] == "x");
}

TEST_CASE("another protocol version is said in one line") {
  Error error = greeting_error(R"({"clusterd":"9.9.9","protocol":2,"pid":1})");
  CHECK(error.code == ErrorCode::protocol);
  CHECK(contains(error.message, "9.9.9"));
  CHECK_FALSE(contains(error.message, "\n"));
}

TEST_CASE("a stranger on the socket is recognised") {
  CHECK(greeting_error("HTTP/1.1 400 Bad Request").code == ErrorCode::protocol);
  CHECK(greeting_error(std::string(1000, '[')).code == ErrorCode::protocol);
}

TEST_CASE("a daemon that turns the connection away is quoted") {
  Error error =
      greeting_error(R"({"id":0,"ok":false,"error":{"code":"denied","message":"too many clients"}})");
  CHECK(error.code == ErrorCode::denied);
  CHECK(error.message == "too many clients");
}

TEST_CASE("a daemon that says nothing is given up after a while") {
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  auto client = Client::greet(Connection(ends[0]), std::chrono::milliseconds(30));
  REQUIRE_FALSE(client);
  CHECK(client.error().code == ErrorCode::no_daemon);
  close(ends[1]);
}

TEST_CASE("a daemon that dies in mid-answer is a lost connection, not a hang") {
  TempFolder folder;
  FakeDaemon daemon(folder.at("s"), [](const json&) {
    return FakeAnswer{{R"({"id":1,"event":"progress","text":"x"})"}, true};
  });
  auto client = Client::connect(folder.at("s"));
  REQUIRE(client);
  auto response = client->call("stop", json::object());
  REQUIRE_FALSE(response);
  CHECK(response.error().code == ErrorCode::no_daemon);
  CHECK(response.error().message == "connection to the daemon lost");
}

TEST_CASE("garbage in place of an answer is an error") {
  TempFolder folder;
  FakeDaemon daemon(folder.at("s"), [](const json&) { return FakeAnswer{{"{\"id\":1,"}}; });
  auto client = Client::connect(folder.at("s"));
  REQUIRE(client);
  CHECK(client->call("ping", json::object()).error().code == ErrorCode::protocol);
}

TEST_CASE("nobody listening is told with the path") {
  TempFolder folder;
  for (const std::string& path :
       {folder.at("missing"), folder.write("file", ""), folder.at("no/such/folder")}) {
    auto client = Client::connect(path);
    REQUIRE_FALSE(client);
    CHECK(client.error().code == ErrorCode::no_daemon);
    CHECK(contains(client.error().message, path));
  }
}

TEST_CASE("an over-long socket path is an error, not a cut path") {
  CHECK(Client::connect("/" + std::string(200, 'x')).error().code == ErrorCode::usage);
}

TEST_CASE("without permission the owner and the way out are named") {
  if (geteuid() != 0) return;  // needs to become somebody else
  TempFolder folder;
  FakeDaemon daemon(folder.at("s"), echo);
  chmod(folder.path().c_str(), 0700);
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    if (setuid(65534) != 0) _exit(9);
    auto client = Client::connect(folder.at("s"));
    bool right = !client && client.error().code == ErrorCode::denied &&
                 contains(client.error().message, "root") && contains(client.error().message, folder.at("s"));
    _exit(right ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("waiting ends when the reader of our output is gone") {
  TempFolder folder;
  FakeDaemon daemon(folder.at("s"), [](const json&) { return FakeAnswer{}; });
  auto client = Client::connect(folder.at("s"));
  REQUIRE(client);
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  close(ends[0]);
  auto response = client->call_watching("logs", json::object(), {}, {.output_fd = ends[1]});
  close(ends[1]);
  REQUIRE(response);
  CHECK_FALSE(*response);
}
