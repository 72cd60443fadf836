#include "daemon/launcher/execute.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "daemon/launcher/exec_diagnosis.h"

namespace clusterd::launcher {
namespace {

constexpr char kPathIfUnset[] = "/usr/local/bin:/usr/bin:/bin";

// Ignored signals survive exec; a program that inherits an ignored SIGPIPE behaves differently from one
// started by hand.
// The C library refuses to touch its own two real-time signals, so the kernel is asked directly.
void reset_signals() {
  struct {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)();
    unsigned long mask;
  } by_default{SIG_DFL, 0, nullptr, 0};
  for (int number = 1; number < NSIG; ++number) {
    syscall(SYS_rt_sigaction, number, &by_default, nullptr, sizeof by_default.mask);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

char* value_of(char** environment, const char* key) {
  const std::size_t length = std::strlen(key);
  for (char** entry = environment; *entry; ++entry) {
    if (std::strncmp(*entry, key, length) == 0) return *entry + length;
  }
  return nullptr;
}

// Both entries have room for ten digits behind their key, and a NUL.
void write_own_pid(char** environment, const char* key) {
  constexpr std::size_t kRoom = sizeof wire::kListenPidEntry - sizeof wire::kListenPidKey + 1;
  static_assert(kRoom == sizeof wire::kWatchdogPidEntry - sizeof wire::kWatchdogPidKey + 1);
  char* value = value_of(environment, key);
  if (value) std::snprintf(value, kRoom, "%d", getpid());
}

[[noreturn]] void give_up_on(const char* path, int error, const Reporter& reporter) {
  Diagnosis diagnosis = diagnose_exec(path, error);
  if (diagnosis.fault == wire::Fault::missing && path[0] != '/') {
    if (!getcwd(diagnosis.detail, sizeof diagnosis.detail)) diagnosis.detail[0] = 0;
  }
  reporter.give_up(wire::Stage::exec, error, path, diagnosis.fault, diagnosis.detail);
}

bool is_file(const char* path) {
  struct stat about;
  return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

// One candidate of the PATH search. Returns only if the search shall go on; `denied` remembers the first file
// that is there but not executable, for a later directory may have one that is.
void try_candidate(const char* path, const ReceivedPlan& plan, const Reporter& reporter,
                   char (&denied)[PATH_MAX]) {
  execve(path, plan.arguments, plan.environment);
  const int error = errno;
  if (error == EACCES) {
    if (denied[0] == 0 && is_file(path)) std::snprintf(denied, sizeof denied, "%s", path);
    return;
  }
  const bool absent = error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG || error == ELOOP;
  if (absent && !is_file(path)) return;
  give_up_on(path, error, reporter);
}

[[noreturn]] void search_and_execute(const char* name, const ReceivedPlan& plan, const Reporter& reporter) {
  static char candidate[PATH_MAX];
  static char denied[PATH_MAX];
  const char* search_path = value_of(plan.environment, "PATH=");
  if (!search_path) search_path = kPathIfUnset;

  for (const char* at = search_path;; ++at) {
    const std::size_t length = std::strcspn(at, ":");
    const char* directory = length == 0 ? "." : at;  // an empty entry means the working directory
    const int directory_length = length == 0 ? 1 : static_cast<int>(length);
    const int needed =
        std::snprintf(candidate, sizeof candidate, "%.*s/%s", directory_length, directory, name);
    if (needed > 0 && needed < PATH_MAX) try_candidate(candidate, plan, reporter, denied);
    at += length;
    if (*at == 0) break;
  }
  if (denied[0]) give_up_on(denied, EACCES, reporter);
  reporter.give_up(wire::Stage::exec, ENOENT, name, wire::Fault::not_on_path, search_path);
}

}  // namespace

void block_signals() {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
}

void execute(const ReceivedPlan& plan, const Reporter& reporter) {
  const char* name = plan.arguments[0];
  write_own_pid(plan.environment, wire::kListenPidKey);
  write_own_pid(plan.environment, wire::kWatchdogPidKey);
  reset_signals();
  if (!std::strchr(name, '/')) search_and_execute(name, plan, reporter);
  execve(name, plan.arguments, plan.environment);
  give_up_on(name, errno, reporter);
}

}  // namespace clusterd::launcher
