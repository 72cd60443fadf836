#include "daemon/system/cgroup_folder.h"

#include <algorithm>
#include <sstream>

namespace clusterd {
namespace {

// "4:memory:/web" and "0::/web": hierarchy, controllers, path.
std::optional<std::string> path_in(std::string_view cgroup_text, std::string_view controller) {
  std::istringstream table{std::string(cgroup_text)};
  for (std::string line; std::getline(table, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string_view controllers = std::string_view(line).substr(first + 1, second - first - 1);
    const bool meant = controller == kUnified ? controllers.empty() : is_listed(controllers, controller, ',');
    if (meant) return line.substr(second + 1);
  }
  return std::nullopt;
}

struct Mount {
  std::string root;   // the part of the hierarchy that is mounted
  std::string point;  // where
};

// "id parent device ROOT POINT options... - TYPE source SUPER_OPTIONS".
std::optional<Mount> mount_of(std::string_view mountinfo_text, std::string_view controller) {
  std::istringstream table{std::string(mountinfo_text)};
  for (std::string line; std::getline(table, line);) {
    const std::size_t dash = line.find(" - ");
    if (dash == line.npos) continue;
    std::istringstream front(line.substr(0, dash));
    std::istringstream back(line.substr(dash + 3));
    std::string ignored, type, options;
    Mount mount;
    front >> ignored >> ignored >> ignored >> mount.root >> mount.point;
    back >> type >> ignored >> options;
    const bool meant =
        controller == kUnified ? type == "cgroup2" : type == "cgroup" && is_listed(options, controller, ',');
    if (meant) return mount;
  }
  return std::nullopt;
}

}  // namespace

bool is_listed(std::string_view list, std::string_view word, char separator) {
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(separator, begin), list.size());
    if (list.substr(begin, end - begin) == word) return true;
    begin = end + 1;
  }
  return false;
}

std::optional<std::string> cgroup_folder(std::string_view cgroup_text, std::string_view mountinfo_text,
                                         std::string_view controller) {
  auto path = path_in(cgroup_text, controller);
  const auto mount = path ? mount_of(mountinfo_text, controller) : std::nullopt;
  if (!mount) return std::nullopt;
  if (mount->root != "/" && path->starts_with(mount->root)) path->erase(0, mount->root.size());
  while (path->ends_with('/')) path->pop_back();
  return mount->point + *path;
}

}  // namespace clusterd
