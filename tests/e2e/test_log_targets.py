"""Protects: output can go to journald, a syslog receiver or the daemon's own output instead of files."""

import contextlib
import os
import signal
import socket
import subprocess

from harness import apps


@contextlib.contextmanager
def receiver(path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as service:
        service.bind(str(path))
        service.settimeout(20)
        yield service


def start(cluster, app, **variables):
    """The daemon takes over the environment of the command that starts it."""
    cluster.run("start", cluster.ecosystem(app), env=variables)


def fields(datagram):
    return dict(line.split("=", 1) for line in datagram.decode().splitlines())


def test_lines_go_to_journald_with_their_origin(cluster):
    path = cluster.root / "journal"
    with receiver(path) as journal:
        app = apps.printer(cluster, "--text", "one\n<4>two\n", name="web", log_target="journald")
        start(cluster, app, CLUSTERD_JOURNAL_SOCKET=str(path))
        first, second = fields(journal.recv(65536)), fields(journal.recv(65536))
    assert first["MESSAGE"] == "one" and first["PRIORITY"] == "6"
    assert second["MESSAGE"] == "two" and second["PRIORITY"] == "4"
    assert first["SYSLOG_IDENTIFIER"] == first["CLUSTERD_APP"] == "web"
    assert first["CLUSTERD_SLOT"] == "0" and first["CLUSTERD_STREAM"] == "out"
    assert not cluster.log_path("web").exists()
    done = cluster.run("logs", "web", "--nostream")
    assert done.out == "" and "journald" in done.err
    assert not cluster.log_path("web").exists()


def test_lines_go_to_syslog(cluster):
    path = cluster.root / "log"
    with receiver(path) as syslog:
        app = apps.printer(cluster, "--stderr", "--text", "oops\n", name="web", log_target="syslog")
        start(cluster, app, CLUSTERD_SYSLOG_SOCKET=str(path))
        datagram = syslog.recv(65536).decode()
    priority, _, host, name, process, message, _, text = datagram.split(" ", 7)
    assert priority == "<11>1" and host == socket.gethostname()
    assert (name, process, message, text) == ("web", "0", "err", "oops")


def test_a_service_that_is_not_there_costs_lines_and_one_sentence(cluster):
    app = apps.printer(cluster, "--lines", "500", name="web", log_target="journald")
    start(cluster, app, CLUSTERD_JOURNAL_SOCKET=str(cluster.root / "nobody"))
    assert cluster.views("web")[0]["status"] == "online"
    cluster.wait_for("the sentence", lambda: "cannot send output to" in cluster.daemon_log())
    assert cluster.daemon_log().count("cannot send output to") == 1


def test_standard_output_of_a_daemon_in_the_foreground(cluster):
    daemon = cluster.popen("daemon", stderr=subprocess.DEVNULL)
    try:
        cluster.wait_for("the daemon", lambda: cluster.run("ping", check=None).status == 0)
        cluster.start(
            apps.printer(cluster, "--lines", "3", name="one", log_target="stdout"),
            apps.printer(cluster, "--lines", "3", name="two", log_target="stdout"),
        )
        found = sorted(daemon.stdout.readline() for _ in range(6))
        assert found == sorted([f"line {n}\n" for n in (1, 2, 3)] * 2)
    finally:
        daemon.send_signal(signal.SIGTERM)
        daemon.wait(timeout=20)
        daemon.stdout.close()


def test_followers_see_what_goes_elsewhere(cluster):
    fifo = cluster.work / "lines"
    os.mkfifo(fifo)
    cluster.start(
        apps.QUICK | {"name": "web", "script": "cat", "args": [str(fifo)], "log_target": "null"}, check=None
    )
    follower = cluster.popen("logs", "web", "--raw")
    with open(fifo, "w") as lines:
        note = follower.stderr.readline()
        assert "goes to null" in note
        print("hello", file=lines, flush=True)
        assert follower.stdout.readline() == "hello\n"
    follower.send_signal(signal.SIGINT)
    follower.wait(timeout=10)
    follower.stdout.close(), follower.stderr.close()
