#include "cli/command.h"

#include "cli/daemon_access.h"
#include "cli/operation_run.h"

namespace clusterd::cli {

int run_command(const Arguments& arguments, const Caller& caller, Console& console) {
  if (arguments.verb == Verb::help) return run_help(arguments, console);
  std::string home = arguments.home.empty() ? variable(caller, "CLUSTERD_HOME") : arguments.home;
  auto paths = home_paths(absolute_home(home, caller), caller.user_home);
  if (arguments.verb == Verb::version) return run_version(arguments, paths, console);
  if (!paths) return report(paths.error(), console);
  Context context{arguments, caller, *paths, console};
  if (arguments.ignores_options)
    console.note("options that only PM2 has are ignored; docs/from-pm2.md lists them");
  switch (arguments.verb) {
    case Verb::start:
      return run_start(context);
    case Verb::start_or_restart:
    case Verb::start_or_reload:
      return run_apply(context);
    case Verb::diff:
      return run_diff(context);
    case Verb::serve:
      return run_serve(context);
    case Verb::startup:
    case Verb::unstartup:
      return run_boot(context);
    case Verb::report:
      return run_report(context);
    case Verb::import:
      return run_import(context);
    case Verb::init:
      return run_init(context);
    case Verb::completion:
      return run_completion(context);
    case Verb::slist:
      return run_slist(context);
    case Verb::prove:
      return run_prove(context);
    case Verb::logs:
      return run_logs(context);
    case Verb::adopt:
      return run_adopt(context);
    case Verb::attach:
      return run_attach(context);
    case Verb::events:
      return run_events(context);
    case Verb::why:
      return run_why(context);
    case Verb::daemon:
      return run_daemon(context);
    case Verb::list:
    case Verb::jlist:
    case Verb::prettylist:
    case Verb::describe:
    case Verb::balance:
    case Verb::env:
    case Verb::pid:
    case Verb::id:
    case Verb::ping:
    case Verb::doctor:
      return run_show(context);
    default:
      return run_control(context);
  }
}

}  // namespace clusterd::cli
