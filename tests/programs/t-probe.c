/* t-probe PATH [--exit CODE] [-- ANYTHING...]: writes what the kernel gave this process as JSON, then waits.
 *
 * PATH is a file, or an existing directory, in which case the file is PATH/PID.json. It appears complete
 * (rename). Keys: pid ppid pgid sid uid euid gid groups cwd umask nice argv env tty stdin fds limits blocked
 * ignored no_new_privs. argv and env are arrays of strings, each byte one character (Latin-1). `tty` is 0 or
 * the errno of opening /dev/tty; `stdin` is the bytes found in standard input, up to its end or until there are
 * no more yet, -1 if it cannot be read; `fds` maps numbers to what /proc says; blocked and ignored are hexadecimal masks. With --exit it
 * exits with CODE instead of waiting.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

extern char** environ;

static void put_string(FILE* out, const char* text) {
  fputc('"', out);
  for (const unsigned char* c = (const unsigned char*)text; *c; c++) {
    if (*c < 0x20 || *c >= 0x7f || *c == '"' || *c == '\\')
      fprintf(out, "\\u%04x", *c);
    else
      fputc(*c, out);
  }
  fputc('"', out);
}

static void put_strings(FILE* out, const char* key, char** list) {
  fprintf(out, ",\n\"%s\":[", key);
  for (int i = 0; list[i]; i++) {
    if (i > 0) fputc(',', out);
    put_string(out, list[i]);
  }
  fputc(']', out);
}

static void put_identity(FILE* out) {
  fprintf(out, "{\"pid\":%d,\"ppid\":%d,\"pgid\":%d,\"sid\":%d", getpid(), getppid(), getpgid(0), getsid(0));
  fprintf(out, ",\n\"uid\":%d,\"euid\":%d,\"gid\":%d,\"groups\":[", getuid(), geteuid(), getgid());
  gid_t groups[256];
  int count = getgroups(256, groups);
  for (int i = 0; i < count; i++) fprintf(out, "%s%d", i > 0 ? "," : "", groups[i]);
  char cwd[4096] = "";
  fprintf(out, "],\n\"cwd\":");
  put_string(out, getcwd(cwd, sizeof cwd) ? cwd : "");
  mode_t mask = umask(0);
  umask(mask);
  fprintf(out, ",\n\"umask\":%d,\"nice\":%d", mask, getpriority(PRIO_PROCESS, 0));
  fprintf(out, ",\"no_new_privs\":%d", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
}

static void put_descriptors(FILE* out) {
  fprintf(out, ",\n\"fds\":{");
  DIR* folder = opendir("/proc/self/fd");
  int first = 1;
  for (struct dirent* entry; (entry = readdir(folder));) {
    if (entry->d_name[0] == '.' || atoi(entry->d_name) == dirfd(folder) || atoi(entry->d_name) == fileno(out))
      continue;
    char path[300], target[4096];
    snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
    ssize_t size = readlink(path, target, sizeof target - 1);
    target[size > 0 ? size : 0] = 0;
    fprintf(out, "%s\"%s\":", first ? "" : ",", entry->d_name);
    put_string(out, target);
    first = 0;
  }
  closedir(folder);
  fputc('}', out);
}

static void put_limits(FILE* out) {
  const struct {
    const char* name;
    int resource;
  } known[] = {{"nofile", RLIMIT_NOFILE}, {"core", RLIMIT_CORE}, {"nproc", RLIMIT_NPROC}};
  fprintf(out, ",\n\"limits\":{");
  for (int i = 0; i < 3; i++) {
    struct rlimit limit;
    getrlimit((__rlimit_resource_t)known[i].resource, &limit);
    fprintf(out, "%s\"%s\":[%lld,%lld]", i > 0 ? "," : "", known[i].name, (long long)limit.rlim_cur,
            (long long)limit.rlim_max);
  }
  fputc('}', out);
}

static void put_signals(FILE* out) {
  char line[256], value[64];
  FILE* status = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof line, status)) {
    if (sscanf(line, "SigBlk: %63s", value) == 1) fprintf(out, ",\n\"blocked\":\"%s\"", value);
    if (sscanf(line, "SigIgn: %63s", value) == 1) fprintf(out, ",\"ignored\":\"%s\"", value);
  }
  fclose(status);
}

static void put_terminal(FILE* out) {
  int tty = open("/dev/tty", O_RDWR | O_CLOEXEC);
  fprintf(out, ",\n\"tty\":%d", tty >= 0 ? 0 : errno);
  char bytes[4096];
  ssize_t total = 0, got = 0;
  struct pollfd input = {STDIN_FILENO, POLLIN, 0};
  while (poll(&input, 1, 0) > 0 && (got = read(STDIN_FILENO, bytes, sizeof bytes)) != 0) {
    if (got < 0) break;
    total += got;
  }
  fprintf(out, ",\"stdin\":%zd", got < 0 ? (ssize_t)-1 : total);
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  struct stat info;
  char path[4096], partial[4200];
  int folder = stat(argv[1], &info) == 0 && S_ISDIR(info.st_mode);
  if (folder) snprintf(path, sizeof path, "%.4000s/%d.json", argv[1], getpid());
  if (!folder) snprintf(path, sizeof path, "%s", argv[1]);
  snprintf(partial, sizeof partial, "%s.%d.part", path, getpid());
  FILE* out = fopen(partial, "we");
  if (!out) return 3;
  put_identity(out);
  put_strings(out, "argv", argv);
  put_strings(out, "env", environ);
  put_descriptors(out);
  put_limits(out);
  put_signals(out);
  put_terminal(out);
  fprintf(out, "}\n");
  if (fclose(out) != 0 || rename(partial, path) != 0) return 4;
  if (argc > 3 && strcmp(argv[2], "--exit") == 0) return atoi(argv[3]);
  for (;;) pause();
}
