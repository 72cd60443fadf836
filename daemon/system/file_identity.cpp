#include "daemon/system/file_identity.h"

#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace clusterd {
namespace {

// The C library's setgroups() changes every thread.
void set_groups_of_this_thread(const std::vector<gid_t>& groups) {
  syscall(SYS_setgroups, groups.size(), groups.data());
}

}  // namespace

FileIdentity::FileIdentity(const Identity* identity) {
  if (identity == nullptr || identity->uid == geteuid()) return;
  const int count = getgroups(0, nullptr);
  groups_before_.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  if (getgroups(count, groups_before_.data()) != count) return;
  changed_ = true;
  set_groups_of_this_thread(identity->groups);
  gid_before_ = static_cast<gid_t>(setfsgid(identity->gid));
  uid_before_ = static_cast<uid_t>(setfsuid(identity->uid));
}

FileIdentity::~FileIdentity() {
  if (!changed_) return;
  setfsuid(uid_before_);
  setfsgid(gid_before_);
  set_groups_of_this_thread(groups_before_);
}

}  // namespace clusterd
