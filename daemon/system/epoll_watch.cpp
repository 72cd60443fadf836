#include "daemon/system/epoll_watch.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string>

#include "daemon/system/brief_process.h"
#include "daemon/system/procfs.h"
#include "daemon/system/system_error.h"

namespace clusterd {
namespace {

constexpr std::string_view kEpollLink = "anon_inode:[eventpoll]";
constexpr std::size_t kEpollsMax = 64;  // of one process that are looked at

// The number behind "key:", which may be preceded by blanks.
template <class Number>
std::optional<Number> field(std::string_view line, std::string_view key, int base) {
  const std::size_t at = line.find(key);
  if (at == line.npos) return std::nullopt;
  line.remove_prefix(at + key.size());
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  Number number{};
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number, base);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

struct Move {
  int epoll;
  int replacement;
  int number;
  epoll_event event;
};

// epoll keeps file and number together, so the file has to have the process's number where it is added: in a
// descriptor table that nobody else uses. The entry lives as long as the file, which we keep open.
int add_under_number(void* argument) {
  const Move& move = *static_cast<const Move*>(argument);
  int epoll = move.epoll;
  if (epoll == move.number) epoll = dup(epoll);
  if (move.replacement != move.number && dup2(move.replacement, move.number) < 0) return errno;
  epoll_event event = move.event;
  return epoll_ctl(epoll, EPOLL_CTL_ADD, move.number, &event) == 0 ? 0 : errno;
}

}  // namespace

std::optional<EpollEntry> parse_epoll_entry(std::string_view fdinfo, int fd, ino_t inode) {
  while (!fdinfo.empty()) {
    const std::size_t end = std::min(fdinfo.find('\n'), fdinfo.size());
    const std::string_view line = fdinfo.substr(0, end);
    fdinfo.remove_prefix(std::min(end + 1, fdinfo.size()));
    if (field<int>(line, "tfd:", 10) != fd || field<ino_t>(line, " ino:", 16) != inode) continue;
    const auto events = field<std::uint32_t>(line, " events:", 16);
    const auto data = field<std::uint64_t>(line, " data:", 16);
    if (events && data) return EpollEntry{*events, *data};
  }
  return std::nullopt;
}

EpollWatches EpollWatches::of(pid_t process, int fd, ino_t inode) {
  EpollWatches found;
  found.fd_ = fd;
  const UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
  if (!pidfd) return found;
  std::size_t looked_at = 0;
  for_each_descriptor_of(process, [&](int candidate, std::string_view target) {
    if (target != kEpollLink) return true;
    const auto entry = parse_epoll_entry(
        read_proc_file(proc_path(process, "fdinfo/" + std::to_string(candidate))), fd, inode);
    if (entry) {
      UniqueFd epoll(static_cast<int>(syscall(SYS_pidfd_getfd, pidfd.get(), candidate, 0)));
      if (epoll) found.watches_.push_back({std::move(epoll), *entry});
    }
    return ++looked_at < kEpollsMax;
  });
  return found;
}

Result<void> EpollWatches::move_to(int replacement) const {
  for (const Watch& watch : watches_) {
    Move move{watch.epoll.get(), replacement, fd_, {}};
    move.event.events = watch.entry.events;
    move.event.data.u64 = watch.entry.data;
    const auto result = run({.job = add_under_number, .argument = &move});
    if (!result) return fail(result.error());
    if (*result != 0) return system_error("cannot put the shared socket into the program's epoll", *result);
  }
  return {};
}

}  // namespace clusterd
