#include "daemon/system/program_path.h"

#include <sys/stat.h>

#include <algorithm>

#include "common/path_text.h"

namespace clusterd {
namespace {

bool is_program(const std::string& path) {
  struct stat about{};
  return ::stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) &&
         (about.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) != 0;
}

}  // namespace

std::string program_path(std::string_view name, std::string_view search_path, const std::string& cwd) {
  for (std::size_t begin = 0; begin <= search_path.size();) {
    const std::size_t end = std::min(search_path.find(':', begin), search_path.size());
    const std::string folder = join_path(cwd, search_path.substr(begin, end - begin));
    std::string candidate = join_path(folder, name);
    if (is_program(candidate)) return candidate;
    begin = end + 1;
  }
  return "";
}

}  // namespace clusterd
