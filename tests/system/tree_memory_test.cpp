#include "daemon/system/tree_memory.h"

#include <unistd.h>

#include <catch2/catch.hpp>

namespace clusterd {

TEST_CASE("memory files are read, and nothing is made of what they are not") {
  CHECK(parse_statm("1000 25 10 1 0 5 0\n", 4096) == 25U * 4096);
  CHECK_FALSE(parse_statm("", 4096));
  CHECK_FALSE(parse_statm("12", 4096));
  CHECK(parse_pss("0-1 ---p [rollup]\nRss:   100 kB\nPss:    40 kB\nPss_Dirty: 1 kB\n") == 40U * 1024);
  CHECK_FALSE(parse_pss("Rss: 3 kB\n"));
}

TEST_CASE("the memory of a tree is that of its processes, and unknown without any") {
  const auto resident = resident_memory({getpid(), 999'999'999});
  REQUIRE(resident);
  CHECK(*resident > 100'000);
  CHECK_FALSE(resident_memory({999'999'999}));
  CHECK_FALSE(resident_memory({}));
  const auto proportional = proportional_memory({getpid()});
  REQUIRE(proportional);
  CHECK(*proportional <= *resident + 1'000'000);
}

}  // namespace clusterd
