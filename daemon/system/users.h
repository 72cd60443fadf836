// Users: from `uid` and `gid` of an app to the identity its processes get.
//
// Called when an app is applied. Reads the user database through the C library, so it may wait for a
// directory service where the machine uses one; call it once an app, not once a start.
#pragma once

#include <string>

#include "common/result.h"
#include "daemon/system/launch_plan.h"

namespace clusterd {

struct ResolvedUser {
  Identity identity;
  std::string name;   // the number if the database does not know the uid
  std::string home;   // "/" if unknown
  std::string shell;  // "/bin/sh" if unknown
};

// Names or numbers. Empty uid_text: the user of this process; empty gid_text: the login group of the user.
// Supplementary groups are those of the user's name; a uid without a name has none and needs a gid.
Result<ResolvedUser> resolve_user(const std::string& uid_text, const std::string& gid_text);

// Owner and group of a file, names or numbers; -1 for an empty text: chown(2) leaves that as it is.
struct FileOwner {
  uid_t uid = static_cast<uid_t>(-1);
  gid_t gid = static_cast<gid_t>(-1);
};
Result<FileOwner> resolve_owner(const std::string& owner_text, const std::string& group_text);

// "alice", or the number.
std::string user_name(uid_t uid);

}  // namespace clusterd
