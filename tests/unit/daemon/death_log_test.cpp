#include "daemon/death_log.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/system/temp_folder.h"

namespace clusterd {
namespace {

std::vector<nlohmann::json> records_in(const std::string& path) {
  std::vector<nlohmann::json> records;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) records.push_back(nlohmann::json::parse(line));
  return records;
}

}  // namespace

TEST_CASE("deaths are kept a line each, in two files of bounded size, for their user only") {
  const test::TempFolder folder;
  const std::string path = folder / "deaths.jsonl";
  DeathLog log(path, 2'000);
  for (int number = 0; number < 100; ++number) {
    log.append({{"number", number}, {"stderr", "tore\xff\n" + std::string(100, 'x')}});
  }
  const auto latest = records_in(path);
  const auto before = records_in(folder / "deaths.1.jsonl");
  REQUIRE_FALSE(latest.empty());
  REQUIRE_FALSE(before.empty());
  CHECK(latest.back()["number"] == 99);
  CHECK(before.back()["number"].get<int>() + 1 == latest.front()["number"].get<int>());
  CHECK(std::filesystem::file_size(path) <= 2'200);
  CHECK_FALSE(std::filesystem::exists(folder / "deaths.2.jsonl"));
  struct stat facts{};
  REQUIRE(stat(path.c_str(), &facts) == 0);
  CHECK((facts.st_mode & 0777) == 0600);
}

TEST_CASE("a record that was removed is begun anew, a folder that is gone is no fault") {
  const test::TempFolder folder;
  const std::string path = folder / "deaths.jsonl";
  DeathLog log(path);
  log.append({{"number", 1}});
  std::filesystem::remove(path);
  log.append({{"number", 2}});
  CHECK(records_in(path).size() == 1);
  DeathLog nowhere("/proc/none/deaths.jsonl");
  nowhere.append({{"number", 1}});
}

}  // namespace clusterd
