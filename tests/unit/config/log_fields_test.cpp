#include "config/log_fields.h"

#include <catch2/catch.hpp>

#include "tests/unit/config/app_file_fixture.h"

using namespace clusterd;

namespace {

struct Fixture : AppFileFixture {
  LogSettings log(const std::string& keys) { return app_with(keys).log; }
  std::string refusal(const std::string& keys) { return error_with(keys); }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "`log` is a file, or the word for none between app and file") {
  CHECK(log(R"("log": "all.log")").file == "/srv/web/all.log");
  CHECK(log(R"("log_file": "NULL")").file == "/dev/null");
  CHECK(log(R"("log": "direct")").target == LogTargetKind::direct);
  CHECK(log(R"("log": "direct")").file.empty());
}

TEST_CASE_METHOD(Fixture, "rotation in each of its forms") {
  CHECK(log(R"("log_rotate": true)").rotate->size == kRotationBytesDefault);
  CHECK_FALSE(log(R"("log_rotate": false)").rotate);
  CHECK(log(R"("log_rotate": "1M")").rotate->size == 1024 * 1024);
  const auto daily = log(R"("log_rotate": "day")").rotate;
  CHECK(daily->interval == LogRotation::Interval::day);
  CHECK(daily->size == 0);
  const auto all =
      log(R"("log_rotate": {"size": 4096, "interval": "hour", "keep": 3, "total": "1G", "age": "7d",
                                         "compress": "zstd"})")
          .rotate;
  CHECK(all == LogRotation{4096, LogRotation::Interval::hour, 3, 1ull << 30, std::chrono::hours{168},
                           LogRotation::Compression::zstd, ""});
}

TEST_CASE_METHOD(Fixture, "a cron pattern is an interval, also in short") {
  for (const char* value :
       {R"("0 3 * * *")", R"("*/10 * * * * *")", R"("@daily")", R"({"interval": "30 4 1 * mon"})"}) {
    const auto rotate = log(R"("log_rotate": )" + std::string(value)).rotate;
    CHECK(rotate->interval == LogRotation::Interval::cron);
    CHECK(std::string(value).find(rotate->cron) != std::string::npos);
    CHECK(rotate->size == 0);
  }
  const auto both = log(R"("log_rotate": {"interval": "@hourly", "size": "1M"})").rotate;
  CHECK(both->cron == "@hourly");
  CHECK(both->size == 1024 * 1024);
  CHECK(refusal(R"("log_rotate": "61 * * * *")").find("the minute \"61\" is not understood") !=
        std::string::npos);
  CHECK(refusal(R"("log_rotate": {"interval": "month"})").find("log_rotate.interval") != std::string::npos);
  CHECK(refusal(R"("log_rotate": {"interval": "month"})").find("as a cron pattern it has 1 fields") !=
        std::string::npos);
  CHECK(refusal(R"("log_rotate": {"interval": "0 0 30 2 *"})").find("never comes") != std::string::npos);
}

TEST_CASE_METHOD(Fixture, "mistakes name the member and say what is possible") {
  CHECK(refusal(R"("log_rotate": {"every": "day"})").find("log_rotate.every: unknown key") !=
        std::string::npos);
  CHECK(refusal(R"("log_rotate": {"compress": "bzip2"})").find(R"("none", "gzip" or "zstd")") !=
        std::string::npos);
  CHECK(refusal(R"("log_rotate": "10")").find("a size from 1024") != std::string::npos);
  CHECK(refusal(R"("log_line_max": "1")").find("a size from 256") != std::string::npos);
  CHECK(refusal(R"("log_target": "printer")").find(R"("syslog" or "stdout")") != std::string::npos);
}

TEST_CASE_METHOD(Fixture, "what needs the daemon in between contradicts a direct log") {
  CHECK(refusal(R"("log": "direct", "log_rotate": true)").find("log_rotate") != std::string::npos);
  CHECK(refusal(R"("log": "direct", "time": true)").find("log_date_format") != std::string::npos);
}
