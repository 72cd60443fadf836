#include "cli/boot_unit.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

using namespace clusterd;
using namespace clusterd::cli;

namespace {

std::string unit(const std::string& user, const std::string& home = "/home/u/.clusterd") {
  auto text = boot_unit_text({user, home, "/usr/bin/clusterd-daemon"});
  INFO((text ? std::string() : text.error().message));
  REQUIRE(text);
  return *text;
}

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

}  // namespace

TEST_CASE("a system unit runs as the user, a user unit has no user") {
  CHECK(has_line(unit("deploy"), "User=deploy"));
  CHECK(has_line(unit("deploy"), "WantedBy=multi-user.target"));
  CHECK(unit("").find("User=") == std::string::npos);
  CHECK(has_line(unit(""), "WantedBy=default.target"));
  CHECK(has_line(unit(""), "ExecStart=\"/usr/bin/clusterd-daemon\" --resurrect"));
}

TEST_CASE("percent signs, dollars, quotes and blanks survive") {
  CHECK(has_line(unit("", "/srv/a b%c\"d\\e$f"), R"(Environment="CLUSTERD_HOME=/srv/a b%%c\"d\\e$f")"));
  auto text = boot_unit_text({"", "/h", "/opt/$x/100%/d"});
  REQUIRE(text);
  CHECK(has_line(*text, R"(ExecStart="/opt/$$x/100%%/d" --resurrect)"));
}

TEST_CASE("dots in a user's name are fine, what systemd may not take is refused") {
  CHECK(has_line(unit("first.last"), "User=first.last"));
  for (const char* user : {"a b", "a%u", "-x", "a\nUser=root", "a/b"}) {
    INFO(user);
    CHECK_FALSE(boot_unit_text({user, "/h", "/d"}));
  }
  CHECK_FALSE(boot_unit_text({"u", "/h\nx", "/d"}));
  CHECK_FALSE(boot_unit_text({"u", "relative", "/d"}));
  CHECK_FALSE(boot_unit_text({"u", "/h", ""}));
}

TEST_CASE("the packaged units and these say the same about life and death") {
  for (const auto& [file, user] :
       {std::pair{"clusterd.service.in", "u"}, std::pair{"clusterd-user.service.in", ""}}) {
    std::ifstream packaged(CLUSTERD_SOURCE_DIR "/packaging/systemd/" + std::string(file));
    REQUIRE(packaged);
    for (std::string line; std::getline(packaged, line);) {
      INFO(line);
      for (const char* key :
           {"Type=", "NotifyAccess=", "ExecReload=", "KillMode=", "TimeoutStopSec=", "Delegate=",
            "WatchdogSec=", "Restart=", "RestartSec=", "LimitNOFILE=", "OOMScoreAdjust=", "WantedBy="}) {
        if (line.starts_with(key)) CHECK(has_line(unit(user), line));
      }
    }
  }
}

TEST_CASE("names of services") {
  for (const char* name : {"clusterd-u", "a@b", "first.last", "a_b:c"}) CHECK(check_service_name(name));
  for (const char* name : {"", "a b", "a/b", "-a", ".a", "ü"}) CHECK_FALSE(check_service_name(name));
  CHECK_FALSE(check_service_name(std::string(300, 'a')));
}
