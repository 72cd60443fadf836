// FileIdentity: while it lives, files are made and paths are walked with the rights of an app's user.
//
// For unix sockets that a program asks the daemon to open: a daemon of root must not put one where the
// program's own user could not. Only this thread, only the file system (setfsuid(2)); signals and the network
// are not concerned. Nothing happens without an identity or without the right to change it.
#pragma once

#include <vector>

#include "daemon/system/launch_plan.h"

namespace clusterd {

class FileIdentity {
 public:
  explicit FileIdentity(const Identity* identity);
  ~FileIdentity();
  FileIdentity(const FileIdentity&) = delete;
  FileIdentity& operator=(const FileIdentity&) = delete;

 private:
  bool changed_ = false;
  uid_t uid_before_ = 0;
  gid_t gid_before_ = 0;
  std::vector<gid_t> groups_before_;
};

}  // namespace clusterd
