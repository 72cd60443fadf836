#include "daemon/system/log_hub.h"

#include <stdio.h>

#include <catch2/catch.hpp>

#include "tests/system/temp_folder.h"

using namespace clusterd;
using namespace std::chrono_literals;
using clusterd::test::TempFolder;

TEST_CASE("two spellings of one path share one log") {
  const TempFolder folder;
  LogHub hub({});
  const auto file = hub.file_for(folder / "web.log");
  CHECK(hub.file_for(folder / "/./web.log") == file);
  CHECK(hub.file_for(folder / "api.log") != file);
}

TEST_CASE("a log is closed with its last user and opened anew for the next") {
  const TempFolder folder;
  LogHub hub({});
  std::weak_ptr<LogFile> seen = hub.file_for(folder / "web.log");
  CHECK(seen.expired());
  CHECK(hub.open_files().empty());
  CHECK(hub.file_for(folder / "web.log")->path() == folder / "web.log");
}

TEST_CASE("the hub does not grow with logs that were closed") {
  const TempFolder folder;
  LogHub hub({});
  const auto kept = hub.file_for(folder / "kept.log");
  for (int i = 0; i < 1'000; ++i) hub.file_for(folder / std::to_string(i));
  CHECK(hub.open_files().size() == 1);
  CHECK(hub.file_for(folder / "kept.log") == kept);
}

TEST_CASE("reopen_all reopens what it can and names what it cannot") {
  const TempFolder folder;
  std::vector<std::string> notices;
  LogHub hub([&](const std::string& sentence) { notices.push_back(sentence); });
  const auto good = hub.file_for(folder / "good.log");
  const auto bad = hub.file_for(folder / "bad/bad.log");
  REQUIRE(::rename((folder / "good.log").c_str(), (folder / "good.log.1").c_str()) == 0);
  REQUIRE(::rename((folder / "bad").c_str(), (folder / "moved").c_str()) == 0);
  test::write_file(folder / "bad", "in the way");

  const auto reopened = hub.reopen_all();
  REQUIRE_FALSE(reopened);
  CHECK(reopened.error().message.find("bad/bad.log") != std::string::npos);
  good->write(good->add_writer(), "new\n", 0s);
  CHECK(test::file_content(folder / "good.log") == "new\n");
  CHECK(test::file_content(folder / "good.log.1").empty());
}
