#include "daemon/core/watch_filter.h"

#include <algorithm>
#include <array>

namespace clusterd {
namespace {

constexpr std::array<std::string_view, 4> kNeverWatched{"node_modules", ".git", ".hg", ".svn"};

// The path from `root` on without a leading slash; nothing if it is not there or below.
std::optional<std::string_view> below_root(std::string_view path, std::string_view root) {
  if (!path.starts_with(root)) return std::nullopt;
  path.remove_prefix(root.size());
  if (root.ends_with('/')) return path;
  if (path.empty()) return path;
  if (path[0] != '/') return std::nullopt;
  return path.substr(1);
}

// "[a-z]" at the beginning of the pattern; returns its length, 0: not one.
std::size_t match_set(std::string_view pattern, char c, bool& matched) {
  const std::size_t end = pattern.find(']', 2);
  if (end == std::string_view::npos) return 0;
  std::string_view set = pattern.substr(1, end - 1);
  const bool negated = set[0] == '!' || set[0] == '^';
  if (negated) set.remove_prefix(1);
  bool in = false;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (i + 2 < set.size() && set[i + 1] == '-') {
      in |= set[i] <= c && c <= set[i + 2];
      i += 2;
    } else {
      in |= set[i] == c;
    }
  }
  matched = in != negated && c != '/';
  return end + 1;
}

std::string_view trimmed(std::string_view pattern) {
  if (pattern.starts_with("./")) pattern.remove_prefix(2);
  if (pattern.ends_with("/**")) pattern.remove_suffix(3);
  while (pattern.size() > 1 && pattern.ends_with('/')) pattern.remove_suffix(1);
  return pattern;
}

// The pattern or what lies below what it matches: each parent of the path is tried.
bool matches_or_contains(std::string_view pattern, std::string_view path) {
  for (std::size_t end = path.size(); end != std::string_view::npos && end > 0;
       end = path.rfind('/', end - 1)) {
    if (matches_glob(pattern, path.substr(0, end))) return true;
  }
  return false;
}

bool any_part_matches(std::string_view pattern, std::string_view path) {
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    if (matches_glob(pattern, path.substr(0, end))) return true;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return false;
}

}  // namespace

bool is_glob(std::string_view pattern) { return pattern.find_first_of("*?[") != std::string_view::npos; }

// Backtracks to the last star alone, and to the last double star before it: never worse than pattern times
// text for each of the two.
bool matches_glob(std::string_view pattern, std::string_view text) {
  struct Star {
    std::size_t pattern = 0;  // behind it
    std::size_t text = 0;     // what it has taken ends here
    bool folders = false;     // "**/" takes whole parts of a path only
    bool seen = false;
  };
  std::size_t p = 0;
  std::size_t t = 0;
  // Plain structs with a flag: g++ 12 takes an empty optional for one that might be read.
  Star star;
  Star stars;
  while (t < text.size()) {
    if (pattern.substr(p).starts_with("**")) {
      const bool folders = pattern.substr(p).starts_with("**/") && (t == 0 || text[t - 1] == '/');
      p += folders ? 3 : 2;
      stars = {p, t, folders, true};
      star = {};
      continue;
    }
    if (p < pattern.size() && pattern[p] == '*') {
      star = {++p, t, false, true};
      continue;
    }
    bool matched = false;
    std::size_t used = 0;
    if (p < pattern.size() && pattern[p] == '[') used = match_set(pattern.substr(p), text[t], matched);
    if (p < pattern.size() && used == 0) {
      used = 1;
      matched = pattern[p] == '?' ? text[t] != '/' : pattern[p] == text[t];
    }
    if (matched) {
      p += used;
      ++t;
    } else if (star.seen && text[star.text] != '/') {
      p = star.pattern;
      t = ++star.text;
    } else if (stars.seen) {
      const std::size_t end = stars.folders ? text.find('/', stars.text) : stars.text;
      if (end == std::string_view::npos) return false;
      p = stars.pattern;
      t = stars.text = end + 1;
      star = {};
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

WatchFilter::WatchFilter(const std::vector<std::string>& paths,
                         const std::optional<std::vector<std::string>>& ignored, std::vector<std::string> own)
    : ignored_(ignored.value_or(std::vector<std::string>{".*"})), own_(std::move(own)) {
  for (const std::string& path : paths) {
    const std::size_t wildcard = path.find_first_of("*?[");
    const std::size_t slash = wildcard == std::string::npos ? path.size() : path.rfind('/', wildcard);
    roots_.push_back(slash == 0 ? "/" : path.substr(0, slash));
    globs_.push_back(wildcard == std::string::npos ? "" : path);
  }
}

bool WatchFilter::ignores(std::string_view path, std::string_view below) const {
  const auto own = [&](const std::string& one) { return path.starts_with(one); };
  if (std::ranges::any_of(own_, own)) return true;
  for (const std::string_view name : kNeverWatched) {
    if (any_part_matches(name, below)) return true;
  }
  return std::ranges::any_of(ignored_, [&](const std::string& written) {
    const std::string_view pattern = trimmed(written);
    if (pattern.find('/') == std::string_view::npos) return any_part_matches(pattern, below);
    return matches_or_contains(pattern, pattern.starts_with('/') ? path : below);
  });
}

bool WatchFilter::enters(std::string_view folder) const {
  return std::ranges::any_of(roots_, [&](const std::string& root) {
    const auto below = below_root(folder, root);
    return below && !ignores(folder, *below);
  });
}

bool WatchFilter::counts(std::string_view path) const {
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    const auto below = below_root(path, roots_[i]);
    if (!below || ignores(path, *below)) continue;
    if (globs_[i].empty() || matches_glob(globs_[i], path)) return true;
  }
  return false;
}

}  // namespace clusterd
