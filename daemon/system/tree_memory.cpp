#include "daemon/system/tree_memory.h"

#include <unistd.h>

#include <charconv>
#include <string>

#include "daemon/system/process_identity.h"
#include "daemon/system/procfs.h"

namespace clusterd {
namespace {

std::optional<std::uint64_t> leading_number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end == text.data()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<std::uint64_t> parse_statm(std::string_view text, std::uint64_t page_bytes) {
  const std::size_t blank = text.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  const auto pages = leading_number(text.substr(blank + 1));
  if (!pages) return std::nullopt;
  return *pages * page_bytes;
}

std::optional<std::uint64_t> parse_pss(std::string_view text) {
  constexpr std::string_view kKey = "\nPss:";
  const std::size_t at = text.find(kKey);
  if (at == std::string_view::npos) return std::nullopt;
  const auto kibibytes = leading_number(text.substr(at + kKey.size()));
  if (!kibibytes) return std::nullopt;
  return *kibibytes * 1'024;
}

std::optional<std::uint64_t> resident_memory(const std::vector<pid_t>& pids) {
  static const auto page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::optional<std::uint64_t> sum;
  for (const pid_t pid : pids) {
    const auto bytes = parse_statm(read_proc_file(proc_path(pid, "statm")), page_bytes);
    if (bytes) sum = sum.value_or(0) + *bytes;
  }
  return sum;
}

std::optional<std::uint64_t> proportional_memory(const std::vector<pid_t>& pids) {
  std::optional<std::uint64_t> sum;
  for (const pid_t pid : pids) {
    const auto bytes = parse_pss(read_proc_file(proc_path(pid, "smaps_rollup")));
    if (!bytes && process_exists(pid)) return std::nullopt;
    if (bytes) sum = sum.value_or(0) + *bytes;
  }
  return sum;
}

}  // namespace clusterd
