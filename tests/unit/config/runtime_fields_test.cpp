#include "config/runtime_fields.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "config/spec_json.h"
#include "tests/unit/config/app_file_fixture.h"

using namespace clusterd;
using nlohmann::json;

namespace {

struct Fixture : AppFileFixture {
  AppFileResult parse(json keys) {
    keys["name"] = "x";
    keys["script"] = "/x";
    return parse_app_object(keys, context);
  }
  AppSpec spec(const json& keys) {
    const AppFileResult result = parse(keys);
    INFO(keys.dump());
    REQUIRE(result.errors == std::vector<std::string>{});
    return result.apps.front();
  }
  std::string error(const json& keys) {
    const AppFileResult result = parse(keys);
    INFO(keys.dump());
    REQUIRE(result.errors.size() == 1);
    return result.errors.front();
  }
};

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE_METHOD(Fixture, "a cron pattern can be taken away as in PM2") {
  CHECK(spec({{"cron_restart", "30 4 * * *"}}).cron.pattern == "30 4 * * *");
  CHECK(spec({{"cron", "*/5 * * * * *"}}).cron.pattern == "*/5 * * * * *");
  for (const json& off : {json(0), json("0"), json(false)})
    CHECK(spec({{"cron_restart", off}}).cron.pattern.empty());
  CHECK(contains(error({{"cron_restart", "30 25 * * *"}}), "cron_restart: the hour \"25\""));
}

TEST_CASE_METHOD(Fixture, "an unknown time zone is refused where the system has zones") {
  files["/usr/share/zoneinfo/UTC"] = {};
  files["/usr/share/zoneinfo/Europe/Berlin"] = {};
  CHECK(spec({{"cron_timezone", "Europe/Berlin"}}).cron.zone == "Europe/Berlin");
  CHECK(contains(error({{"cron_timezone", "Europe/Atlantis"}}), "is no time zone of this system"));
  CHECK(contains(error({{"cron_timezone", "../../etc/passwd"}}), "name of a time zone"));
}

TEST_CASE_METHOD(Fixture, "a limit of memory is a size, and no mistake of the unit") {
  CHECK(spec({{"max_memory_restart", "100M"}}).max_memory_restart == 100U << 20);
  CHECK(spec({{"max_memory_restart", "512mb"}}).max_memory_restart == 512U << 20);
}

TEST_CASE_METHOD(Fixture, "implausible limits of memory are refused") {
  for (const json& value :
       {json(100), json("100"), json("0"), json("10%"), json("-1"), json(-1), json("1.5G")})
    CHECK(contains(error({{"max_memory_restart", value}}), "max_memory_restart"));
}

TEST_CASE_METHOD(Fixture, "watch is a switch or a list of paths below cwd") {
  CHECK_FALSE(spec(json::object()).watch.on);
  CHECK_FALSE(spec({{"watch", false}}).watch.on);
  const AppSpec all = spec({{"watch", true}, {"cwd", "/srv"}});
  CHECK(all.watch.on);
  CHECK(all.watch.paths.empty());
  CHECK(spec({{"watch", json::array({"src", "/etc/x.conf"})}, {"cwd", "/srv"}}).watch.paths ==
        std::vector<std::string>{"/srv/src", "/etc/x.conf"});
  CHECK(contains(error({{"watch", true}, {"cwd", "/"}}), "whole system"));
  CHECK(contains(error({{"watch", "/"}}), "whole system"));
}

TEST_CASE_METHOD(Fixture, "limits of processes") {
  const AppSpec limited =
      spec({{"rlimits", {{"nofile", "1024:4096"}, {"core", "unlimited"}, {"memlock", "64M"}}},
            {"nice", 5},
            {"umask", "027"},
            {"cgroup", {{"memory", "64M"}, {"cpu", 0.5}, {"pids", "20"}}}});
  CHECK(limited.limits.rlimits.at("nofile") == ResourceLimit{1024, 4096});
  CHECK(limited.limits.rlimits.at("core") == ResourceLimit{kUnlimited, kUnlimited});
  CHECK(limited.limits.rlimits.at("memlock").soft == 64U << 20);
  CHECK(limited.limits.umask == 027);
  CHECK(limited.limits.cgroup == CgroupLimits{64U << 20, 500, 20});
  CHECK(parse_resolved_app(to_json(limited)).value() == limited);
  CHECK(contains(error({{"rlimits", {{"files", 3}}}}), "rlimits.files: is no resource"));
  CHECK(contains(error({{"rlimits", {{"nofile", "9:3"}}}}), "soft limit is above"));
  CHECK(contains(error({{"umask", "99"}}), "octal"));
  CHECK(contains(error({{"nice", 20}}), "from -20 to 19"));
  CHECK(contains(error({{"cgroup", {{"disk", 1}}}}), "cgroup.disk: is not known"));
}

TEST_CASE_METHOD(Fixture, "an app does not depend on itself") {
  CHECK(contains(error({{"depends_on", "x"}}), "the app itself"));
  CHECK(contains(error({{"depends_on", "default:x"}}), "the app itself"));
  CHECK(contains(error({{"depends_on", "a/b"}}), "names of apps"));
}

TEST_CASE_METHOD(Fixture, "what is not given survives the way to the daemon") {
  const AppSpec plain = spec(json::object());
  CHECK(parse_resolved_app(to_json(plain)).value() == plain);
  const AppSpec full = spec({{"watch", json::array({"a"})},
                             {"ignore_watch", json::array()},
                             {"cron_restart", "@hourly"},
                             {"cron_overlap", "skip"},
                             {"pre_start", "sh -c 'exit 0'"},
                             {"depends_on", "db"}});
  CHECK(full.watch.ignored == std::vector<std::string>{});
  CHECK(full.pre_start == std::vector<std::string>{"sh", "-c", "exit 0"});
  CHECK(parse_resolved_app(to_json(full)).value() == full);
}
