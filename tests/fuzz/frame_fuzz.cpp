// libFuzzer's entry for frame; see frame_target.h.
#include "tests/fuzz/frame_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return clusterd::fuzz_frame(data, size);
}
