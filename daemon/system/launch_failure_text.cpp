#include "daemon/system/launch_failure_text.h"

#include <cctype>
#include <cerrno>

#include "config/process_limits.h"
#include "daemon/system/system_error.h"

namespace clusterd {
namespace {

using wire::Fault;
using wire::Stage;

// In the middle of a sentence: "permission denied".
std::string reason(int error) {
  std::string text = errno_text(error);
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

std::string interpreter_text(const wire::LaunchReport& report) {
  std::string interpreter = report.detail;
  if (!interpreter.ends_with('\r')) {
    return "interpreter " + interpreter + " named in the first line does not exist";
  }
  interpreter.pop_back();
  return "the first line ends with a carriage return, so the interpreter is not " + interpreter +
         ": save the file with Unix line ends";
}

std::string exec_text(const wire::LaunchReport& report) {
  const std::string detail = report.detail;
  switch (report.fault) {
    case Fault::plain:
      break;
    case Fault::not_on_path:
      return "not found in PATH of the app (" + detail + ")";
    case Fault::missing:
      return detail.empty() ? "no such file" : "no such file (looked in " + detail + ")";
    case Fault::is_directory:
      return "is a directory, not a program";
    case Fault::not_executable:
      return "permission denied: not executable, chmod +x?";
    case Fault::no_exec_mount:
      return "permission denied: its file system is mounted noexec";
    case Fault::interpreter_missing:
      return interpreter_text(report);
    case Fault::interpreter_denied:
      return "interpreter " + detail + " named in the first line is not executable";
    case Fault::loader_missing:
      return "its dynamic loader " + detail + " does not exist: built for another system or C library";
    case Fault::no_shebang:
      return "neither a program nor a script: no #! line";
    case Fault::wrong_machine:
      return "built for another processor";
    case Fault::empty_file:
      return "the file is empty";
  }
  if (report.error == E2BIG) return "arguments and environment are too large for the kernel";
  if (report.error == ETXTBSY) return "the file is still open for writing";
  return reason(report.error);
}

// "rlimits.nofile", "nice".
std::string limit_name(const wire::LaunchReport& report) {
  const std::string subject = report.subject;
  if (subject != "rlimit") return subject;
  for (const ResourceName& resource : resource_names()) {
    if (std::to_string(resource.number) == report.detail) return "rlimits." + std::string(resource.name);
  }
  return "the limit of open files";
}

std::string limit_hint(const wire::LaunchReport& report) {
  if (report.error != EPERM && report.error != EACCES) return "";
  return " (raising it above what the daemon has needs a daemon that runs as root)";
}

}  // namespace

const char* launch_stage_word(Stage stage) {
  switch (stage) {
    case Stage::plan:
      return "plan";
    case Stage::session:
      return "session";
    case Stage::sockets:
      return "sockets";
    case Stage::stdio:
      return "stdio";
    case Stage::cgroup:
      return "cgroup";
    case Stage::limits:
      return "limits";
    case Stage::cwd:
      return "cwd";
    case Stage::takeover:
      return "takeover";
    case Stage::groups:
      return "groups";
    case Stage::group:
      return "group";
    case Stage::user:
      return "user";
    case Stage::exec:
      return "exec";
  }
  return "launch";
}

std::string launch_failure_sentence(const wire::LaunchReport& report) {
  const std::string subject = report.subject;
  const std::string why = reason(report.error);
  switch (report.stage) {
    case Stage::plan:
      if (report.error != EPROTO) return "the launcher could not receive its orders: " + why;
      return "the launcher is of another version than the daemon: restart the daemon";
    case Stage::session:
      return "cannot start a session: " + why;
    case Stage::sockets:
      return "cannot put the listening sockets in place: " + why;
    case Stage::stdio:
      return "cannot set up standard input and output: " + why;
    case Stage::cgroup:
      return "cannot enter its cgroup: " + why;
    case Stage::limits:
      return "cannot set " + limit_name(report) + ": " + why + limit_hint(report);
    case Stage::cwd:
      return "cannot enter the working directory " + subject + ": " + why;
    case Stage::takeover:
      return "cannot hand the bind() notifications to the daemon: " + why;
    case Stage::groups:
      return "cannot take the groups of user " + subject + ": " + why;
    case Stage::group:
      return "cannot become group " + subject + ": " + why;
    case Stage::user:
      return "cannot become user " + subject + ": " + why;
    case Stage::exec:
      return subject + ": " + exec_text(report);
  }
  return why;
}

}  // namespace clusterd
