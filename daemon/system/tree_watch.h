// TreeWatch: hears of changes in any number of trees of files, through one inotify instance.
//
// Problem: inotify watches folders, not trees; folders come, go and move while a tree is being read; two apps
// may watch the same folder, which is one watch to the kernel; and the kernel limits their number. Idea: a
// table from watch to its uses (owner and path), and a queue of folders still to be read, from which scan()
// takes as much as fits into a slice of time. A folder is watched before it is read, so nothing is missed in
// between.
//
// Used by daemon/watch_restarts, one a daemon. Decides nothing about what counts: `enters` says which folders
// belong to a tree. The root of a tree is watched by its name in its folder as well, so that a file that is
// replaced, a folder that comes back and a symbolic link that is switched are noticed. Links below the root
// are not followed, kernel file systems (proc, sys ...) are not entered. Sources: inotify(7), statfs(2).
#pragma once

#include <dirent.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/result.h"
#include "daemon/system/unique_fd.h"

namespace clusterd {

class TreeWatch {
 public:
  using Owner = std::uint64_t;
  using Enters = std::function<bool(const std::string& folder)>;
  struct Change {
    Owner owner = 0;
    std::string path;
  };
  struct State {
    std::size_t folders = 0;
    bool complete = true;  // everything has been read
    std::string fault;     // why a part is not watched; empty: all of it is
  };

  static Result<TreeWatch> create();

  int fd() const { return inotify_.get(); }
  void add(Owner owner, const std::vector<std::string>& roots, Enters enters);  // scan() does the rest
  void remove(Owner owner);
  // Reads folders until nothing is left or the slice is over; true: call again.
  bool scan(std::chrono::microseconds slice);
  // What has happened; a change of many files that the kernel could not queue is one of the root. May leave
  // folders to scan().
  std::vector<Change> read();
  bool must_scan() const { return !pending_.empty(); }
  State state(Owner owner) const;

 private:
  struct Use {
    Owner owner = 0;
    std::string path;  // of the folder
    std::string name;  // only this entry counts: a root; empty: all of them
  };
  struct Tree {
    std::vector<std::string> roots;
    Enters enters;
    std::size_t folders = 0;
    std::string fault;
  };
  struct Pending {
    Owner owner = 0;
    std::string path;
  };
  struct DirCloser {
    void operator()(DIR* dir) const { closedir(dir); }
  };

  explicit TreeWatch(UniqueFd inotify) : inotify_(std::move(inotify)) {}
  void begin(Owner owner, const std::string& root);
  bool watch(Tree& tree, Use use);
  void forget_below(Owner owner, const std::string& path);
  void drop_unused(std::vector<int> watches);
  bool open_front();
  void read_front();
  void hear(int watch, std::uint32_t mask, const std::string& name, std::vector<Change>& changes);
  void hear_use(const Use& use, std::uint32_t mask, const std::string& name, std::vector<Change>& changes);
  void start_over(std::vector<Change>& changes);

  UniqueFd inotify_;
  std::map<Owner, Tree> trees_;
  std::unordered_map<int, std::vector<Use>> uses_;
  std::deque<Pending> pending_;
  std::unique_ptr<DIR, DirCloser> open_;  // of the first pending one
};

}  // namespace clusterd
