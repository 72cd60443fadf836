#include "common/path_text.h"

namespace clusterd {

std::string join_path(std::string_view base, std::string_view path) {
  std::string joined(is_absolute(path) ? std::string_view{} : base);
  joined += '/';
  joined += path;
  std::string result = is_absolute(joined) ? "/" : "";
  std::size_t start = 0;
  while (start < joined.size()) {
    std::size_t end = joined.find('/', start);
    if (end == std::string::npos) end = joined.size();
    const std::string_view part = std::string_view(joined).substr(start, end - start);
    if (!part.empty() && part != ".") {
      if (!result.empty() && result.back() != '/') result += '/';
      result += part;
    }
    start = end + 1;
  }
  return result;
}

std::string expand_home(std::string_view path, std::string_view user_home) {
  if (user_home.empty() || (path != "~" && !path.starts_with("~/"))) return std::string(path);
  return join_path(user_home, path.size() <= 2 ? "." : path.substr(2));
}

std::string_view base_name(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view extension(std::string_view path) {
  const std::string_view name = base_name(path);
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string_view{} : name.substr(dot);
}

std::string_view stem(std::string_view path) {
  std::string_view name = base_name(path);
  name.remove_suffix(extension(path).size());
  return name;
}

}  // namespace clusterd
