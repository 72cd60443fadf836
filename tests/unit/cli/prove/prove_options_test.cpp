#include "cli/prove/prove_options.h"

#include <catch2/catch.hpp>

#include "cli/arguments.h"
#include "cli/prove/http_request.h"

using namespace clusterd;
using namespace clusterd::cli;

namespace {

std::string error_of(const std::vector<std::string>& words) {
  auto arguments = parse_arguments(words);
  return arguments ? "" : arguments.error().message;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("prove takes its own options, those of start, and the arguments of the program") {
  auto arguments = parse_arguments(
      {"prove",       "./server", "-i",     "4",        "--duration", "500ms",    "--rate=50", "--rounds",
       "kill,reload", "--header", "A: b",   "--header", "C:d",        "--expect", "200,404",   "--ports",
       "80,81",       "--strict", "--here", "--",       "--port",     "1"});
  REQUIRE(arguments);
  const ProveOptions& options = arguments->prove;
  CHECK(options.duration == std::chrono::milliseconds(500));
  CHECK(options.rate == 50);
  CHECK(options.ports == std::vector<int>{80, 81});
  CHECK(options.rounds == std::vector<Round>{Round::kill, Round::reload});
  CHECK(options.headers == std::vector<std::string>{"A: b", "C:d"});
  CHECK(options.accepts(404));
  CHECK_FALSE(options.accepts(301));
  CHECK((options.strict && options.here));
  CHECK(arguments->app_args == std::vector<std::string>{"--port", "1"});
  CHECK(arguments->targets == std::vector<std::string>{"./server"});
}

TEST_CASE("what makes no sense is refused by name") {
  CHECK(contains(error_of({"prove", "x", "--connections", "65"}), "from 1 to 64"));
  CHECK(contains(error_of({"prove", "x", "--rate", "0"}), "--rate"));
  CHECK(contains(error_of({"prove", "x", "--duration", "20m"}), "--duration"));
  CHECK(contains(error_of({"prove", "x", "--rounds", "relaod"}), "did you mean 'reload'"));
  CHECK(contains(error_of({"prove", "x", "--path", "health"}), "/health"));
  CHECK(contains(error_of({"prove", "x", "--path", "/a b"}), "--path"));
  CHECK(contains(error_of({"prove", "x", "--method", "G ET"}), "--method"));
  CHECK(contains(error_of({"prove", "x", "--header", "no colon"}), "Name: value"));
  CHECK(contains(error_of({"prove", "x", "--header", "A: b\r\nC: d"}), "Name: value"));
  CHECK(contains(error_of({"prove", "x", "--header", "connection: close"}), "kind of client"));
  CHECK(contains(error_of({"prove", "x", "--expect", "99"}), "--expect"));
  CHECK(contains(error_of({"prove", "x", "--ports", "3000,70000"}), "--ports"));
  CHECK(contains(error_of({"prove", "x", "y"}), "does not know what to do with 'y'"));
  CHECK(contains(error_of({"start", "x", "--rate", "1"}), "another verb"));
}

TEST_CASE("the request is what was asked for") {
  ProveOptions options;
  LoadAddress address;
  address.host = "localhost:3000";
  CHECK(http_request(options, ClientKind::kept, address) ==
        "GET / HTTP/1.1\r\nHost: localhost:3000\r\nUser-Agent: clusterd-prove\r\nAccept: */*\r\n"
        "Connection: keep-alive\r\n\r\n");
  options.method = "POST";
  options.path = "/a";
  options.headers = {"host: example.org", "Accept:text/html", "User-Agent: me"};
  CHECK(http_request(options, ClientKind::fresh, address) ==
        "POST /a HTTP/1.1\r\nhost: example.org\r\nAccept:text/html\r\nUser-Agent: me\r\n"
        "Content-Length: 0\r\nConnection: close\r\n\r\n");
}

TEST_CASE("only idempotent requests are repeated by clients") {
  CHECK(is_idempotent("GET"));
  CHECK(is_idempotent("DELETE"));
  CHECK_FALSE(is_idempotent("POST"));
}
