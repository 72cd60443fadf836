// Text for terminals: names and messages made harmless, measured in columns, cut and padded.
//
// Pure. What an app or a user chose freely (names, reasons, paths) passes printable() before it is shown, so
// it can neither move the cursor nor fake output. Log lines do not pass here: they belong to the app.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace clusterd::cli {

// Control characters, reordering marks and ill-formed bytes become \x1b or \u{202e}; the rest stays.
std::string printable(std::string_view text);

// The same, but newlines and tabs stay: for messages of several lines.
std::string printable_lines(std::string_view text);

// Columns on a terminal: 0 for combining marks, 2 for East Asian wide characters and emoji, else 1.
std::size_t display_width(std::string_view text);

// At most `width` columns; if something was cut the last one is "…".
std::string shorten(std::string_view text, std::size_t width);

enum class Align { left, right };
std::string pad(std::string_view text, std::size_t width, Align align);

}  // namespace clusterd::cli
