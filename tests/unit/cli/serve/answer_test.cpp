// What the file server says to a request.
#include "cli/serve/answer.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "cli/serve/basic_auth.h"
#include "cli/serve/byte_range.h"
#include "tests/unit/cli/temp_folder.h"

namespace clusterd::serve {
namespace {

struct Server {
  Server() {
    temp.write("index.html", "0123456789");
    temp.write("app.js", "code");
  }
  Answer ask(Request request) const { return answer_to(request, site, policy); }
  Answer get(std::string_view target) const { return ask({.method = "GET", .target = target}); }

  TempFolder temp;
  Site site = std::move(Site::open(temp.path()).value());
  Policy policy;
};

std::string header(const Answer& answer, std::string_view name) {
  for (const auto& [key, value] : answer.headers) {
    if (key == name) return value;
  }
  return "(none)";
}

bool is(const ByteRange& range, std::uint64_t first, std::uint64_t length) {
  return range.kind == ByteRange::Kind::part && range.first == first && range.length == length;
}

}  // namespace

TEST_CASE("one range is a part; what cannot be understood is the whole") {
  CHECK(is(byte_range("bytes=0-0", 10), 0, 1));
  CHECK(is(byte_range("bytes=2-5", 10), 2, 4));
  CHECK(is(byte_range("bytes=7-", 10), 7, 3));
  CHECK(is(byte_range("bytes=7-99", 10), 7, 3));
  CHECK(is(byte_range("bytes=-3", 10), 7, 3));
  CHECK(is(byte_range("bytes=-99", 10), 0, 10));
  for (const char* other :
       {"", "bytes=", "bytes=5-2", "bytes=0-1,3-4", "lines=0-1", "bytes=a-b", "bytes=-x"}) {
    CHECK(byte_range(other, 10).kind == ByteRange::Kind::whole);
  }
  for (const char* behind : {"bytes=10-", "bytes=10-12", "bytes=-0"}) {
    CHECK(byte_range(behind, 10).kind == ByteRange::Kind::unsatisfiable);
  }
  CHECK(byte_range("bytes=0-", 0).kind == ByteRange::Kind::unsatisfiable);
}

TEST_CASE("credentials are compared as RFC 7617 says") {
  CHECK(base64("") == "");
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foobar") == "Zm9vYmFy");
  CHECK(base64("Aladdin:open sesame") == "QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
  CHECK(is_authorized("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "Aladdin", "open sesame"));
  CHECK(is_authorized("basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "Aladdin", "open sesame"));
  for (const char* wrong : {"", "Basic", "Basic ", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZR==",
                            "Bearer QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==="}) {
    CHECK_FALSE(is_authorized(wrong, "Aladdin", "open sesame"));
  }
}

TEST_CASE("a file comes with its type, its size and its version") {
  const Server server;
  const Answer answer = server.get("/");
  CHECK(answer.status == 200);
  CHECK(answer.length == 10);
  CHECK(answer.file);
  CHECK(header(answer, "Content-Type") == "text/html; charset=utf-8");
  CHECK(header(answer, "ETag").starts_with('"'));
  CHECK(header(answer, "Last-Modified").ends_with(" GMT"));
}

TEST_CASE("who has the version already gets none") {
  const Server server;
  const Answer first = server.get("/app.js");
  const std::string tag = header(first, "ETag");
  const std::string modified = header(first, "Last-Modified");
  CHECK(server.ask({.method = "GET", .target = "/app.js", .if_none_match = tag}).status == 304);
  CHECK(server.ask({.method = "GET", .target = "/app.js", .if_none_match = "\"old\", W/" + tag}).status ==
        304);
  CHECK(server.ask({.method = "GET", .target = "/app.js", .if_none_match = "\"old\""}).status == 200);
  CHECK(server.ask({.method = "GET", .target = "/app.js", .if_modified_since = modified}).status == 304);
  CHECK(
      server.ask({.method = "GET", .target = "/app.js", .if_modified_since = "Thu, 01 Jan 1970 00:00:00 GMT"})
          .status == 200);
  CHECK(server.ask({.method = "GET", .target = "/app.js", .if_modified_since = "yesterday"}).status == 200);
}

TEST_CASE("a part is sent of the version that the client has") {
  const Server server;
  const std::string tag = header(server.get("/"), "ETag");
  const Answer part = server.ask({.method = "GET", .target = "/", .range = "bytes=3-4", .if_range = tag});
  CHECK(part.status == 206);
  CHECK(part.first == 3);
  CHECK(part.length == 2);
  CHECK(header(part, "Content-Range") == "bytes 3-4/10");
  CHECK(server.ask({.method = "GET", .target = "/", .range = "bytes=3-4", .if_range = "\"old\""}).status ==
        200);
  const Answer none = server.ask({.method = "GET", .target = "/", .range = "bytes=10-"});
  CHECK(none.status == 416);
  CHECK(header(none, "Content-Range") == "bytes */10");
}

TEST_CASE("what is not there is 404, or the page of a single-page application") {
  Server server;
  CHECK(server.get("/users/7").status == 404);
  CHECK(server.get("/%zz").status == 400);
  CHECK(server.ask({.method = "POST", .target = "/"}).status == 405);
  CHECK(header(server.ask({.method = "PUT", .target = "/"}), "Allow") == "GET, HEAD");
  server.policy.spa = true;
  CHECK(server.get("/users/7").status == 200);
  CHECK(header(server.get("/users/7"), "Content-Type") == "text/html; charset=utf-8");
}

TEST_CASE("a folder without its slash is sent on, never to another host") {
  Server server;
  std::filesystem::create_directory(server.temp.at("docs"));
  const Answer answer = server.get("//docs?a=1");
  CHECK(answer.status == 301);
  CHECK(header(answer, "Location") == "/docs/?a=1");
}

TEST_CASE("without the credentials nothing is told, not even what is there") {
  Server server;
  server.policy.user = "me";
  server.policy.password = "secret";
  CHECK(server.get("/").status == 401);
  CHECK(server.get("/nowhere").status == 401);
  CHECK(header(server.get("/"), "WWW-Authenticate").starts_with("Basic realm="));
  const std::string right = "Basic " + base64("me:secret");
  CHECK(server.ask({.method = "GET", .target = "/", .authorization = right}).status == 200);
}

}  // namespace clusterd::serve
