#include "daemon/system/standard_input.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "daemon/system/process_identity.h"
#include "daemon/system/procfs.h"
#include "daemon/system/system_error.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {
namespace {

std::unexpected<Error> not_ours() {
  return fail(ErrorCode::conflict, "its standard input is not the pipe it was started with");
}

}  // namespace

Result<void> write_standard_input(pid_t pid, std::string_view bytes) {
  // A program may put anything at descriptor 0, and opening it could block or do something. So first only a
  // name for it, which is then what gets opened.
  const UniqueFd name(open(proc_path(pid, "fd/0").c_str(), O_PATH | O_CLOEXEC));
  if (!name && errno == ENOENT) return not_ours();
  if (!name) return system_error("cannot reach its standard input", errno);
  struct statfs about;
  if (fstatfs(name.get(), &about) != 0) return system_error("cannot examine its standard input", errno);
  if (about.f_type != PIPEFS_MAGIC) return not_ours();
  const std::string path = proc_path(own_pid(), "fd/" + std::to_string(name.get()));
  const UniqueFd pipe(open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
  if (!pipe && errno == ENXIO) return not_ours();  // it can only be written: nobody would read it
  if (!pipe) return system_error("cannot open its standard input", errno);
  ssize_t written = 0;
  do {
    written = write(pipe.get(), bytes.data(), bytes.size());
  } while (written < 0 && errno == EINTR);
  if (written < 0 && errno == EAGAIN)
    return fail(ErrorCode::conflict, "its standard input is full: it does not read what was sent before");
  if (written < 0) return system_error("cannot write to its standard input", errno);
  return {};
}

}  // namespace clusterd
