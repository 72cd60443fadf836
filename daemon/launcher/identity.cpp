#include "daemon/launcher/identity.h"

#include <grp.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace clusterd::launcher {
namespace {

[[noreturn]] void give_up_with_id(const Reporter& reporter, wire::Stage stage, unsigned id) {
  const int error = errno;
  char text[16];
  std::snprintf(text, sizeof text, "%u", id);
  reporter.give_up(stage, error, text);
}

}  // namespace

void assume_identity(const ReceivedPlan& plan, const Reporter& reporter) {
  if (!plan.has(wire::kHasIdentity)) return;
  const uid_t uid = plan.header.uid;
  const gid_t gid = plan.header.gid;
  if (setgroups(plan.header.group_count, plan.groups) != 0) {
    const bool already = errno == EPERM && geteuid() == uid && getegid() == gid;
    if (already) return;
    give_up_with_id(reporter, wire::Stage::groups, uid);
  }
  if (setresgid(gid, gid, gid) != 0) give_up_with_id(reporter, wire::Stage::group, gid);
  if (setresuid(uid, uid, uid) != 0) give_up_with_id(reporter, wire::Stage::user, uid);
}

}  // namespace clusterd::launcher
