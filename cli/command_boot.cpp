// `startup` and `unstartup`: a systemd unit that brings the saved apps back at boot is installed, shown or
// taken away.
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/boot_unit.h"
#include "cli/child_run.h"
#include "cli/command.h"
#include "cli/local_files.h"
#include "cli/operation_run.h"
#include "cli/user_manager.h"
#include "common/json_text.h"
#include "common/path_text.h"

namespace clusterd::cli {
namespace {

using Words = std::vector<std::string>;
constexpr std::size_t kUnitBytesMax = 64 * 1024;
constexpr std::chrono::seconds kManagerStart{20};

struct BootPlan {
  BootUnit unit;
  std::string service;  // without ".service"
  std::string path;     // of the unit
  std::vector<Words> before_removal;
  std::vector<Words> afterwards;
  bool is_system = true;
  Words linger{};  // of a user unit: without it the unit waits for a login; empty: done already
};

struct Account {
  std::string name;
  std::string home;
};

Result<Account> account_of(const std::string& wanted) {
  const passwd* entry = wanted.empty() ? getpwuid(geteuid()) : getpwnam(wanted.c_str());
  if (entry != nullptr) return Account{entry->pw_name, entry->pw_dir};
  return fail(ErrorCode::not_found, wanted.empty() ? "the user who calls has no entry in the user database"
                                                   : "there is no user '" + wanted + "' on this machine");
}

Result<std::string> daemon_program(const Caller& caller) {
  const std::string beside = own_folder() + "/clusterd-daemon";
  if (look_at(beside) == FileKind::executable) return beside;
  if (auto found = find_on_path("clusterd-daemon", variable(caller, "PATH")))
    return join_path(caller.cwd, *found);
  return fail(ErrorCode::not_found, "there is no clusterd-daemon beside this program or on PATH");
}

BootPlan system_plan(const Context& context, BootUnit unit, std::string service) {
  const std::string& root = context.arguments.boot_root;
  BootPlan plan{std::move(unit), std::move(service), {}, {}, {}};
  plan.path = (root.empty() ? "" : join_path(context.caller.cwd, root)) + "/etc/systemd/system/" +
              plan.service + ".service";
  Words systemctl{"systemctl"};
  if (!root.empty()) systemctl.push_back("--root=" + join_path(context.caller.cwd, root));
  const bool installs = context.arguments.verb == Verb::startup;
  if (root.empty()) plan.afterwards.push_back({"systemctl", "daemon-reload"});
  Words last = systemctl;
  last.insert(last.end(), {installs ? "enable" : "disable", plan.service + ".service"});
  (installs ? plan.afterwards : plan.before_removal).push_back(last);
  return plan;
}

BootPlan user_plan(const Context& context, const std::string& user, BootUnit unit, std::string service) {
  BootPlan plan{std::move(unit), std::move(service), {}, {}, {}, false};
  const std::string configured = variable(context.caller, "XDG_CONFIG_HOME");
  plan.path = (configured.empty() ? context.caller.user_home + "/.config" : configured) + "/systemd/user/" +
              plan.service + ".service";
  plan.afterwards.push_back({"systemctl", "--user", "daemon-reload"});
  if (context.arguments.verb == Verb::startup) {
    plan.afterwards.push_back({"systemctl", "--user", "enable", plan.service + ".service"});
    // By name: without one it is the user of the session who is meant, and su has made none.
    if (!is_lingering(user)) plan.linger = {"loginctl", "enable-linger", user};
  } else {
    plan.before_removal.push_back({"systemctl", "--user", "disable", plan.service + ".service"});
  }
  return plan;
}

Result<BootPlan> plan_boot(const Context& context) {
  const Arguments& arguments = context.arguments;
  if (!arguments.targets.empty() && arguments.targets.front() != "systemd") {
    return fail(ErrorCode::usage,
                "clusterd makes units for systemd only, not for '" + arguments.targets.front() +
                    "'; elsewhere let the machine run at boot: clusterd-daemon --resurrect");
  }
  auto account = account_of(arguments.boot_user);
  if (!account) return fail(account.error());
  const bool is_system = context.caller.is_root || !arguments.boot_root.empty();
  auto own = account_of("");
  if (!is_system && (!own || own->name != account->name)) {
    return fail(ErrorCode::denied, "a unit for another user needs root: sudo clusterd " +
                                       std::string(verb_row(arguments.verb).name) + " -u " + account->name);
  }
  auto daemon = daemon_program(context.caller);
  if (!daemon) return fail(daemon.error());
  BootUnit unit{is_system ? account->name : "", context.paths.home, *daemon};
  if (!arguments.boot_user.empty() && arguments.home.empty()) {
    const std::string home = arguments.boot_user_home.empty() ? account->home : arguments.boot_user_home;
    unit.home = join_path(join_path(context.caller.cwd, home), ".clusterd");
  }
  std::string service = arguments.service_name;
  if (service.empty()) service = is_system ? "clusterd-" + account->name : "clusterd";
  if (service.ends_with(".service")) service.resize(service.size() - 8);
  if (auto checked = check_service_name(service); !checked) return fail(checked.error());
  return is_system ? system_plan(context, std::move(unit), std::move(service))
                   : user_plan(context, account->name, std::move(unit), std::move(service));
}

std::string shell_line(const Words& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

Error system_fault(const std::string& what) {
  const ErrorCode code =
      errno == EACCES || errno == EPERM || errno == EROFS ? ErrorCode::denied : ErrorCode::failed;
  return {code, what + ": " + std::strerror(errno)};
}

Result<> make_folders(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const std::string folder = path.substr(0, slash);
    if (mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST)
      return fail(system_fault("cannot make " + folder));
  }
  return {};
}

// Nothing, or a unit of ours.
Result<> check_present(const std::string& path) {
  if (look_at(path) == FileKind::missing) return {};
  auto text = read_file(path, kUnitBytesMax);
  if (text && text->starts_with(kBootUnitMark)) return {};
  return fail(ErrorCode::conflict,
              path +
                  " is there and was not written by `clusterd startup`; name another service "
                  "with --service-name");
}

Result<> write_unit(const std::string& path, const std::string& text) {
  if (auto checked = check_present(path); !checked) return checked;
  if (auto made = make_folders(path); !made) return made;
  const std::string partial = path + ".part";
  {
    std::ofstream file(partial, std::ios::trunc);
    file << text;
    if (!file.flush()) return fail(system_fault("cannot write " + partial));
  }
  if (chmod(partial.c_str(), 0644) != 0 || std::rename(partial.c_str(), path.c_str()) != 0)
    return fail(system_fault("cannot write " + path));
  return {};
}

Result<> run_all(const std::vector<Words>& commands, Console& console) {
  for (const Words& words : commands) {
    console.note("running: " + shell_line(words));
    auto outcome = run_child({words});
    if (!outcome) return fail(outcome.error());
    if (outcome->status == 0) continue;
    return fail(ErrorCode::failed,
                shell_line(words) + " ended with status " + std::to_string(outcome->status));
  }
  return {};
}

// Lingering comes first: it starts the manager that is to know the unit. Where only it fails, the unit is
// installed all the same.
Result<> install_for_user(const Context& context, const BootPlan& plan) {
  const std::string folder = point_to_user_manager(context.caller);
  auto lingers = plan.linger.empty() ? Result<>{} : run_all({plan.linger}, context.console);
  if (!lingers) {
    lingers =
        fail(lingers.error().code,
             lingers.error().message +
                 "; without it the apps come back only when you log in. As root: " + shell_line(plan.linger));
  }
  if (!takes_orders(folder, lingers ? kManagerStart : std::chrono::seconds{0})) {
    if (!lingers) return lingers;
    return fail(ErrorCode::failed, "your systemd user manager does not run (no " + folder +
                                       "/systemd/private); log in, or let root make a unit for you: clusterd "
                                       "startup -u USER");
  }
  if (auto done = run_all(plan.afterwards, context.console); !done) return done;
  return lingers;
}

Result<> install(const Context& context, const BootPlan& plan, const std::string& text) {
  if (auto written = write_unit(plan.path, text); !written) return written;
  context.console.note("wrote " + plan.path);
  auto done = plan.is_system ? run_all(plan.afterwards, context.console) : install_for_user(context, plan);
  if (!done) return done;
  context.console.note("at the next boot the apps of `clusterd save` come back (home " + plan.unit.home +
                       ")");
  return {};
}

Result<> uninstall(const Context& context, const BootPlan& plan) {
  if (look_at(plan.path) == FileKind::missing) {
    context.console.note("there is no " + plan.path);
    return {};
  }
  if (auto checked = check_present(plan.path); !checked) return checked;
  if (!plan.is_system) point_to_user_manager(context.caller);
  if (auto done = run_all(plan.before_removal, context.console); !done) return done;
  if (unlink(plan.path.c_str()) != 0) return fail(system_fault("cannot remove " + plan.path));
  context.console.note("removed " + plan.path + "; what runs goes on");
  return run_all(plan.afterwards, context.console);
}

}  // namespace

int run_boot(const Context& context) {
  auto plan = plan_boot(context);
  if (!plan) return report(plan.error(), context.console);
  auto text = boot_unit_text(plan->unit);
  if (!text) return report(text.error(), context.console);
  const bool installs = context.arguments.verb == Verb::startup;
  if (const std::string user = variable(context.caller, "SUDO_USER");
      installs && context.caller.is_root && !user.empty() && context.arguments.boot_user.empty()) {
    context.console.note("this is about the apps of root; for those of " + user + ": clusterd startup -u " +
                         user);
  }
  if (context.arguments.print_only) {
    if (installs) context.console.out(*text);
    context.console.note((installs ? "to be written as " : "to be removed: ") + plan->path);
    for (const Words& words : plan->before_removal)
      context.console.note("to be run before: " + shell_line(words));
    if (!plan->linger.empty()) context.console.note("to be run then: " + shell_line(plan->linger));
    for (const Words& words : plan->afterwards) context.console.note("to be run then: " + shell_line(words));
    return 0;
  }
  if (context.arguments.boot_root.empty() && look_at("/run/systemd/system") != FileKind::folder) {
    return report({ErrorCode::failed,
                   "this machine was not booted by systemd; --print shows the unit, and what has to run "
                   "at boot is: clusterd-daemon --resurrect"},
                  context.console);
  }
  auto done = installs ? install(context, *plan, *text) : uninstall(context, *plan);
  return done ? 0 : report(done.error(), context.console);
}

}  // namespace clusterd::cli
