#include "daemon/system/connection_cgroup.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "lanes.h"
#include "launched.h"

namespace clusterd::test {
namespace {

// In a process of its own, because a folder is named after the process. What it returns is empty or says what
// was wrong; "skipped: ..." where no folder can be made.
std::string in_a_process(const std::function<std::string()>& check) {
  Pipe pipe;
  const pid_t child = fork();
  if (child == 0) {
    const std::string said = check();
    const ssize_t written = write(pipe.write_end.get(), said.data(), said.size());
    _exit(written < 0 ? 1 : 0);
  }
  pipe.write_end.reset();
  std::string said = read_text(pipe.read_end.get());
  waitpid(child, nullptr, 0);
  if (said.starts_with("skipped")) {
    WARN(said);
    return "";
  }
  return said;
}

bool is_locked(const std::string& path) {
  const UniqueFd folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return folder && flock(folder.get(), LOCK_EX | LOCK_NB) != 0;
}

std::string check_folder() {
  std::string path;
  {
    const auto cgroup = ConnectionCgroup::make();
    if (!cgroup) return "skipped: " + cgroup.error().message;
    path = cgroup->path();
    if (!path.ends_with("/clusterd-connections-" + std::to_string(getpid()))) return "another name: " + path;
    if (!std::filesystem::is_directory(path)) return "there is no " + path;
    if (!is_locked(path)) return "not locked";
  }
  return std::filesystem::exists(path) ? path + " was left behind" : "";
}

std::string check_leftovers() {
  std::string parent;
  {
    const auto own = ConnectionCgroup::make();
    if (!own) return "skipped: " + own.error().message;
    parent = std::filesystem::path(own->path()).parent_path();
  }
  const std::string dead = parent + "/clusterd-connections-dead";
  const std::string living = parent + "/clusterd-connections-living";
  const std::string foreign = parent + "/clusterd-somebody-else";
  for (const std::string& path : {dead, living, foreign}) mkdir(path.c_str(), 0755);
  UniqueFd lock(open(living.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::string wrong;
  if (flock(lock.get(), LOCK_EX) != 0) wrong = "cannot lock";
  const auto cgroup = ConnectionCgroup::make();
  if (std::filesystem::exists(dead)) wrong += " the leftover of a dead one was kept";
  if (!std::filesystem::exists(living)) wrong += " the folder of a living one was removed";
  if (!std::filesystem::exists(foreign)) wrong += " a foreign folder was removed";
  for (const std::string& path : {dead, living, foreign}) rmdir(path.c_str());
  return wrong;
}

std::string check_sockets() {
  const auto cgroup = ConnectionCgroup::make();
  if (!cgroup) return "skipped: " + cgroup.error().message;
  for (const int family : {AF_INET, AF_INET6}) {
    if (family == AF_INET6 && !has_ipv6()) continue;
    const auto sockets = cgroup->create_sockets(family, 8);
    if (!sockets) return sockets.error().message;
    if (sockets->size() != 8) return "not eight";
    for (const UniqueFd& one : *sockets) {
      int domain = 0, type = 0;
      socklen_t length = sizeof domain;
      getsockopt(one.get(), SOL_SOCKET, SO_DOMAIN, &domain, &length);
      getsockopt(one.get(), SOL_SOCKET, SO_TYPE, &type, &length);
      if (domain != family || type != SOCK_STREAM) return "another kind of socket";
      if ((fcntl(one.get(), F_GETFD) & FD_CLOEXEC) == 0) return "not close-on-exec";
      if ((fcntl(one.get(), F_GETFL) & O_NONBLOCK) != 0) return "not blocking";
    }
  }
  // Whoever was born there has gone, and nobody is left to be waited for.
  std::ifstream members(cgroup->path() + "/cgroup.procs");
  std::string line;
  if (std::getline(members, line)) return "pid " + line + " lives there";
  if (waitpid(-1, nullptr, __WALL) >= 0 || errno != ECHILD) return "a child is left";
  if (cgroup->create_sockets(AF_INET, 100'000)) return "no limit";
  if (cgroup->create_sockets(-1, 1)) return "no error for a family that does not exist";
  return "";
}

}  // namespace

TEST_CASE("the folder of counted connections is made, locked and removed") {
  CHECK(in_a_process(check_folder) == "");
}

TEST_CASE("folders that dead daemons left behind are removed, those of the living are not") {
  CHECK(in_a_process(check_leftovers) == "");
}

// That their connections are counted is what the tests of the in-kernel balancer show.
TEST_CASE("sockets are created by a process in the folder, which is gone at once") {
  CHECK(in_a_process(check_sockets) == "");
}

}  // namespace clusterd::test
