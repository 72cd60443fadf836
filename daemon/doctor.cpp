#include "daemon/doctor.h"

#include <nlohmann/json.hpp>

#include "config/field_values.h"
#include "daemon/system/app_cgroup.h"
#include "daemon/system/kernel_probe.h"
#include "daemon/system/usable_cpus.h"

namespace clusterd {
namespace {

using nlohmann::json;

json check(const char* name, bool ok, const std::string& detail, const std::string& hint = "") {
  json entry{{"name", name}, {"ok", ok}, {"detail", detail}};
  if (!hint.empty()) entry["hint"] = hint;
  return entry;
}

json check_takeover(const KernelProbe& probe) {
  const char* name = "bind() takeover";
  if (!probe.seccomp_notify || !probe.pidfd_getfd) {
    return check(name, false,
                 "seccomp user notification or pidfd_getfd is missing (Linux " + probe.release + ")",
                 "only addresses declared with `listen` are shared; Linux 5.14 or newer has both");
  }
  if (probe.seccomp_privileged)
    return check(name, true, "programs that bind by themselves get the sockets of their app");
  return check(name, true, "works with no_new_privs: setuid helpers of an app get no privileges",
               "exec_mode \"fork\" leaves such an app alone");
}

json check_balance(Balancing& balancing) {
  const BalanceMeans& means = balancing.means();
  const BalanceChoice choice = balancing.choose(Balance::automatic, AddressFamily::tcp4);
  const std::string detail = "auto is " + std::string(balance_word(choice.balance)) + ": " + choice.reason;
  return check("balance", means.kernel, detail,
               means.kernel ? "" : "run the daemon as root or with CAP_BPF and CAP_NET_ADMIN for least_conn");
}

json check_counting(const BalanceMeans& means) {
  if (means.counting) return check("connection counts", true, "by the kernel, at no cost per request");
  return check("connection counts", false, "by looking at the processes, when somebody asks",
               "draining is seen a little later, and `balance` shows no totals");
}

}  // namespace

json run_doctor(const HomePaths& home, Balancing& balancing) {
  const KernelProbe probe = probe_kernel();
  const UsableCpus cpus = usable_cpus();
  json checks = json::array();
  checks.push_back(check("kernel", true, "Linux " + probe.release));
  checks.push_back(check("home", true, home.home));
  checks.push_back(check("cpus", true, "max is " + std::to_string(cpus.count) + ": " + cpus.reason));
  checks.push_back(check_takeover(probe));
  checks.push_back(check_balance(balancing));
  checks.push_back(check_counting(balancing.means()));
  checks.push_back(check("orphans", probe.subreaper,
                         probe.subreaper
                             ? "orphans of apps come to the daemon and are swept with their app"
                             : "the daemon is no subreaper: detached children of an app may survive it"));
  checks.push_back(check("process trees", probe.proc_children,
                         probe.proc_children
                             ? "children are listed by the kernel"
                             : "no /proc/PID/task/TID/children: all of /proc is read instead"));
  const std::string hindrance = AppCgroup::hindrance();
  checks.push_back(
      check("cgroup limits", hindrance.empty(),
            hindrance.empty() ? "memory, cpu and pids of an instance can be limited" : hindrance,
            hindrance.empty() ? "" : "run the daemon as root, or with Delegate=yes in its unit"));
  constexpr unsigned long long kComfortable = 8192;
  checks.push_back(
      check("open files", probe.nofile_limit >= kComfortable,
            std::to_string(probe.nofile_limit) + ", about 6 an instance",
            probe.nofile_limit >= kComfortable ? "" : "raise the hard limit (ulimit -Hn, LimitNOFILE=)"));
  return checks;
}

}  // namespace clusterd
