// SocketFile: the file of a unix socket we opened, recognised again however often its path is used anew.
//
// Used by NodeSockets: programs tend to remove the file before they listen. Errors mean "not there".
#pragma once

#include <sys/types.h>

#include <string>

namespace clusterd {

struct SocketFile {
  std::string path;  // empty: the socket has no file
  dev_t device = 0;
  ino_t inode = 0;

  static SocketFile at(const std::string& path);  // "@name" is no file

  bool in_place() const;             // true without a file
  void remove() const;               // only if it is in place
  void add_mode(mode_t bits) const;  // the same; links are not followed
};

}  // namespace clusterd
