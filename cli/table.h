// Table: rows of text in columns, as a box on a terminal and as plain aligned columns in a pipe.
//
// Pure; used by `list` and `describe`. Cells are printable text already. Fitting drops whole columns in the
// order their `drop_rank` says, then shortens the one column that may be shortened; it never wraps a line.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/text.h"

namespace clusterd::cli {

enum class Color { none, green, blue, yellow, red, cyan, grey };

// How output is to look; decided once by the console.
struct Style {
  enum class Frame { box, plain };
  enum class Colors { off, on };
  Frame frame = Frame::plain;
  Colors colors = Colors::off;
  std::size_t width = 0;  // columns of the terminal; 0: no limit
};

std::string colored(std::string text, Color color, const Style& style);

struct Cell {
  std::string text;
  Color color = Color::none;
};

struct Column {
  std::string title;
  Align align = Align::left;
  int drop_rank = 0;           // 1 goes first; 0: never
  std::size_t shrink_min = 0;  // may be cut down to this width; 0: never
};

std::string render_table(std::vector<Column> columns, std::vector<std::vector<Cell>> rows,
                         const Style& style);

}  // namespace clusterd::cli
