#include "daemon/launcher/exec_diagnosis.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

namespace clusterd::launcher {
namespace {

#if defined(__x86_64__)
constexpr unsigned kNativeMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kNativeMachine = EM_AARCH64;
#elif defined(__riscv)
constexpr unsigned kNativeMachine = EM_RISCV;
#endif

constexpr std::size_t kHeadBytesMax = 4096;  // program headers of every linker in use lie within

struct Head {
  char bytes[kHeadBytesMax];
  std::size_t size = 0;

  bool is_script() const { return size >= 2 && bytes[0] == '#' && bytes[1] == '!'; }
  bool is_elf() const { return size >= sizeof(Elf64_Ehdr) && std::memcmp(bytes, ELFMAG, SELFMAG) == 0; }
};

bool read_head(const char* path, Head& head) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return false;
  const ssize_t length = read(fd, head.bytes, sizeof head.bytes);
  close(fd);
  if (length < 0) return false;
  head.size = static_cast<std::size_t>(length);
  return true;
}

// The word after "#!", as the kernel takes it: ended by a blank, a tab or the end of the line. A carriage
// return is part of it, which is how scripts with Windows line ends fail.
bool script_interpreter(const Head& head, char (&word)[wire::kDetailBytesMax]) {
  std::size_t at = 2;
  while (at < head.size && (head.bytes[at] == ' ' || head.bytes[at] == '\t')) ++at;
  std::size_t length = 0;
  while (at < head.size && length + 1 < sizeof word && !std::strchr(" \t\n", head.bytes[at])) {
    word[length++] = head.bytes[at++];
  }
  word[length] = 0;
  return length > 0;
}

bool elf_loader(const Head& head, char (&path)[wire::kDetailBytesMax]) {
  Elf64_Ehdr file;
  std::memcpy(&file, head.bytes, sizeof file);
  if (file.e_ident[EI_CLASS] != ELFCLASS64) return false;
  for (unsigned i = 0; i < file.e_phnum; ++i) {
    const std::size_t at = file.e_phoff + std::size_t{i} * sizeof(Elf64_Phdr);
    if (at > head.size || head.size - at < sizeof(Elf64_Phdr)) return false;
    Elf64_Phdr segment;
    std::memcpy(&segment, head.bytes + at, sizeof segment);
    if (segment.p_type != PT_INTERP) continue;
    if (segment.p_offset > head.size || head.size - segment.p_offset < segment.p_filesz) return false;
    std::strncpy(path, head.bytes + segment.p_offset, sizeof path - 1);
    return true;
  }
  return false;
}

void diagnose_missing(const Head& head, Diagnosis& diagnosis) {
  if (head.is_script() && script_interpreter(head, diagnosis.detail)) {
    diagnosis.fault = wire::Fault::interpreter_missing;
  } else if (head.is_elf() && elf_loader(head, diagnosis.detail)) {
    diagnosis.fault = wire::Fault::loader_missing;
  }
}

void diagnose_denied(const char* path, const Head& head, Diagnosis& diagnosis) {
  struct statvfs mount;
  if (access(path, X_OK) != 0) {
    diagnosis.fault = wire::Fault::not_executable;
  } else if (statvfs(path, &mount) == 0 && (mount.f_flag & ST_NOEXEC) != 0) {
    diagnosis.fault = wire::Fault::no_exec_mount;
  } else if (head.is_script() && script_interpreter(head, diagnosis.detail)) {
    diagnosis.fault = wire::Fault::interpreter_denied;
  }
}

void diagnose_format(const Head& head, Diagnosis& diagnosis) {
  if (head.size == 0) {
    diagnosis.fault = wire::Fault::empty_file;
  } else if (!head.is_elf()) {
    diagnosis.fault = wire::Fault::no_shebang;
  } else {
    Elf64_Half machine = 0;  // at the same place in 32-bit files
    std::memcpy(&machine, head.bytes + offsetof(Elf64_Ehdr, e_machine), sizeof machine);
    if (machine != kNativeMachine) diagnosis.fault = wire::Fault::wrong_machine;
  }
}

}  // namespace

Diagnosis diagnose_exec(const char* path, int error) {
  Diagnosis diagnosis;
  struct stat about;
  if (stat(path, &about) != 0) {
    if (errno == ENOENT) diagnosis.fault = wire::Fault::missing;
    return diagnosis;
  }
  if (S_ISDIR(about.st_mode)) {
    diagnosis.fault = wire::Fault::is_directory;
    return diagnosis;
  }
  static Head head;
  const bool readable = read_head(path, head);
  if (error == EACCES) diagnose_denied(path, head, diagnosis);
  if (error == ENOENT && readable) diagnose_missing(head, diagnosis);
  if (error == ENOEXEC && readable) diagnose_format(head, diagnosis);
  return diagnosis;
}

}  // namespace clusterd::launcher
