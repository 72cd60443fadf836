#include "cli/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "common/error_code.h"

namespace clusterd::cli {
namespace {

// errno of the failure, 0 if all was written.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

std::size_t terminal_width(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

Style style_of(int fd, ColorWish color_wish) {
  Style style;
  if (isatty(fd) == 0) return style;
  style.frame = Style::Frame::box;
  style.width = terminal_width(fd);
  const char* term = std::getenv("TERM");
  bool dumb = term != nullptr && std::strcmp(term, "dumb") == 0;
  if (color_wish == ColorWish::automatic && !dumb) style.colors = Style::Colors::on;
  return style;
}

std::string_view without_newline(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

}  // namespace

Console::Console(int out_fd, int err_fd, Loudness loudness, ColorWish color_wish)
    : out_fd_(out_fd), err_fd_(err_fd), loudness_(loudness), color_wish_(color_wish) {}

Console::OutState Console::out(std::string_view text) {
  if (out_state_ != OutState::open) return out_state_;
  if (int error = write_all(out_fd_, text)) {
    out_state_ = error == EPIPE ? OutState::reader_gone : OutState::failed;
    if (out_state_ == OutState::failed)
      this->error(std::string("cannot write the output: ") + std::strerror(error));
  }
  return out_state_;
}

// Nothing can be done about a standard error that cannot be written to.
void Console::err(std::string_view text) { static_cast<void>(write_all(err_fd_, text)); }

void Console::raw_err(std::string_view text) { err(text); }

void Console::note(std::string_view line) {
  if (loudness_ == Loudness::silent) return;
  end_progress();
  err(printable_lines(without_newline(line)) + "\n");
}

void Console::progress(std::string_view line) {
  if (loudness_ == Loudness::silent) return;
  Style style = err_style();
  if (style.frame == Style::Frame::plain) {
    err(printable(line) + "\n");
    return;
  }
  // One column less than the terminal has: a full line would wrap and could not be replaced.
  err((progress_line_open_ ? "\r\x1b[K" : "") + shorten(printable(line), style.width - 1));
  progress_line_open_ = true;
}

void Console::end_progress() {
  if (progress_line_open_) err("\n");
  progress_line_open_ = false;
}

void Console::error(std::string_view message) {
  end_progress();
  err(colored("error:", Color::red, err_style()) + " " + printable_lines(without_newline(message)) + "\n");
}

Style Console::out_style() const { return style_of(out_fd_, color_wish_); }
Style Console::err_style() const { return style_of(err_fd_, color_wish_); }

int Console::exit_status(int status) const {
  if (out_state_ == OutState::failed && status == 0) return static_cast<int>(ExitStatus::failed);
  return status;
}

}  // namespace clusterd::cli
