// LineCutter: cuts a stream of bytes into lines, each exactly once, however the stream arrives.
//
// Pure; one per stream, used by LineFilter where lines are stamped, made to JSON or counted. An unfinished
// line is kept until it ends, is longer than the limit (then it is cut, never inside of a UTF-8 character),
// or its release is asked for. So memory is the limit plus one chunk, whatever is printed. Bytes are never
// changed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace clusterd {

struct LinePiece {
  enum class Begin {
    fresh,     // of a line
    cut,       // goes on where the piece before was cut at the limit
    released,  // goes on where the piece before was let go
  };
  enum class End {
    newline,   // which is not part of the text
    cut,       // at the limit
    released,  // let go unfinished
  };
  std::string_view text;
  Begin begin = Begin::fresh;
  End end = End::newline;
};

class LineCutter {
 public:
  explicit LineCutter(std::size_t limit) : limit_(limit) {}

  // Calls take(LinePiece) for each piece that is complete with `chunk`; texts are valid during the call.
  template <class Take>
  void cut(std::string_view chunk, Take&& take) {
    for (std::size_t newline = chunk.find('\n'); newline != chunk.npos; newline = chunk.find('\n')) {
      end_line(chunk.substr(0, newline), take);
      chunk.remove_prefix(newline + 1);
    }
    held_.append(chunk);
    while (held_.size() > limit_) take_cut(take);
  }

  // What is held, as a piece that ends `released`; nothing if nothing is held.
  template <class Take>
  void release(Take&& take) {
    if (held_.empty()) return;
    take(LinePiece{held_, begin_, LinePiece::End::released});
    begin_ = LinePiece::Begin::released;
    forget(held_.size());
  }

  bool holds() const { return !held_.empty(); }

 private:
  template <class Take>
  void end_line(std::string_view text, Take&& take) {
    if (held_.empty() && text.size() <= limit_) {  // nearly always: nothing is copied
      take(LinePiece{text, begin_, LinePiece::End::newline});
    } else {
      held_.append(text);
      while (held_.size() > limit_) take_cut(take);
      take(LinePiece{held_, begin_, LinePiece::End::newline});
      forget(held_.size());
    }
    begin_ = LinePiece::Begin::fresh;
  }

  template <class Take>
  void take_cut(Take&& take) {
    const std::size_t size = cut_size();
    take(LinePiece{std::string_view(held_).substr(0, size), begin_, LinePiece::End::cut});
    begin_ = LinePiece::Begin::cut;
    forget(size);
  }

  std::size_t cut_size() const;     // of what may be cut off: `limit_`, or a few bytes less
  void forget(std::size_t prefix);  // and the memory of a long line

  std::size_t limit_;
  std::string held_;
  LinePiece::Begin begin_ = LinePiece::Begin::fresh;
};

}  // namespace clusterd
