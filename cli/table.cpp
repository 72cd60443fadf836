#include "cli/table.h"

#include <algorithm>
#include <numeric>

namespace clusterd::cli {
namespace {

using Widths = std::vector<std::size_t>;
using Rows = std::vector<std::vector<Cell>>;

constexpr std::size_t kPlainGap = 2;

Widths widths_of(const std::vector<Column>& columns, const Rows& rows) {
  Widths widths;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::size_t width = display_width(columns[i].title);
    for (const auto& row : rows) width = std::max(width, display_width(row[i].text));
    widths.push_back(width);
  }
  return widths;
}

std::size_t line_width(const Widths& widths, Style::Frame frame) {
  std::size_t text = std::accumulate(widths.begin(), widths.end(), std::size_t{0});
  if (frame == Style::Frame::box)
    return text + 3 * widths.size() + 1;  // "│ " + text + " " each, "│" at the end
  return text + kPlainGap * (widths.empty() ? 0 : widths.size() - 1);
}

void drop_columns(std::vector<Column>& columns, Rows& rows, Widths& widths, const Style& style) {
  while (line_width(widths, style.frame) > style.width) {
    auto rank = [](const Column& column) { return column.drop_rank == 0 ? 1'000 : column.drop_rank; };
    auto victim = std::ranges::min_element(columns, {}, rank);
    if (victim == columns.end() || victim->drop_rank == 0) return;
    auto index = victim - columns.begin();
    columns.erase(victim);
    widths.erase(widths.begin() + index);
    for (auto& row : rows) row.erase(row.begin() + index);
  }
}

void shorten_columns(const std::vector<Column>& columns, Rows& rows, Widths& widths, const Style& style) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::size_t width = line_width(widths, style.frame);
    if (columns[i].shrink_min == 0 || width <= style.width) continue;
    std::size_t surplus = width - style.width;
    std::size_t shortest = std::max(columns[i].shrink_min, display_width(columns[i].title));
    std::size_t target = widths[i] > surplus ? widths[i] - surplus : 0;
    widths[i] = std::min(widths[i], std::max(target, shortest));
    for (auto& row : rows) row[i].text = shorten(row[i].text, widths[i]);
  }
}

std::string rule(const Widths& widths, std::string_view left, std::string_view middle,
                 std::string_view right) {
  std::string line(left);
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (i > 0) line += middle;
    for (std::size_t n = 0; n < widths[i] + 2; ++n) line += "─";
  }
  return line.append(right).append("\n");
}

std::string row_line(const std::vector<Column>& columns, const std::vector<Cell>& cells, const Widths& widths,
                     const Style& style) {
  std::string line;
  bool box = style.frame == Style::Frame::box;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    bool last_plain = !box && i + 1 == cells.size() && columns[i].align == Align::left;
    std::string text = last_plain ? cells[i].text : pad(cells[i].text, widths[i], columns[i].align);
    if (box) line += "│ ";
    if (!box && i > 0) line.append(kPlainGap, ' ');
    line += colored(std::move(text), cells[i].color, style);
    if (box) line += ' ';
  }
  return line + (box ? "│\n" : "\n");
}

}  // namespace

std::string colored(std::string text, Color color, const Style& style) {
  if (style.colors == Style::Colors::off || color == Color::none) return text;
  static constexpr const char* kCodes[] = {"", "32", "34", "33", "31", "36", "90"};
  return std::string("\x1b[") + kCodes[static_cast<int>(color)] + "m" + std::move(text) + "\x1b[0m";
}

std::string render_table(std::vector<Column> columns, std::vector<std::vector<Cell>> rows,
                         const Style& style) {
  Widths widths = widths_of(columns, rows);
  if (style.width > 0) {
    drop_columns(columns, rows, widths, style);
    shorten_columns(columns, rows, widths, style);
  }
  std::vector<Cell> header;
  for (const Column& column : columns) header.push_back({column.title, Color::cyan});
  bool box = style.frame == Style::Frame::box;
  std::string text;
  if (box) text += rule(widths, "┌", "┬", "┐");
  text += row_line(columns, header, widths, style);
  if (box) text += rule(widths, "├", "┼", "┤");
  for (const auto& row : rows) text += row_line(columns, row, widths, style);
  if (box) text += rule(widths, "└", "┴", "┘");
  return text;
}

}  // namespace clusterd::cli
