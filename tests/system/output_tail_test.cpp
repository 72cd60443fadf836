#include "daemon/system/output_tail.h"

#include <catch2/catch.hpp>
#include <random>

using namespace clusterd;

TEST_CASE("a short stream is its own tail") {
  OutputTail tail;
  CHECK(tail.text().empty());
  tail.append("one\n");
  tail.append("");
  tail.append("two\n");
  CHECK(tail.text() == "one\ntwo\n");
}

TEST_CASE("the tail is always the last bytes of what was appended, however it was cut") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    OutputTail tail;
    std::string all;
    for (int chunk = 0; chunk < 20; ++chunk) {
      const std::size_t size = random() % (round % 2 == 0 ? 700 : 2 * kOutputTailBytesMax);
      std::string bytes(size, '\0');
      for (char& c : bytes) c = static_cast<char>(random());
      all += bytes;
      tail.append(bytes);
      REQUIRE(tail.text() == all.substr(all.size() - std::min(all.size(), kOutputTailBytesMax)));
    }
  }
}

TEST_CASE("the tail is exact at its limit") {
  for (const std::size_t size : {kOutputTailBytesMax - 1, kOutputTailBytesMax, kOutputTailBytesMax + 1}) {
    OutputTail tail;
    tail.append(std::string(size, 'a'));
    tail.append("b");
    CHECK(tail.text() == std::string(std::min(size, kOutputTailBytesMax - 1), 'a') + "b");
  }
}
