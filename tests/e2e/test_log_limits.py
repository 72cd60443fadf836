"""Protects: a log that cannot be written costs output, is said once, and is picked up again; nothing else suffers."""

import contextlib
import os
import subprocess

import pytest

from harness import apps
from harness.waiting import hold_for

COUNTER = "i=0; while :; do i=$((i+1)); echo line $i; sleep 0.002; done"


def enter(cluster, *words):
    """Runs a command in the mount name space of the daemon."""
    return subprocess.run(
        ["nsenter", "-m", "-t", str(cluster.daemon_pid()), *words], check=True, capture_output=True, text=True
    ).stdout


@pytest.mark.needs_root
def test_a_full_disk_is_said_once_and_logging_resumes_when_there_is_space(cluster):
    folder = cluster.folder("small")
    daemon = subprocess.Popen(
        ["unshare", "-m", "sh", "-c", f'mount -t tmpfs -o size=64k none "{folder}" && exec "$@"', "sh",
         str(cluster.binaries.bin / "clusterd-daemon"), "--home", str(cluster.home)],
        env=cluster.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        cluster.wait_for("the daemon", cluster.daemon_pid)
        log = f"{folder}/count.log"
        # Full after a few seconds, and again so long after it was emptied.
        slow = apps.printer(cluster, "--records", 1_000_000, "--chunk", 100, "--pause", 5, name="count", out_file=log)
        cluster.start(slow)
        pid = cluster.pid("count")
        cluster.wait_for("the full disk", lambda: "No space left on device" in cluster.daemon_log(), 60)
        hold_for("the app goes on", lambda: cluster.pid("count") == pid, 2.0)
        cluster.run("save")
        assert cluster.daemon_log().count("No space left on device") == 1
        enter(cluster, "sh", "-c", f": > {log}")
        cluster.wait_for("the good news", lambda: "can be written again" in cluster.daemon_log(), 20)
        cluster.wait_for("new lines", lambda: "end" in enter(cluster, "cat", log))
        assert cluster.pid("count") == pid and cluster.daemon_log().count("can be written again") == 1
        lines = [line for line in enter(cluster, "cat", log).splitlines() if line]
        assert all(len(line) == 99 and line.endswith("end") for line in lines[:-1])
        cluster.run("kill")
        assert daemon.wait(timeout=20) == 0
    finally:
        if daemon.poll() is None:
            daemon.kill()
            daemon.wait()


def test_a_fifo_without_a_reader_is_written_from_its_first_reader_on(cluster):
    fifo = cluster.work / "fifo"
    os.mkfifo(fifo)
    cluster.start(apps.sleeper("count", script="sh", args=["-c", COUNTER], out_file=str(fifo)))
    cluster.wait_for("the notice", lambda: "nobody has it open" in cluster.daemon_log())
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    try:
        cluster.wait_for("a line", lambda: read_some(reader).count(b"line") > 0)
    finally:
        os.close(reader)
    assert cluster.views("count")[0]["restarts"] == 0


def read_some(fd) -> bytes:
    try:
        return os.read(fd, 65536)
    except BlockingIOError:
        return b""


def test_a_deleted_file_and_a_deleted_folder_come_again(cluster):
    folder = cluster.folder("logs-of-mine")
    log = folder / "count.log"
    cluster.start(apps.sleeper("count", script="sh", args=["-c", COUNTER], out_file=str(log)))
    cluster.wait_for("lines", log.exists)
    log.unlink()
    cluster.wait_for("the file", lambda: log.exists() and log.stat().st_size > 0)
    log.unlink()
    folder.rmdir()
    cluster.wait_for("folder and file", lambda: log.exists() and log.stat().st_size > 0)


def bytes_in(folder) -> int:
    """Files may be compressed and removed meanwhile."""
    total = 0
    for file in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):
            total += file.stat().st_size
    return total


def test_all_logs_together_stay_below_the_limit_of_the_home(cluster):
    cluster.run("list", env={"CLUSTERD_MAX_TOTAL_LOG_SIZE": "1M"})
    cluster.start(
        apps.printer(cluster, "--records", 30_000, log_rotate={"size": "100K", "keep": 2}, name="rotated"),
        apps.printer(cluster, "--records", 30_000, name="plain"),
    )
    cluster.wait_for("the brake", lambda: "max_total_log_size" in cluster.daemon_log())
    folder = cluster.log_path("plain").parent
    hold_for("it is kept", lambda: bytes_in(folder) <= 1 << 20, 3.0)
    cluster.run("flush")
    cluster.run("restart", "plain")
    cluster.wait_for("room again", lambda: cluster.log_path("plain").stat().st_size > 0, 20)
