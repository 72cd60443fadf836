#include "cli/pm2_list.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <optional>

#include "cli/child_run.h"
#include "cli/local_files.h"
#include "common/json_text.h"
#include "common/path_text.h"

namespace clusterd::cli {
namespace {

using nlohmann::json;

constexpr std::chrono::milliseconds kPm2Limit{120'000};  // a long list on a busy machine

// Who listens at PM2's socket, by the kernel's word: its pid file may say anything.
std::optional<ucred> listener_at(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return std::nullopt;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return std::nullopt;
  ucred peer{};
  socklen_t length = sizeof peer;
  const bool known = connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
                     getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0;
  close(fd);
  return known && peer.pid > 1 ? std::optional(peer) : std::nullopt;
}

Result<json> parse_records(std::string_view text, const std::string& where) {
  // PM2 may say something before the list, above all that it is out of date.
  while (!text.empty() && !text.starts_with('[')) {
    const std::size_t end = text.find('\n');
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  auto records = parse_line(text);
  if (!records) return fail(ErrorCode::config, where + ": no list of PM2's: " + records.error().message);
  return records;
}

Result<json> ask_daemon(const std::string& program) {
  auto run = run_child({{program, "jlist"}, STDOUT_FILENO, kPm2ListBytesMax, kPm2Limit});
  if (!run) return fail(run.error());
  if (run->status != 0)
    return fail(ErrorCode::failed, program + " jlist failed with status " + std::to_string(run->status));
  return parse_records(run->output, program + " jlist");
}

}  // namespace

Result<Pm2List> read_pm2_list(const std::string& file, const Caller& caller) {
  Pm2List list;
  const std::string given = variable(caller, "PM2_HOME");
  list.home = given.empty() ? join_path(caller.user_home, ".pm2") : join_path(caller.cwd, given);
  std::string path = join_path(caller.cwd, file);
  if (file.empty()) {
    const auto daemon = listener_at(list.home + "/rpc.sock");
    const auto program = find_on_path("pm2", variable(caller, "PATH"));
    if (daemon && program) {
      auto records = ask_daemon(*program);
      if (!records) return fail(records.error());
      list.records = std::move(*records);
      list.daemon = daemon->pid;
      list.user = daemon->uid;
      list.program = *program;
      list.source = "the running PM2 (pid " + std::to_string(daemon->pid) + ")";
      return list;
    }
    path = list.home + "/dump.pm2";
  }
  auto text = read_file(path, kPm2ListBytesMax);
  if (!text && file.empty() && text.error().code == ErrorCode::not_found)
    return fail(ErrorCode::not_found, "no PM2 runs in " + list.home + " (or pm2 is not on PATH), and " +
                                          path + " is not there; --file names a dump, PM2_HOME another home");
  if (!text) return fail(text.error());
  auto records = parse_records(*text, path);
  if (!records) return fail(records.error());
  struct stat about{};
  if (stat(path.c_str(), &about) == 0) list.user = about.st_uid;
  list.records = std::move(*records);
  list.source = path;
  return list;
}

}  // namespace clusterd::cli
