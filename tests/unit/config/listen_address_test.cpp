#include "config/listen_address.h"

#include <catch2/catch.hpp>

using namespace clusterd;
using namespace std::string_literals;

TEST_CASE("a bare port serves IPv4 and IPv6 on all interfaces") {
  for (const char* text : {"3000", ":3000", "*:3000"}) {
    const auto address = parse_listen_address(text).value();
    CHECK(address.family == AddressFamily::tcp6);
    CHECK(address.dual_stack);
    CHECK(address.port == 3000);
    CHECK(to_string(address) == "*:3000");
  }
}

TEST_CASE("addresses of each family are read and written back") {
  for (const char* text :
       {"*:3000", "0.0.0.0:3000", "127.0.0.1:80", "[::]:3000", "[::1]:65535", "[fe80::1%2]:80", "127.0.0.1:0",
        "unix:/run/app.sock", "unix:@name", "[2001:db8::1]:1"}) {
    INFO(text);
    const auto address = parse_listen_address(text);
    REQUIRE(address);
    CHECK(to_string(*address) == text);
    CHECK(parse_listen_address(to_string(*address)).value() == *address);
  }
  CHECK(parse_listen_address("localhost:80").value() == parse_listen_address("127.0.0.1:80").value());
  CHECK(parse_listen_address("/run/a.sock").value() == parse_listen_address("unix:/run/a.sock").value());
  CHECK(parse_listen_address("[0:0:0:0:0:0:0:1]:80").value() == parse_listen_address("[::1]:80").value());
}

TEST_CASE("[::] is IPv6 only and differs from the dual stack") {
  const auto v6_only = parse_listen_address("[::]:3000").value();
  CHECK_FALSE(v6_only.dual_stack);
  CHECK(v6_only != parse_listen_address("*:3000").value());
}

TEST_CASE("bytes of an address are in network order") {
  const auto v4 = parse_listen_address("10.1.2.3:1").value();
  CHECK(v4.family == AddressFamily::tcp4);
  CHECK(v4.ip[0] == 10);
  CHECK(v4.ip[3] == 3);
  CHECK(parse_listen_address("[::1]:1").value().ip[15] == 1);
  CHECK(parse_listen_address("[fe80::1%7]:1").value().scope_id == 7);
}

TEST_CASE("what is no address is refused with a reason") {
  for (const auto& text : {""s,
                           ":"s,
                           "x"s,
                           "-1"s,
                           "65536"s,
                           "3000.0"s,
                           "+80"s,
                           " 80"s,
                           "80 "s,
                           "127.0.0.1"s,
                           "127.0.0.1:"s,
                           "127.1:80"s,
                           "256.0.0.1:80"s,
                           "::1:80"s,
                           "::"s,
                           "[::1]"s,
                           "[::1:80"s,
                           "[]:80"s,
                           "[127.0.0.1]:80"s,
                           "[fe80::1%eth0]:80"s,
                           "[::1%]:1"s,
                           "example.com:80"s,
                           "unix:"s,
                           "unix:rel.sock"s,
                           "unix:@"s,
                           "unix:/"s,
                           "/"s,
                           "http://x:80"s,
                           "127.0.0.1\0x:80"s,
                           "unix:/a\0b"s,
                           "unix:/" + std::string(107, 'x')}) {
    INFO(text);
    const auto address = parse_listen_address(text);
    REQUIRE_FALSE(address);
    CHECK(address.error().code == ErrorCode::config);
  }
  CHECK(parse_listen_address("unix:/" + std::string(106, 'x')));
  CHECK(parse_listen_address("example.com:80").error().message.find("host names") != std::string::npos);
  CHECK(parse_listen_address("::1:80").error().message.find("brackets") != std::string::npos);
}
