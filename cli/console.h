// Console: standard output for data, standard error for everything said to people.
//
// One per run, made in main; every command writes through it. Knows whether the ends are terminals, how wide
// they are and whether colours are wanted, and remembers how writing went: a reader that went away (EPIPE) is
// no failure and ends the program quietly, a full disk is one. Makes system calls; buffers nothing.
#pragma once

#include <string>
#include <string_view>

#include "cli/table.h"

namespace clusterd::cli {

enum class Loudness { normal, silent };
enum class ColorWish { automatic, never };  // never: --no-color or NO_COLOR

class Console {
 public:
  Console(int out_fd, int err_fd, Loudness loudness, ColorWish color_wish);

  enum class OutState { open, reader_gone, failed };

  OutState out(std::string_view text);   // data
  void raw_err(std::string_view text);   // what an app wrote to its standard error
  void note(std::string_view line);      // a sentence; not with --silent
  void progress(std::string_view line);  // like note, but on a terminal the next one replaces it
  void error(std::string_view message);  // always
  void end_progress();                   // the last progress line stays as it is

  int out_fd() const { return out_fd_; }
  OutState out_state() const { return out_state_; }
  Style out_style() const;
  Style err_style() const;

  // The exit status of the program: `status`, unless writing the data failed.
  int exit_status(int status) const;

 private:
  void err(std::string_view text);

  int out_fd_;
  int err_fd_;
  Loudness loudness_;
  ColorWish color_wish_;
  OutState out_state_ = OutState::open;
  bool progress_line_open_ = false;
};

}  // namespace clusterd::cli
