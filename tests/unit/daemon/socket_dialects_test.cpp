// What each kind of program is told of its sockets, letter by letter.
#include "daemon/socket_dialects.h"

#include <catch2/catch.hpp>

namespace clusterd {
namespace {

Environment told(std::vector<SocketProtocol> protocols, const std::vector<std::string>& addresses,
                 Environment before = {}, Environment own = {}) {
  AppSpec spec;
  spec.socket_protocol = std::move(protocols);
  spec.env = std::move(own);
  DialectFacts facts{{}, 7, 2, 4711};
  for (const std::string& address : addresses) facts.sockets.push_back(parse_listen_address(address).value());
  add_socket_dialects(before, spec, facts);
  return before;
}

const std::vector<std::string> kThree{"127.0.0.1:80", "*:8080", "unix:/run/x"};

}  // namespace

TEST_CASE("without sockets nothing is said") { CHECK(told({SocketProtocol::automatic}, {}).empty()); }

TEST_CASE("each dialect in the words of its readers") {
  CHECK(told({SocketProtocol::nginx}, kThree) == Environment{{"NGINX", "3;4;5;"}});
  CHECK(told({SocketProtocol::unicorn}, kThree) == Environment{{"UNICORN_FD", "3,4,5"}});
  CHECK(told({SocketProtocol::php_fpm}, kThree) ==
        Environment{{"FPM_SOCKETS", "127.0.0.1:80=3,[::]:8080=4,/run/x=5"}});
  CHECK(told({SocketProtocol::puma}, kThree) == Environment{{"PUMA_INHERIT_0", "3:tcp://127.0.0.1:80"},
                                                            {"PUMA_INHERIT_1", "4:tcp://[::]:8080"},
                                                            {"PUMA_INHERIT_2", "5:unix:///run/x"}});
  CHECK(told({SocketProtocol::server_starter}, kThree) ==
        Environment{{"SERVER_STARTER_PORT", "127.0.0.1:80=3;8080=4;/run/x=5"},
                    {"SERVER_STARTER_GENERATION", "7"}});
  CHECK(told({SocketProtocol::einhorn}, {"[::1]:80"}) == Environment{{"EINHORN_FD_COUNT", "1"},
                                                                     {"EINHORN_FD_0", "3"},
                                                                     {"EINHORN_FD_FAMILY_0", "AF_INET6"},
                                                                     {"EINHORN_FDS", "3"},
                                                                     {"EINHORN_CHILD_INDEX", "2"},
                                                                     {"EINHORN_MASTER_PID", "4711"}});
  CHECK(told({SocketProtocol::gunicorn}, kThree) ==
        Environment{{"GUNICORN_FD", "3,4,5"}, {"GUNICORN_PID", "4711"}});
  CHECK(told({SocketProtocol::uwsgi}, kThree) ==
        Environment{{"UPSTART_EVENTS", "socket"}, {"UPSTART_FDS", "3"}});
  CHECK(told({SocketProtocol::overseer}, kThree) ==
        Environment{{"OVERSEER_IS_SLAVE", "1"}, {"OVERSEER_NUM_FDS", "3"}, {"OVERSEER_SLAVE_ID", "7"}});
  CHECK(told({SocketProtocol::systemd}, kThree).empty());  // LISTEN_* are clusterd-exec's
}

TEST_CASE("auto leaves out what changes a program that was not asked") {
  const Environment all = told({SocketProtocol::automatic}, kThree);
  for (const char* name :
       {"NGINX", "UNICORN_FD", "FPM_SOCKETS", "PUMA_INHERIT_2", "SERVER_STARTER_PORT", "EINHORN_FD_COUNT"})
    CHECK(all.contains(name));
  for (const char* name : {"GUNICORN_FD", "GUNICORN_PID", "UPSTART_FDS", "OVERSEER_IS_SLAVE", "PORT"})
    CHECK_FALSE(all.contains(name));
}

TEST_CASE("PORT is said if one TCP address leaves no doubt and nobody else has said it") {
  CHECK(told({SocketProtocol::port}, {"127.0.0.1:80", "/run/x"}) == Environment{{"PORT", "80"}});
  CHECK(told({SocketProtocol::port}, {"127.0.0.1:80", "[::1]:80"}).empty());
  CHECK(told({SocketProtocol::port}, {"127.0.0.1:80"}, {{"PORT", "1"}}) == Environment{{"PORT", "1"}});
}

TEST_CASE("what the app sets itself stays, what a shell left behind does not") {
  CHECK(told({SocketProtocol::nginx}, {"80"}, {{"NGINX", "9;"}}, {{"NGINX", "9;"}}).at("NGINX") == "9;");
  CHECK(told({SocketProtocol::nginx}, {"80"}, {{"NGINX", "9;"}}).at("NGINX") == "3;");
}

}  // namespace clusterd
