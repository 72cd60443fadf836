// ResponseParser: one HTTP/1.1 response as its bytes come in: status, length, whether the connection stays.
//
// Pure; used by the load client, which has to tell a whole answer from a cut one and needs nothing else: a
// parser of a library (Boost.Beast) would bring Asio's headers into a program that starts with every command.
// Framing as in RFC 9112, 6.3: Content-Length, chunked, or until the connection closes. Interim responses
// (1xx) are skipped. The body is counted, not kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace clusterd::cli {

inline constexpr std::size_t kResponseHeadBytesMax = 64 * 1024;  // of a head, or of the trailers
inline constexpr std::size_t kChunkLineBytesMax = 4 * 1024;

class ResponseParser {
 public:
  enum class Body { expected, none };  // none: the answer to HEAD
  explicit ResponseParser(Body body = Body::expected) : body_(body) {}

  enum class State { incomplete, complete, malformed };
  State feed(std::string_view bytes);
  State finish();  // the peer has closed: completes what lasts until then

  State state() const;
  int status() const { return status_; }  // 0 until the head has been read
  std::uint64_t bytes() const { return bytes_; }
  bool keeps_connection() const { return keep_alive_ && surplus_ == 0 && phase_ == Phase::complete; }

 private:
  enum class Phase { head, sized, until_close, chunk_size, chunk, chunk_end, trailers, complete, malformed };

  std::string_view take_body(std::string_view bytes, Phase next);
  std::string_view take_line(std::string_view bytes, std::size_t bytes_max);
  void end_line();
  void end_head_line();
  void end_head();
  void read_status_line();
  void read_field();
  void begin_chunk();
  void begin_body(std::uint64_t length, Phase phase, Phase if_empty);

  Body body_;
  Phase phase_ = Phase::head;
  std::string line_;
  std::size_t head_bytes_ = 0;
  int status_ = 0;
  bool keep_alive_ = true;
  bool has_length_ = false;
  bool chunked_ = false;
  bool encoded_ = false;  // a transfer coding whose end only the closing shows
  std::uint64_t length_ = 0;
  std::uint64_t left_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t surplus_ = 0;  // bytes after the end of the response: they answer nothing
};

}  // namespace clusterd::cli
