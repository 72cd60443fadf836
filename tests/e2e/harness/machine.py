"""Machine: a boot of a real systemd as process 1, in name spaces and a cgroup of its own.

It has the files of this machine, but /etc, /var/lib and /run are its own: the first two stay from boot to boot, /run
does not. Only the few units that are needed exist, besides those in its /etc/systemd/system. Root only. People have
their homes below /var/lib, root, too; with `logins` there is a systemd-logind that starts managers of their own.
"""

import shutil
import signal
import subprocess
from pathlib import Path

from . import cgroups, processes, waiting
from .cluster import Cluster

SYSTEMD = Path("/lib/systemd/systemd")
UNITS = Path("/lib/systemd/system")
COPIED_UNITS = (
    "sysinit.target basic.target multi-user.target network.target shutdown.target umount.target final.target "
    "exit.target systemd-exit.service"
).split()
LOGIN_UNITS = (
    "dbus.service dbus.socket sockets.target slices.target user.slice systemd-logind.service "
    "dbus-org.freedesktop.login1.service user@.service user@.service.d user-.slice.d user-runtime-dir@.service "
    "nss-user-lookup.target polkit.service"
).split()
LOGIN_SERVICES = ("dbus.service", "systemd-logind.service")
LOGIN_PROGRAMS = ("/usr/bin/dbus-daemon", "/lib/systemd/systemd-logind", "/usr/lib/polkit-1/polkitd")
HOMES = "/var/lib/people"
BOOT_SECONDS = 40

# $1: the folder of the machine, $2: its cgroup. The shell joins the cgroup, so that the cgroup name space begins there.
ENTER = """
echo $$ > "$2/cgroup.procs"
exec unshare --pid --fork --kill-child --mount --propagation private --cgroup --ipc --uts --net sh -euc '
  mount -t proc proc /proc
  mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro /proc/sys
  mount --bind "$1/etc" /etc
  mount --bind "$1/var-lib" /var/lib
  mount -t tmpfs tmpfs /run
  mount -t cgroup2 cgroup2 /sys/fs/cgroup
  exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin container=test SYSTEMD_UNIT_PATH=/etc/systemd/system:"$1/units" \
    "$3" --system --unit=multi-user.target --log-target=console --show-status=no
' sh "$@"
"""


class Machine:
    def __init__(self, cluster: Cluster, logins: bool = False):
        self.cluster = cluster
        self.folder = cluster.folder("machine")
        self.log = self.folder / "console.log"
        self._cgroup = cgroups.own_folder() / f"clusterd-e2e-machine-{self.folder.parent.name}"
        self._booted: subprocess.Popen | None = None
        shutil.copytree("/etc", self.folder / "etc", symlinks=True, ignore_dangling_symlinks=True)
        shutil.rmtree(self.folder / "etc/systemd/system", ignore_errors=True)
        for name in ("etc/systemd/system", "var-lib", "units"):
            (self.folder / name).mkdir(parents=True)
        self.home_of("root").mkdir(parents=True)
        for name in COPIED_UNITS:
            shutil.copy(UNITS / name, self.folder / "units" / name)
        if logins:
            self._add_logins()

    def _add_logins(self) -> None:
        missing = [path for path in LOGIN_PROGRAMS if not Path(path).exists()]
        assert not missing, f"{missing} are missing: packaging/apt-packages-test.txt has their packages"
        units = self.folder / "units"
        for name in LOGIN_UNITS:
            source = UNITS / name
            if source.is_dir():
                shutil.copytree(source, units / name)
            else:
                shutil.copy(source, units / name, follow_symlinks=False)
        (units / "multi-user.target.wants").mkdir()
        for name in LOGIN_SERVICES:
            (units / "multi-user.target.wants" / name).symlink_to(units / name)

    def install(self, name: str, text: str) -> None:
        """Puts a unit where a package puts it."""
        (self.folder / "units" / name).write_text(text)

    def boot(self) -> None:
        self._cgroup.mkdir(exist_ok=True)
        with open(self.log, "ab") as log:
            words = ["sh", "-euc", ENTER, "sh", self.folder, self._cgroup, SYSTEMD]
            self._booted = subprocess.Popen(
                list(map(str, words)),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.wait_for(
            "the boot", lambda: self._init() and self.run("systemctl", "is-active", "multi-user.target")
        )

    def run(self, *words) -> str:
        """A command of the administrator on the machine; what it prints, "" if it failed."""
        done = self.attempt(*words)
        return done.stdout if done.returncode == 0 else ""

    def attempt(self, *words, user: str = "root") -> subprocess.CompletedProcess:
        """As somebody who has come through `su`: with a HOME, but no session."""
        enter = ["nsenter", "-t", str(self._init()), "-a"]
        if user != "root":
            enter += ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"]
        enter += ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", f"HOME={HOMES}/{user}"]
        return subprocess.run([*enter, *map(str, words)], capture_output=True, text=True, timeout=60)

    def home_of(self, user: str) -> Path:
        """From outside."""
        return self.folder / "var-lib" / Path(HOMES).name / user

    def add_person(self, name: str) -> None:
        done = self.attempt("useradd", "--create-home", "--base-dir", HOMES, "--shell", "/bin/sh", name)
        assert done.returncode == 0, done.stderr

    def shut_down(self) -> None:
        """In order: every unit is stopped."""
        self.run("systemctl", "exit")
        self.wait_for("the end of the machine", lambda: self._booted.poll() is not None)
        self._booted = None

    def lose_power(self) -> None:
        processes.send_signal(self._init(), signal.SIGKILL)
        self.wait_for("the end of the machine", lambda: self._booted.poll() is not None)
        self._booted = None

    def close(self) -> None:
        if self._booted and self._booted.poll() is None:
            processes.send_signal(self._init() or self._booted.pid, signal.SIGKILL)
            self._booted.wait(timeout=20)
        for folder in sorted(self._cgroup.glob("**/"), reverse=True):
            waiting.wait_for(f"{folder} to be empty", lambda folder=folder: _removed(folder), 10)

    def wait_for(self, what: str, predicate):
        return waiting.wait_for(what, predicate, BOOT_SECONDS, self.console)

    def console(self) -> str:
        return self.log.read_text(errors="replace")[-4000:] if self.log.exists() else ""

    def _init(self) -> int:
        """Process 1 of the machine as this one sees it; 0 until it is systemd."""
        below = processes.children(self._booted.pid) if self._booted else []
        return below[0] if below and processes.command_line(below[0]).startswith(str(SYSTEMD)) else 0


def _removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
