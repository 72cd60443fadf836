#include "daemon/core/line_cutter.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace clusterd;

namespace {

// Pieces as text: "|" where a line begins or ends, ">" where it was cut, "~" where it was let go.
struct Cuts {
  explicit Cuts(std::size_t limit) : cutter(limit) {}
  void operator()(const LinePiece& piece) {
    constexpr std::string_view kMarks = "|>~";
    all.push_back(std::string(1, kMarks[static_cast<std::size_t>(piece.begin)]) + std::string(piece.text) +
                  kMarks[static_cast<std::size_t>(piece.end)]);
  }
  void print(std::string_view chunk) { cutter.cut(chunk, *this); }
  void release() { cutter.release(*this); }
  LineCutter cutter;
  std::vector<std::string> all;
};

using Pieces = std::vector<std::string>;

}  // namespace

TEST_CASE("lines are cut once, wherever the chunks end") {
  const std::string text = "one\n\ntwo\r\nthree\n";
  for (std::size_t split = 0; split <= text.size(); ++split) {
    Cuts cuts(100);
    cuts.print(text.substr(0, split));
    cuts.print(text.substr(split));
    CHECK(cuts.all == Pieces{"|one|", "||", "|two\r|", "|three|"});
    CHECK_FALSE(cuts.cutter.holds());
  }
}

TEST_CASE("a line that is let go continues") {
  Cuts cuts(100);
  cuts.print("prompt> ");
  CHECK(cuts.all.empty());
  cuts.release();
  cuts.release();
  cuts.print("yes\nnext\n");
  CHECK(cuts.all == Pieces{"|prompt> ~", "~yes|", "|next|"});
}

TEST_CASE("a line around the limit is cut there and nowhere else") {
  Cuts cuts(4);
  cuts.print("abcd\n");
  cuts.print("abcde\n");
  cuts.print("abcdefghi");
  cuts.release();
  CHECK(cuts.all == Pieces{"|abcd|", "|abcd>", ">e|", "|abcd>", ">efgh>", ">i~"});
}

TEST_CASE("a cut never falls into a character") {
  Cuts cuts(6);
  cuts.print("abcd\xf0\x9f\x98\x80z\n");
  CHECK(cuts.all == Pieces{"|abcd>", ">\xf0\x9f\x98\x80z|"});
}

TEST_CASE("bytes that are no text are cut at the limit") {
  Cuts cuts(6);
  cuts.print(std::string(13, '\x80') + "\n");
  CHECK(cuts.all == Pieces{"|" + std::string(6, '\x80') + ">", ">" + std::string(6, '\x80') + ">", ">\x80|"});
}
