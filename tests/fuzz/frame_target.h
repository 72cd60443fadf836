// Fuzz target: any bytes, in pieces of any size, as either side of a control connection.
//
// Called by libFuzzer (frame_fuzz.cpp) and by the unit tests, which replay the committed corpus. The first
// byte is the size of the pieces. Aborts if the pieces change what the lines are, or a request changes on its
// way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "common/frame.h"
#include "common/json_text.h"
#include "common/message.h"
#include "common/operation.h"

namespace clusterd {

inline constexpr std::size_t kFuzzLineBytesMax = 256;

inline std::vector<std::string> lines_in_pieces(std::string_view stream, std::size_t piece_bytes) {
  FrameReader reader(kFuzzLineBytesMax);
  std::vector<std::string> lines;
  while (true) {
    for (Frame frame = reader.next(); frame.kind != Frame::Kind::none; frame = reader.next()) {
      if (frame.kind == Frame::Kind::too_long) return lines;
      if (frame.line.size() > kFuzzLineBytesMax) std::abort();
      lines.push_back(std::move(frame.line));
    }
    if (stream.empty()) return lines;
    const std::size_t taken = std::min(piece_bytes, stream.size());
    reader.feed(stream.substr(0, taken));
    stream.remove_prefix(taken);
  }
}

inline void try_as_message(const std::string& line) {
  static_cast<void>(parse_greeting(line));
  static_cast<void>(parse_server_message(line));
  static_cast<void>(request_id_of(line));
  const auto request = parse_request(line);
  if (!request) return;
  const auto again = parse_request(to_line(to_json(*request)));
  if (!again || again->id != request->id || again->op != request->op || again->args != request->args)
    std::abort();
  if (const Operation* operation = find_operation(request->op)) {
    static_cast<void>(check_arguments(*operation, request->args));
  } else {
    static_cast<void>(unknown_operation(request->op));
  }
}

inline int fuzz_frame(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view stream(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t piece_bytes = std::max<std::size_t>(1, data[0]);
  const auto lines = lines_in_pieces(stream, piece_bytes);
  if (lines != lines_in_pieces(stream, 1)) std::abort();
  for (const std::string& line : lines) try_as_message(line);
  return 0;
}

}  // namespace clusterd
