"""The daemon as a service of systemd: the units it ships, and the words it says to its service manager."""

import re
import shutil
import signal
import socket
import subprocess

import pytest
from harness import apps
from harness.binaries import REPOSITORY


@pytest.mark.parametrize("unit", ["clusterd.service", "clusterd-user.service"])
def test_the_units_are_what_systemd_expects(cluster, unit):
    assert shutil.which("systemd-analyze"), "systemd is not installed"
    template = (REPOSITORY / "packaging/systemd" / f"{unit}.in").read_text()
    text = re.sub(r"@CMAKE_INSTALL_FULL_BINDIR@", str(cluster.binaries.bin), template)
    text = re.sub(r"@CMAKE_INSTALL_FULL_DOCDIR@", "/usr/share/doc/clusterd", text)
    assert "@" not in text.replace("After=network.target", ""), "an unfilled place in the template"
    path = cluster.write("clusterd.service", text)
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", str(path)], capture_output=True, text=True)
    assert done.returncode == 0 and "clusterd" not in done.stderr, done.stderr


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
