"""Protects: `startup` and `save`, then a boot of a real systemd: the apps come back, in the order of depends_on, what
was stopped stays stopped; they end in the opposite order; `unstartup` leaves nothing behind."""

import json

import pytest
from harness import apps
from harness.machine import HOMES, Machine

pytestmark = pytest.mark.needs_root

# NAME PORT [PORT NEEDED...]: notes what it meets, in the order in which it comes.
APP = """
import os, signal, socket, sys, time
name, port, *needed = sys.argv[1:]
book = os.open(os.environ["BOOK"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
def note(word):
    os.write(book, f"{name} {word}\\n".encode())
def leave(*_):
    note("is asked")
    time.sleep(0.3)
    note("goes")
    os._exit(0)
signal.signal(signal.SIGTERM, leave)
note("begins")
for other in needed:
    try:
        socket.create_connection(("127.0.0.1", int(other)), 5).close()
    except OSError as error:
        note(f"meets {error}")
time.sleep(0.2)
server = socket.create_server(("127.0.0.1", int(port)))
note("listens")
while True:
    server.accept()[0].close()
"""
PORTS = {"db": 7001, "api": 7002, "web": 7003, "mail": 7004, "resting": 7005}
NEEDS = {"web": ["api", "db"], "api": ["db"]}
UP = {"db": "online", "api": "online", "web": "online", "mail": "online", "resting": "stopped"}




class Owner:
    """One user of the machine, whose apps they are, and the unit that brings them back."""

    def __init__(self, machine: Machine, user: str, unit: str, manager: tuple = ()):
        self.machine, self.user, self.unit = machine, user, unit
        self.book = machine.home_of(user) / "book"
        self._manager = manager  # words by which systemctl finds the user's manager; none: a unit of the system

    def clusterd(self, *words, status: int = 0):
        done = self.machine.attempt(self.machine.cluster.binaries.clusterd, *words, user=self.user)
        assert done.returncode == status, f"{words}: {done.stdout}{done.stderr}{self.machine.console()}"
        return done

    def systemctl(self, *words):
        if not self._manager:
            return self.machine.attempt("systemctl", *words)
        return self.machine.attempt(*self._manager, "systemctl", "--user", *words, user=self.user)

    def views(self) -> dict[str, dict]:
        return {view["name"]: view for view in json.loads(self.clusterd("list", "--json").stdout)}

    def statuses(self) -> dict[str, str]:
        return {name: view["status"] for name, view in self.views().items()}

    def start_and_save(self):
        script = self.machine.cluster.write("app.py", APP)
        declared = [
            apps.QUICK
            | {
                "name": name,
                "script": str(script),
                "interpreter": "/usr/bin/python3",
                "args": [name, *(str(PORTS[one]) for one in [name, *NEEDS.get(name, [])])],
                "env": {"BOOK": f"{HOMES}/{self.user}/book"},
                "ready": "listening",
                "depends_on": NEEDS.get(name, []),
            }
            for name in ("web", "api", "mail", "resting", "db")
        ]
        self.clusterd("start", self.machine.cluster.ecosystem(*declared))
        self.clusterd("stop", "resting")
        self.clusterd("save")
        assert self.statuses() == UP

    def boot(self):
        """A boot after which everything has to come back."""
        self.book.unlink()
        self.machine.boot()
        self.machine.wait_for(self.unit, lambda: self.systemctl("is-active", self.unit).returncode == 0)
        self.machine.wait_for("the apps", lambda: self.statuses() == UP)
        status = self.systemctl("status", "--no-pager", self.unit)
        assert status.returncode == 0 and "active (running)" in status.stdout, status

    def check_start_order(self):
        moments = self.book.read_text().splitlines()
        assert not [line for line in moments if " meets " in line], moments
        wanted = ["db begins", "db listens", "api begins", "api listens", "web begins", "web listens"]
        assert [line for line in moments if line in wanted] == wanted, moments
        started = {name: view["started_at_ms"] for name, view in self.views().items()}
        assert started["db"] < started["api"] < started["web"]
        assert "resting begins" not in moments

    def check_stop_order(self):
        moments = self.book.read_text().splitlines()
        ends = ["web is asked", "web goes", "api is asked", "api goes", "db is asked", "db goes"]
        assert [line for line in moments if line in ends] == ends, moments

    def check_nothing_is_left(self, *files):
        assert not [path for path in files if path.exists() or path.is_symlink()]
        assert self.systemctl("is-enabled", self.unit).returncode != 0
        assert self.statuses() == UP  # what runs goes on
        self.machine.shut_down()
        self.machine.boot()
        assert self.systemctl("is-active", self.unit).returncode != 0
        assert not self.machine.run("pgrep", "clusterd-daemon")


