// libFuzzer's entry for node_protocol; see node_protocol_target.h.
#include "tests/fuzz/node_protocol_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return clusterd::fuzz_node_protocol(data, size);
}
