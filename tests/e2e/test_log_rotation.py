"""Protects: rotation loses, doubles and tears nothing, keeps what it was told to keep, and gets out of the way."""

import gzip
import os
import re
import signal
import time

import pytest

from harness import apps, processes
from test_log_path import RECORD, records_of


def rotated(cluster, name="printer"):
    """Rotated files, oldest first."""
    files = cluster.log_path(name).parent.glob(f"{name}-out__*")
    order = lambda path: [int(n) for n in re.findall(r"\d+", path.name)]  # noqa: E731
    return sorted((path for path in files if not path.name.endswith(".part")), key=order)


def content(path):
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


@pytest.mark.slow
def test_fifty_rotations_with_compression_and_a_frozen_follower_lose_nothing(cluster):
    lines, size = 500_000, 1_000_000
    cluster.start(apps.printer(cluster, "--lines", 1, name="first"))
    cluster.wait_for("a line", lambda: cluster.log("first") == "line 1\n")
    follower = cluster.popen("logs")
    follower.stdout.readline()
    follower.send_signal(signal.SIGSTOP)
    daemon = cluster.daemon_pid()

    def print_and_rotate(name, count):
        rotate = {"size": size, "keep": 100, "compress": "gzip"}
        cluster.start(apps.printer(cluster, "--records", count, name=name, log_rotate=rotate))
        path = cluster.log_path(name)
        cluster.wait_for(
            "everything compressed",
            lambda: len(files := rotated(cluster, name)) >= count * RECORD // size - 1
            and all(file.suffix == ".gz" for file in files)
            and path.stat().st_size + size * len(files) >= count * RECORD,
            100,
        )
        return path

    try:
        # What is needed once: the compressor and its thread, and all that the follower may have waiting.
        print_and_rotate("warm", 5 * size // RECORD)
        before = processes.memory_kib(daemon)
        path = print_and_rotate("printer", lines)
        assert processes.memory_kib(daemon) - before < 2048
    finally:
        follower.kill()
        follower.communicate()
    data = b"".join(content(file) for file in rotated(cluster)) + path.read_bytes()
    assert records_of(data) == {0: list(range(1, lines + 1))}
    assert all(len(content(file)) <= size + RECORD for file in rotated(cluster))


def test_only_the_newest_files_are_kept(cluster):
    cluster.start(apps.printer(cluster, "--records", 10_000, log_rotate={"size": 50_000, "keep": 3}))
    path = cluster.log_path("printer")
    last = b"%3d %09d %85s\n" % (0, 10_000, b"end")
    cluster.wait_for("the last line", lambda: path.exists() and path.read_bytes().endswith(last))
    cluster.wait_for("three files", lambda: len(rotated(cluster)) == 3)
    numbers = records_of(b"".join(content(file) for file in rotated(cluster)) + path.read_bytes())[0]
    assert numbers == list(range(numbers[0], 10_001))


def test_instances_that_share_a_file_rotate_it_together(cluster):
    cluster.start(
        apps.printer(
            cluster, "--records", 5000, instances=4, merge_logs=True, log_rotate={"size": 200_000, "keep": 100}
        )
    )
    path = cluster.log_path("printer")
    everything = lambda: b"".join(content(file) for file in rotated(cluster)) + path.read_bytes()  # noqa: E731
    cluster.wait_for("all lines", lambda: path.exists() and len(everything()) >= 4 * 5000 * RECORD, 20)
    assert records_of(everything()) == {n: list(range(1, 5001)) for n in range(4)}


def test_a_file_of_yesterday_is_moved_aside_at_the_start(cluster):
    path = cluster.log_path("printer")
    cluster.run("list")
    path.parent.mkdir(exist_ok=True)
    path.write_text("old\n")
    yesterday = time.time() - 86_400
    os.utime(path, (yesterday, yesterday))
    cluster.start(apps.printer(cluster, "--lines", 1, log_rotate={"interval": "day", "compress": "zstd"}))
    cluster.wait_for("the new file", lambda: path.read_text() == "line 1\n")
    cluster.wait_for("the old file", lambda: [file.suffix for file in rotated(cluster)] == [".zst"])


def test_a_cron_pattern_moves_files_aside_and_loses_nothing(cluster):
    body = "n=0; while :; do n=$((n+1)); echo $n; sleep 0.01; done"
    cluster.start(apps.sleeper("count", script="sh", args=["-c", body], log_rotate="* * * * * *"))
    path = cluster.log_path("count")
    cluster.wait_for("three files", lambda: len(rotated(cluster, "count")) >= 3)
    cluster.run("stop", "count")
    numbers = b"".join(content(file) for file in rotated(cluster, "count")) + path.read_bytes()
    assert [int(line) for line in numbers.splitlines()] == list(range(1, numbers.count(b"\n") + 1))


@pytest.mark.parametrize("key", ["cron_timezone", "TZ", "none"])
def test_a_cron_pattern_goes_by_the_zone_of_the_app(cluster, key):
    """The pattern's time was ten minutes ago, seven hours east of Greenwich; the file is older than that."""
    path = cluster.log_path("printer")
    cluster.run("list")
    path.parent.mkdir(exist_ok=True)
    path.write_text("old\n")
    os.utime(path, (time.time() - 1200, time.time() - 1200))
    when = time.gmtime(time.time() - 600 + 7 * 3600)
    zone = {"cron_timezone": {"cron_timezone": "Etc/GMT-7"}, "TZ": {"env": {"TZ": "Etc/GMT-7"}}, "none": {"cron_timezone": "UTC"}}
    rotate = {"interval": f"{when.tm_min} {when.tm_hour} * * *"}
    cluster.start(apps.printer(cluster, "--lines", 1, log_rotate=rotate, **zone[key]))
    cluster.wait_for("the line", lambda: path.read_text().endswith("line 1\n"))
    assert path.read_text() == ("old\nline 1\n" if key == "none" else "line 1\n")
    assert len(rotated(cluster)) == (0 if key == "none" else 1)


def test_a_running_app_changes_its_rotation_with_a_reload(cluster):
    cluster.start(apps.printer(cluster, "--records", 1000))
    path = cluster.log_path("printer")
    cluster.wait_for("the lines", lambda: path.exists() and path.stat().st_size == 1000 * RECORD)
    cluster.start(apps.printer(cluster, "--records", 1000, log_rotate="50K"))
    cluster.wait_for("rotation", lambda: len(rotated(cluster)) >= 2)


@pytest.mark.parametrize("how", ["verb", "signal"])
def test_others_may_rotate_and_say_so(cluster, how):
    cluster.start(apps.sleeper("count", script="sh", args=["-c", "while :; do echo x; sleep 0.01; done"]))
    path = cluster.log_path("count")
    cluster.wait_for("lines", lambda: path.exists() and path.stat().st_size > 10)
    moved = path.with_suffix(".log.1")
    os.rename(path, moved)
    pid = cluster.pid("count")
    if how == "verb":
        cluster.run("reloadLogs")
        assert path.exists()
    else:
        os.kill(cluster.daemon_pid(), signal.SIGUSR2)
        cluster.wait_for("the new file", path.exists, 5)
    size = moved.stat().st_size
    cluster.wait_for("new lines", lambda: path.stat().st_size > 10)
    assert moved.stat().st_size == size and cluster.pid("count") == pid
