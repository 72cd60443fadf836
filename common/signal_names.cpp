#include "common/signal_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <optional>

#include "common/suggest.h"

namespace clusterd {
namespace {

struct Row {
  std::string_view name;  // without "SIG"
  int number;
};

// The first row of a number is the one signal_name() gives.
constexpr std::array kRows{
    Row{"HUP", SIGHUP},       Row{"INT", SIGINT},   Row{"QUIT", SIGQUIT},   Row{"ILL", SIGILL},
    Row{"TRAP", SIGTRAP},     Row{"ABRT", SIGABRT}, Row{"BUS", SIGBUS},     Row{"FPE", SIGFPE},
    Row{"KILL", SIGKILL},     Row{"USR1", SIGUSR1}, Row{"SEGV", SIGSEGV},   Row{"USR2", SIGUSR2},
    Row{"PIPE", SIGPIPE},     Row{"ALRM", SIGALRM}, Row{"TERM", SIGTERM},   Row{"STKFLT", SIGSTKFLT},
    Row{"CHLD", SIGCHLD},     Row{"CONT", SIGCONT}, Row{"STOP", SIGSTOP},   Row{"TSTP", SIGTSTP},
    Row{"TTIN", SIGTTIN},     Row{"TTOU", SIGTTOU}, Row{"URG", SIGURG},     Row{"XCPU", SIGXCPU},
    Row{"XFSZ", SIGXFSZ},     Row{"PROF", SIGPROF}, Row{"WINCH", SIGWINCH}, Row{"IO", SIGIO},
    Row{"VTALRM", SIGVTALRM}, Row{"PWR", SIGPWR},   Row{"SYS", SIGSYS},     Row{"IOT", SIGABRT},
    Row{"POLL", SIGIO},       Row{"CLD", SIGCHLD},
};

// 32 and 33 belong to the C library: signal(7).
constexpr int kRealTimeFirst = 34;
constexpr int kRealTimeLast = 64;

std::optional<int> whole_number(std::string_view text) {
  int number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return result;
}

std::optional<int> real_time_signal(std::string_view bare_name) {
  if (bare_name == "RTMIN") return kRealTimeFirst;
  if (bare_name == "RTMAX") return kRealTimeLast;
  const bool from_first = bare_name.starts_with("RTMIN+");
  if (!from_first && !bare_name.starts_with("RTMAX-")) return std::nullopt;
  const auto offset = whole_number(bare_name.substr(6));
  if (!offset || *offset < 0 || *offset > kRealTimeLast - kRealTimeFirst) return std::nullopt;
  return from_first ? kRealTimeFirst + *offset : kRealTimeLast - *offset;
}

std::string unknown_signal(std::string_view name, std::string_view bare_name) {
  std::array<std::string_view, kRows.size()> names{};
  std::transform(kRows.begin(), kRows.end(), names.begin(), [](const Row& row) { return row.name; });
  std::string message = "no signal is called \"" + std::string(name.substr(0, 40)) + '"';
  if (const auto near = closest(bare_name, names)) message += "; did you mean SIG" + std::string(*near) + "?";
  return message;
}

}  // namespace

Result<int> signal_from_name(std::string_view name) {
  if (const auto number = whole_number(name)) {
    const bool exists = *number >= 1 && *number <= kRealTimeLast && *number != 32 && *number != 33;
    if (exists) return *number;
    return fail(ErrorCode::usage,
                "there is no signal " + std::to_string(*number) + "; signals are 1 to 31 and 34 to 64");
  }
  const std::string upper_name = upper(name);
  std::string_view bare_name = upper_name;
  if (bare_name.starts_with("SIG")) bare_name.remove_prefix(3);
  for (const Row& row : kRows) {
    if (row.name == bare_name) return row.number;
  }
  if (const auto number = real_time_signal(bare_name)) return *number;
  return fail(ErrorCode::usage, unknown_signal(name, bare_name));
}

std::string signal_name(int number) {
  for (const Row& row : kRows) {
    if (row.number == number) return "SIG" + std::string(row.name);
  }
  if (number >= kRealTimeFirst && number <= kRealTimeLast) {
    const int offset = number - kRealTimeFirst;
    return offset == 0 ? "SIGRTMIN" : "SIGRTMIN+" + std::to_string(offset);
  }
  return "signal " + std::to_string(number);
}

}  // namespace clusterd
