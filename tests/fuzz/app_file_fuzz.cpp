// libFuzzer's entry for app_file; see app_file_target.h.
#include "tests/fuzz/app_file_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return clusterd::fuzz_app_file(data, size);
}
