// `listen` entries: names, rights, references to their descriptors, and what is refused.
#include "config/listen_entry.h"

#include <catch2/catch.hpp>

#include "tests/unit/config/app_file_fixture.h"

using namespace clusterd;

TEST_CASE_METHOD(AppFileFixture, "an entry may have a name and rights") {
  const auto listen =
      app_with(R"("listen": [3000, {"address": "/run/x", "name": "api", "mode": "0660", "owner": "www-data",
      "group": 33}])")
          .listen;
  REQUIRE(listen.size() == 2);
  CHECK(socket_name(listen, 0) == "listen0");
  CHECK(socket_name(listen, 1) == "api");
  CHECK(listen[1].rights == SocketRights{0660, "www-data", "33"});
}

TEST_CASE_METHOD(AppFileFixture, "wrong members of an entry are named") {
  CHECK(error_with(R"("listen": [{"name": "x"}])").find("'address' is missing") != std::string::npos);
  CHECK(error_with(R"("listen": [{"address": 1, "mode": 660}])").find("listen[0].mode") != std::string::npos);
  CHECK(error_with(R"("listen": [{"address": "/x", "mode": "0888"}])").find("octal") != std::string::npos);
  CHECK(error_with(R"("listen": [{"address": "/x", "mode": "1777"}])").find("octal") != std::string::npos);
  CHECK(error_with(R"("listen": [{"address": 1, "name": "a:b"}])").find(".name") != std::string::npos);
  CHECK(error_with(R"("listen": [{"address": 1, "mode": "600"}])").find("Unix sockets") != std::string::npos);
  CHECK(error_with(R"("listen": [{"address": "unix:@x", "mode": "600"}])").find("Unix sockets") !=
        std::string::npos);
  CHECK(error_with(R"("listen": [{"address": 1, "nam": "x"}])").find("unknown key") != std::string::npos);
}

TEST_CASE_METHOD(AppFileFixture, "no two entries have one address or one name") {
  CHECK(error_with(R"("listen": [1, {"address": 2, "name": "listen0"}])").find("listen0 stands twice") !=
        std::string::npos);
  CHECK(error_with(R"("listen": [1, {"address": 1, "name": "x"}])").find("stands twice") !=
        std::string::npos);
}

TEST_CASE("a reference becomes the number of the descriptor") {
  const std::vector<ListenEntry> listen{parse_listen_address("1").value(),
                                        {parse_listen_address("2").value(), "web"}};
  CHECK(expand_sockets("fd://${socket.web},${socket.listen0}!", listen) == "fd://4,3!");
  CHECK(expand_sockets("${HOME} ${socket.web", listen) == "${HOME} ${socket.web");
  CHECK(find_unknown_socket("${socket.web} ${socket.x} ${socket.y}", listen) == "x");
  CHECK_FALSE(find_unknown_socket("${socket.web}", listen));
}

TEST_CASE_METHOD(AppFileFixture, "a reference to an unknown socket is an error of its field") {
  CHECK(error_with(R"("listen": [1], "args": ["a", "${socket.web}"])").find("args[1]") != std::string::npos);
  CHECK(error_with(R"("env": {"A": "${socket.web}"})").find("env.A") != std::string::npos);
  CHECK(error_with(R"("env_x": {"A": "${socket.web}"})").find("env_x.A") != std::string::npos);
}

TEST_CASE_METHOD(AppFileFixture, "socket protocols are words or a list of them") {
  CHECK(app_with("").socket_protocol == std::vector{SocketProtocol::automatic});
  CHECK(app_with(R"("socket_protocol": ["nginx", "php-fpm", "nginx"])").socket_protocol ==
        std::vector{SocketProtocol::nginx, SocketProtocol::php_fpm});
  CHECK(app_with(R"("socket_protocol": [])").socket_protocol.empty());
  CHECK(error_with(R"("socket_protocol": ["apache"])").find("socket_protocol[0]") != std::string::npos);
  CHECK(speaks({SocketProtocol::automatic}, SocketProtocol::port));
  CHECK_FALSE(speaks({SocketProtocol::automatic}, SocketProtocol::gunicorn));
  CHECK_FALSE(speaks({SocketProtocol::nginx}, SocketProtocol::systemd));
}
