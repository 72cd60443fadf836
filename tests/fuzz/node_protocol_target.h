// Fuzz target: any line as what a Node program says on its message channel.
//
// Called by libFuzzer (node_protocol_fuzz.cpp) and by the unit tests, which replay the committed corpus.
// Aborts if an answer is not exactly one line, or a worker's key does not survive it.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "common/json_text.h"
#include "daemon/core/node_protocol.h"

namespace clusterd {

inline void require_one_line(const std::string& line) {
  if (line.find('\n') + 1 != line.size()) std::abort();
  if (!parse_line(std::string_view(line).substr(0, line.size() - 1))) std::abort();
}

inline int fuzz_node_protocol(const std::uint8_t* data, std::size_t size) {
  const NodeMessage message = parse_node_message({reinterpret_cast<const char*>(data), size});
  for (const int error : {0, 98})
    require_one_line(node_query_answer(message.query, error, message.query.data));
  require_one_line(node_ack(message.seq));
  if (!message.query.is_same_server(message.query)) std::abort();
  return 0;
}

}  // namespace clusterd
