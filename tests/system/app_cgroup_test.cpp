#include "daemon/system/app_cgroup.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/system/temp_folder.h"

namespace clusterd {

TEST_CASE("a cgroup has its limits, an entrance, and is removed with its owner") {
  if (!AppCgroup::hindrance().empty()) {
    WARN("skipped: " << AppCgroup::hindrance());
    return;
  }
  std::string entrance;
  {
    auto cgroup = AppCgroup::make("test-1-1", {64U << 20, std::nullopt, 20});
    REQUIRE(cgroup);
    REQUIRE_FALSE(cgroup->entrances().empty());
    const std::string link = "/proc/self/fd/" + std::to_string(cgroup->entrances().back());
    entrance = std::filesystem::read_symlink(link).string();
    const std::string folder = entrance.substr(0, entrance.rfind('/'));
    CHECK(test::file_content(folder + "/pids.max") == "20\n");
  }
  CHECK_FALSE(std::filesystem::exists(entrance));
}

}  // namespace clusterd
