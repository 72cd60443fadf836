"""The daemon as a service of systemd: the units it ships, and the words it says to its service manager."""

import json
import re
import shutil
import signal
import socket
import subprocess

import pytest
from harness import apps
from harness.binaries import REPOSITORY
from harness.machine import Machine


def packaged(cluster, unit: str) -> str:
    """A unit as the package installs it, for the programs under test."""
    template = (REPOSITORY / "packaging/systemd" / f"{unit}.in").read_text()
    text = re.sub(r"@CMAKE_INSTALL_FULL_BINDIR@", str(cluster.binaries.bin), template)
    text = re.sub(r"@CMAKE_INSTALL_FULL_DOCDIR@", "/usr/share/doc/clusterd", text)
    assert "@" not in text.replace("After=network.target", ""), "an unfilled place in the template"
    return text


@pytest.mark.parametrize("unit", ["clusterd.service", "clusterd-user.service"])
def test_the_units_are_what_systemd_expects(cluster, unit):
    assert shutil.which("systemd-analyze"), "systemd is not installed"
    path = cluster.write("clusterd.service", packaged(cluster, unit))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", str(path)], capture_output=True, text=True)
    assert done.returncode == 0 and "clusterd" not in done.stderr, done.stderr


@pytest.mark.needs_root
def test_the_user_unit_of_the_package_and_that_of_startup_are_the_same(as_nobody):
    def settings(unit: str) -> list[str]:
        lines = [line for line in unit.splitlines() if "=" in line and not line.startswith("#")]
        return sorted(line for line in lines if line.split("=")[0] not in ("ExecStart", "Environment", "Documentation"))

    printed = as_nobody.run("startup", "--print").out
    assert settings(printed) == settings(packaged(as_nobody, "clusterd-user.service"))


@pytest.fixture
def notify(cluster):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
        receiver.bind(str(cluster.root / "notify"))
        (cluster.root / "notify").chmod(0o777)
        receiver.settimeout(15)
        yield receiver


def foreground(cluster, *words, **environment):
    return cluster.popen("daemon", *words, env={"NOTIFY_SOCKET": str(cluster.root / "notify")} | environment)


def test_the_watchdog_is_fed_well_before_it_bites(cluster, notify):
    daemon = foreground(cluster, WATCHDOG_USEC="400000")
    fed = 0
    while fed < 5:
        fed += notify.recv(4096).count(b"WATCHDOG=1")
    daemon.send_signal(signal.SIGTERM)
    assert daemon.wait(timeout=10) == 0


def test_ready_is_said_when_commands_are_answered_and_the_saved_apps_come_up(cluster, notify):
    cluster.start(apps.sleeper(), apps.sleeper("resting"))
    cluster.run("stop", "resting")
    cluster.run("save")
    cluster.run("kill")
    daemon = foreground(cluster, "--resurrect")
    while b"READY=1" not in notify.recv(4096):
        pass
    assert cluster.run("ping").status == 0
    cluster.wait_status("sleeper", "online")
    assert cluster.statuses("resting") == ["stopped"]
    daemon.send_signal(signal.SIGTERM)
    assert daemon.wait(timeout=10) == 0


@pytest.fixture
def machine(cluster):
    made = Machine(cluster)
    made.install("clusterd.service", packaged(cluster, "clusterd.service"))
    yield made
    made.close()


def clusterd(machine, *words) -> str:
    home = ("--home", "/var/lib/clusterd")
    done = machine.attempt(machine.cluster.binaries.clusterd, *words, *home)
    assert done.returncode == 0, done.stdout + done.stderr + machine.console()
    return done.stdout


def statuses(machine) -> dict[str, str]:
    return {view["name"]: view["status"] for view in json.loads(clusterd(machine, "list", "--json"))}


def set_up(machine):
    """What docs/from-pm2.md tells an administrator: enable the unit, start apps, save the list."""
    machine.boot()
    assert machine.attempt("systemctl", "enable", "--now", "clusterd").returncode == 0, machine.console()
    apps_file = machine.cluster.ecosystem(apps.sleeper(), apps.sleeper("resting"), apps.sleeper("unsaved"))
    clusterd(machine, "start", apps_file, "--only", "sleeper,resting")
    clusterd(machine, "stop", "resting")
    clusterd(machine, "save")
    clusterd(machine, "start", apps_file, "--only", "unsaved")
    assert statuses(machine) == {"sleeper": "online", "resting": "stopped", "unsaved": "online"}


def came_back(machine) -> bool:
    machine.wait_for("clusterd", lambda: machine.run("systemctl", "is-active", "clusterd"))
    machine.wait_for("the app", lambda: statuses(machine).get("sleeper") == "online")
    return statuses(machine) == {"sleeper": "online", "resting": "stopped"}


@pytest.mark.needs_root
@pytest.mark.parametrize("end", ["shut_down", "lose_power"])
def test_after_a_boot_the_saved_apps_are_back_and_stopped_ones_stay_stopped(machine, end):
    set_up(machine)
    getattr(machine, end)()
    machine.boot()
    assert came_back(machine), statuses(machine)
    machine.shut_down()
    assert "Failed" not in machine.console()


@pytest.mark.needs_root
def test_systemd_starts_a_killed_daemon_again_and_reloads_it(machine):
    set_up(machine)
    before = machine.run("systemctl", "show", "-P", "MainPID", "clusterd").strip()
    machine.run("systemctl", "kill", "--kill-whom=main", "-s", "KILL", "clusterd")
    machine.wait_for(
        "another daemon",
        lambda: machine.run("systemctl", "show", "-P", "MainPID", "clusterd").strip() not in ("", "0", before),
    )
    assert came_back(machine), statuses(machine)

    def generation():
        views = json.loads(clusterd(machine, "list", "--json"))
        return next(view["generation"] for view in views if view["name"] == "sleeper")

    old = generation()
    machine.run("systemctl", "reload", "clusterd")
    machine.wait_for("the reload", lambda: generation() > old)
