// libFuzzer's entry for http_response; see http_response_target.h.
#include "tests/fuzz/http_response_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return clusterd::fuzz_http_response(data, size);
}
