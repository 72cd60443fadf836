// WatchFilter: which files and folders of an app count when they change.
//
// Pure; made by daemon/watch_restarts for each app that is watched, asked for each folder that is entered and
// each change. Never watched, whatever is said: node_modules and the folders of version control, and the
// app's own logs and pid files. `ignore_watch`: a name without a slash is compared with every part of the
// path below the watched folder, one with a slash with the path from there (or, absolute, with the whole
// path), and with what lies below; * ? [] and ** are understood. Absent: names that begin with a dot.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clusterd {

// * and ? stop at a slash, ** does not; [abc], [a-z], [!a].
bool matches_glob(std::string_view pattern, std::string_view text);
bool is_glob(std::string_view pattern);

class WatchFilter {
 public:
  // paths: absolute, may be globs. own: absolute paths; what begins with one is the app's own output.
  WatchFilter(const std::vector<std::string>& paths, const std::optional<std::vector<std::string>>& ignored,
              std::vector<std::string> own);

  // The folders and files to begin with: of a glob, the part before its first wildcard.
  const std::vector<std::string>& roots() const { return roots_; }

  bool enters(std::string_view folder) const;  // its content may count
  bool counts(std::string_view path) const;    // a change of it is a reason to restart

 private:
  bool ignores(std::string_view path, std::string_view below) const;

  std::vector<std::string> roots_;
  std::vector<std::string> globs_;  // one for each root; empty: everything below
  std::vector<std::string> ignored_;
  std::vector<std::string> own_;
};

}  // namespace clusterd