@pytest.fixture
def make_machine(cluster):
    made = []

    def make(**options) -> Machine:
        made.append(Machine(cluster, **options))
        made[-1].boot()
        return made[-1]

    yield make
    for machine in made:
        machine.close()


def test_the_apps_of_root_come_back_in_order_and_go_in_the_opposite_one(make_machine):
    machine = make_machine()
    root = Owner(machine, "root", "clusterd-root.service")
    root.start_and_save()
    said = root.clusterd("startup").stderr
    assert "systemctl enable clusterd-root.service" in said
    machine.shut_down()
    root.boot()
    root.check_start_order()
    machine.shut_down()
    root.check_stop_order()
    assert "Failed" not in machine.console()

    root.boot()
    root.clusterd("unstartup")
    units = machine.folder / "etc/systemd/system"
    root.check_nothing_is_left(units / root.unit, units / "multi-user.target.wants" / root.unit)


def test_root_makes_a_unit_for_somebody_else(make_machine):
    machine = make_machine()
    machine.add_person("maria")
    maria = Owner(machine, "maria", "clusterd-maria.service")
    maria.start_and_save()
    assert "needs root" in maria.clusterd("startup", "-u", "root", status=7).stderr
    root = Owner(machine, "root", maria.unit)
    root.clusterd("startup", "-u", "maria")
    # A unit takes over from a daemon that was started by hand when that is gone.
    maria.clusterd("kill")
    assert maria.systemctl("start", maria.unit).returncode == 0, machine.console()
    machine.wait_for("the apps", lambda: maria.statuses() == UP)
    machine.lose_power()
    maria.boot()
    maria.check_start_order()
    owners = {path.stat().st_uid for path in (machine.home_of("maria") / ".clusterd").iterdir()}
    assert owners == {machine.home_of("maria").stat().st_uid} != {0}
    assert machine.run("ps", "-o", "user=", "-C", "clusterd-daemon").split() == ["maria"]
    root.clusterd("unstartup", "-u", "maria")
    units = machine.folder / "etc/systemd/system"
    maria.check_nothing_is_left(units / maria.unit, units / "multi-user.target.wants" / maria.unit)


def user_unit_of(machine: Machine, user: str) -> Owner:
    machine.add_person(user)
    uid = machine.home_of(user).stat().st_uid
    return Owner(machine, user, "clusterd.service", ("env", f"XDG_RUNTIME_DIR=/run/user/{uid}"))


def test_a_user_without_a_session_and_without_root_makes_a_unit_of_his_own(make_machine):
    machine = make_machine(logins=True)
    maria = user_unit_of(machine, "maria")
    maria.start_and_save()
    maria.clusterd("startup")
    linger = machine.folder / "var-lib/systemd/linger/maria"
    assert linger.exists()
    assert "loginctl" not in maria.clusterd("startup", "--print").stderr
    machine.shut_down()
    maria.boot()
    maria.check_start_order()
    assert machine.run("ps", "-o", "user=", "-C", "clusterd-daemon").split() == ["maria"]
    machine.shut_down()
    maria.check_stop_order()

    maria.boot()
    maria.clusterd("unstartup")
    units = machine.home_of("maria") / ".config/systemd/user"
    maria.check_nothing_is_left(units / maria.unit, units / "default.target.wants" / maria.unit)
    assert linger.exists()  # other units may need it


def test_where_lingering_is_for_root_to_allow_the_user_is_told_and_needs_no_more_than_that(make_machine):
    machine = make_machine(logins=True)
    maria = user_unit_of(machine, "maria")
    (machine.folder / "units/polkit.service").unlink()  # nobody who could allow it
    machine.run("systemctl", "daemon-reload")
    said = maria.clusterd("startup", status=1).stderr
    assert "As root: loginctl enable-linger maria" in said
    assert machine.attempt("loginctl", "enable-linger", "maria").returncode == 0
    maria.clusterd("startup")
    assert maria.systemctl("is-enabled", maria.unit).returncode == 0
