#include "daemon/system/connection_cgroup.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cerrno>
#include <filesystem>

#include "daemon/system/brief_process.h"
#include "daemon/system/cgroup_folder.h"
#include "daemon/system/procfs.h"
#include "daemon/system/system_error.h"

namespace clusterd {
namespace {

constexpr std::string_view kPrefix = "clusterd-connections-";
constexpr int kSocketsAtOnceMax = 256;

UniqueFd open_folder(const std::string& path) {
  return UniqueFd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
}

// A living daemon holds the lock, in whatever pid name space it lives.
void remove_leftovers(const std::string& parent) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(parent, error)) {
    if (!entry.path().filename().string().starts_with(kPrefix)) continue;
    const UniqueFd folder = open_folder(entry.path());
    if (folder && flock(folder.get(), LOCK_EX | LOCK_NB) == 0) rmdir(entry.path().c_str());
  }
}

struct Creation {
  int family;
  int count;
  int* created;
};

// The descriptors land in the table that the brief process shares with us.
int create(void* argument) {
  const Creation& wanted = *static_cast<const Creation*>(argument);
  for (int i = 0; i < wanted.count; ++i) {
    int& fd = wanted.created[i];
    fd = static_cast<int>(syscall(SYS_socket, wanted.family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (fd < 0) fd = -errno;
  }
  return 0;
}

struct SharedPage {
  SharedPage() : memory(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {}
  ~SharedPage() {
    if (memory != MAP_FAILED) munmap(memory, bytes);
  }
  SharedPage(const SharedPage&) = delete;
  SharedPage& operator=(const SharedPage&) = delete;
  int* numbers() const { return static_cast<int*>(memory); }

  static constexpr std::size_t bytes = kSocketsAtOnceMax * sizeof(int);
  void* memory;
};

}  // namespace

Result<ConnectionCgroup> ConnectionCgroup::make() {
  const auto parent =
      cgroup_folder(read_proc_file("/proc/self/cgroup"), read_proc_file("/proc/self/mountinfo"), kUnified);
  if (!parent) return fail(ErrorCode::failed, "no cgroup v2 is mounted");
  remove_leftovers(*parent);
  const std::string path = *parent + "/" + std::string(kPrefix) + std::to_string(getpid());
  if (mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) return system_error("cannot create " + path, errno);
  UniqueFd folder = open_folder(path);
  if (!folder || flock(folder.get(), LOCK_EX | LOCK_NB) != 0) {
    return system_error("cannot lock " + path, errno);
  }
  return ConnectionCgroup(path, std::move(folder));
}

ConnectionCgroup::~ConnectionCgroup() {
  if (folder_) rmdir(path_.c_str());
}

Result<std::vector<UniqueFd>> ConnectionCgroup::create_sockets(int family, int count) const {
  const SharedPage page;
  if (page.memory == MAP_FAILED || count > kSocketsAtOnceMax) {
    return system_error("cannot create sockets", ENOMEM);
  }
  Creation wanted{family, count, page.numbers()};
  auto created = run({.flags = CLONE_FILES | CLONE_INTO_CGROUP,
                      .cgroup = folder_.get(),
                      .job = create,
                      .argument = &wanted});
  if (!created) return fail(created.error().code, created.error().message + " in " + path_);
  std::vector<UniqueFd> sockets;
  for (int i = 0; i < count; ++i) {
    const int fd = page.numbers()[i];
    if (fd < 0) return system_error("cannot create a socket", -fd);
    sockets.emplace_back(fd);
  }
  return sockets;
}

}  // namespace clusterd
