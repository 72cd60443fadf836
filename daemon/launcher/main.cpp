// clusterd-exec: turns a fresh process into one process of an app.
//
// Started by the daemon (daemon/system/spawner) with one end of a socket pair as fd 0. It does in plain code
// what would otherwise have to be done between fork and exec, where almost nothing is allowed; so a launch
// costs the same however large the daemon is. Static, no heap beyond two arrays, no exceptions. Of no use to
// call by hand.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "daemon/launcher/descriptors.h"
#include "daemon/launcher/execute.h"
#include "daemon/launcher/identity.h"
#include "daemon/launcher/limits.h"
#include "daemon/launcher/received_plan.h"
#include "daemon/launcher/report.h"
#include "daemon/launcher/takeover_filter.h"

namespace clusterd::launcher {
namespace {

void start_session(const Reporter& reporter) {
  if (setsid() < 0) reporter.give_up(wire::Stage::session, errno);
}

void enter_directory(const ReceivedPlan& plan, const Reporter& reporter) {
  if (plan.cwd[0] != 0 && chdir(plan.cwd) != 0) reporter.give_up(wire::Stage::cwd, errno, plan.cwd);
}

[[noreturn]] void launch() {
  block_signals();
  Reporter reporter(STDIN_FILENO);
  start_session(reporter);
  const ReceivedPlan plan = receive_plan(reporter);
  join_cgroups(plan, reporter);
  place_descriptors(plan, reporter);
  set_limits(plan, reporter);
  if (plan.has(wire::kTakeOverBind)) install_takeover_filter(reporter);
  assume_identity(plan, reporter);
  enter_directory(plan,
                  reporter);  // as the app's user: a folder closed to it is an error now, not a riddle later
  execute(plan, reporter);
}

bool started_by_daemon() {
  struct stat about;
  return fstat(STDIN_FILENO, &about) == 0 && S_ISSOCK(about.st_mode);
}

}  // namespace
}  // namespace clusterd::launcher

int main() {
  if (!clusterd::launcher::started_by_daemon()) {
    std::fputs("clusterd-exec is a part of clusterd-daemon and is started by it only\n", stderr);
    return 2;
  }
  clusterd::launcher::launch();
}
