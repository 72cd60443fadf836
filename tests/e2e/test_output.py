"""Protects: every byte an app wrote is in its log file, and reading it costs neither app nor daemon."""

import os
import re
import signal
import subprocess

import pytest

from harness import apps, processes
from harness.waiting import hold_for


@pytest.mark.parametrize("end", ["exit:1", "signal:9", "signal:11"])
def test_a_megabyte_written_just_before_the_end_is_complete(cluster, end):
    app = apps.printer(cluster, "--bytes", str(1 << 20), "--text", "\n", "--then", end, restart_delay=60_000)
    cluster.start(app, check=None)
    expected = bytes(range(256)) * 4096 + b"\n"
    path = cluster.log_path("printer")
    cluster.wait_for("the output", lambda: path.exists() and path.stat().st_size >= len(expected))
    for _ in range(5):
        before = path.stat().st_size
        cluster.run("restart", "printer", check=None)
        cluster.wait_for("the next life", lambda: path.stat().st_size >= before + len(expected))
    data = path.read_bytes()
    lives = len(data) // len(expected)
    assert lives >= 6 and len(data) % len(expected) == 0
    assert data == expected * lives


def test_a_last_line_without_end_is_kept_and_a_prompt_appears_soon(cluster):
    cluster.start(apps.printer(cluster, "--text", "prompt> "))
    cluster.wait_for("the prompt", lambda: cluster.log("printer") == "prompt> ", 5)
    cluster.start(
        apps.printer(cluster, "--text", "no newline", "--then", "exit:1", name="last", restart_delay=60_000),
        check=None,
    )
    cluster.wait_for("the last words", lambda: cluster.log("last").startswith("no newline"))
    cluster.run("restart", "last", check=None)
    cluster.wait_for(
        "a line of its own", lambda: cluster.log("last").rstrip("\n") == "no newline\nno newline"
    )


@pytest.mark.parametrize("length", [65_535, 65_536, 65_537, 20_000_000])
def test_a_very_long_line_is_stored_byte_by_byte_in_bounded_memory(cluster, length):
    cluster.run("list")
    daemon = cluster.daemon_pid()
    before = processes.memory_kib(daemon)
    cluster.start(apps.printer(cluster, "--long-line", str(length)))
    path = cluster.log_path("printer")
    cluster.wait_for("the line", lambda: path.exists() and path.stat().st_size == length + 1, 20)
    data = path.read_bytes()
    assert data.count(b"\n") == 1 and data.endswith(b"\n")
    assert data.count("😀".encode()) == sum(1 for border in range(65_536, length - 2, 65_536))
    assert processes.memory_kib(daemon) - before < 16_000


def test_bytes_that_are_not_text_stay_in_the_file_and_leave_json_valid(cluster):
    cluster.start(apps.printer(cluster, "--bytes", "1000000"))
    path = cluster.log_path("printer")
    cluster.wait_for("the bytes", lambda: path.exists() and path.stat().st_size == 1_000_000)
    assert path.read_bytes() == (bytes(range(256)) * 4000)[:1_000_000]
    cluster.run("logs", "printer", "--nostream", "--lines", "3")
    cluster.run("list", "--json").json()


def test_the_farewell_of_the_old_instance_is_in_the_file(cluster):
    cluster.start(apps.printer(cluster, "--lines", "1", "--farewell", "60", kill_timeout=5000))
    cluster.run("reload", "printer")
    cluster.wait_for("the last words", lambda: "bye 60\n" in cluster.log("printer"))
    text = cluster.log("printer")
    assert [int(n) for n in re.findall(r"^bye (\d+)$", text, re.MULTILINE)] == list(range(1, 61))
    assert text.count("line 1\n") == 2


def test_files_are_per_instance_when_a_number_was_given_and_stable(cluster):
    cluster.start(apps.printer(cluster, "--lines", "1", instances=2))
    paths = lambda: {
        v["slot"]: (v["out_file"], v["error_file"]) for v in cluster.views("printer")
    }  # noqa: E731
    before = paths()
    assert before[1][0] == str(cluster.log_path("printer", "out", 1))
    assert before[0][1] == str(cluster.log_path("printer", "error", 0))
    for words in (
        ["reload", "printer"],
        ["restart", "printer"],
        ["scale", "printer", "3"],
        ["scale", "printer", "1"],
        ["scale", "printer", "2"],
        ["save"],
        ["kill"],
        ["resurrect"],
    ):
        cluster.run(*words)
    assert paths() == before


def test_standard_error_has_its_own_file_and_logs_can_choose(cluster):
    cluster.start(
        apps.printer(cluster, "--lines", "2", name="good"),
        apps.printer(cluster, "--lines", "3", "--stderr", name="bad"),
    )
    cluster.wait_for(
        "both", lambda: cluster.log("good").count("\n") == 2 and cluster.log("bad", "error").count("\n") == 3
    )
    assert "line" not in cluster.run("logs", "good", "--err", "--nostream", "--raw").out
    assert cluster.run("logs", "good", "--out", "--nostream", "--raw").out == "line 1\nline 2\n"


def test_raw_logs_are_exactly_what_the_app_wrote(cluster):
    cluster.start(apps.printer(cluster, "--text", '{"a":1}\n{"a":2}\n{"a":3}\n'))
    cluster.wait_for("the log", lambda: cluster.log("printer").count("\n") == 3)
    assert cluster.run("logs", "printer", "--raw", "--nostream", "--lines", "2").out == '{"a":2}\n{"a":3}\n'


def test_the_end_of_a_huge_file_is_shown_at_once(cluster):
    cluster.start(apps.printer(cluster, "--lines", "1"))
    path = cluster.log_path("printer")
    cluster.wait_for("the log", lambda: cluster.log("printer") == "line 1\n")
    with path.open("ab") as file:
        file.truncate(4 << 30)
        file.seek(0, os.SEEK_END)
        file.write(b"\n" + b"".join(b"tail %d\n" % n for n in range(100)))
    done = cluster.run("logs", "printer", "--lines", "50", "--nostream", "--raw")
    assert done.out.splitlines() == [f"tail {n}" for n in range(50, 100)]
    assert done.seconds < 5


def test_following_shows_new_lines_as_they_come(cluster):
    cluster.start(apps.printer(cluster, "--lines", "3"))
    cluster.wait_for("the log", lambda: cluster.log("printer").count("\n") == 3)
    follower = cluster.popen("logs", "printer", "--raw", "--lines", "1")
    assert follower.stdout.readline() == "line 3\n"
    cluster.run("restart", "printer")
    assert [follower.stdout.readline() for _ in range(3)] == ["line 1\n", "line 2\n", "line 3\n"]
    follower.send_signal(signal.SIGINT)
    assert follower.wait(timeout=5) in (0, 130, -signal.SIGINT)
    follower.stdout.close(), follower.stderr.close()


def test_a_follower_ends_when_its_reader_is_gone(cluster):
    cluster.start(apps.printer(cluster, "--lines", "3"))
    script = f'"{cluster.binaries.clusterd}" logs printer --raw | head -1'
    done = subprocess.run(
        ["sh", "-c", script],
        env=cluster.environment(),
        cwd=cluster.work,
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert done.stdout == "line 1\n" and done.stderr.strip() == ""


def test_a_frozen_follower_costs_neither_app_nor_daemon(cluster):
    cluster.start(
        apps.sleeper(
            "loud", script="sh", args=["-c", "trap 'exec yes' USR1; echo up; while :; do sleep 0.05; done"]
        )
    )
    cluster.wait_for("the app", lambda: cluster.log("loud") == "up\n")
    follower = cluster.popen("logs", "loud")
    follower.stdout.readline()
    follower.send_signal(signal.SIGSTOP)
    daemon = cluster.daemon_pid()
    before, path = processes.memory_kib(daemon), cluster.log_path("loud")
    cluster.run("sendSignal", "SIGUSR1", "loud")
    cluster.wait_for("fifty megabytes", lambda: path.stat().st_size > 50_000_000, 30)
    assert processes.memory_kib(daemon) - before < 16_000
    assert cluster.run("list").seconds < 5
    cluster.run("stop", "loud")
    follower.kill()
    follower.communicate()


def test_flush_empties_files_without_losing_later_lines(cluster):
    body = "i=0; while :; do i=$((i+1)); echo n $i; sleep 0.01; done"
    cluster.start(
        apps.sleeper("count", script="sh", args=["-c", body]), apps.printer(cluster, "--lines", "1")
    )
    for _ in range(5):
        cluster.wait_for("some lines", lambda: cluster.log("count").count("\n") >= 5)
        cluster.run("flush", "count")
    cluster.wait_for("some lines", lambda: cluster.log("count").count("\n") >= 20)
    data = cluster.log_path("count").read_bytes()
    assert b"\0" not in data
    numbers = [int(n) for n in re.findall(rb"^n (\d+)$", data, re.MULTILINE)]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert cluster.log("printer") == "line 1\n"


def test_a_file_truncated_by_others_gets_no_block_of_zeros(cluster):
    body = "i=0; while :; do i=$((i+1)); echo n $i; sleep 0.01; done"
    cluster.start(apps.sleeper("count", script="sh", args=["-c", body]))
    path = cluster.log_path("count")
    for _ in range(3):
        cluster.wait_for("some lines", lambda: path.exists() and path.stat().st_size > 50)
        os.truncate(path, 0)
    cluster.wait_for("some lines", lambda: path.stat().st_size > 50)
    assert b"\0" not in path.read_bytes()


def test_a_full_disk_stops_the_log_not_the_app(cluster):
    cluster.start(apps.printer(cluster, "--lines", "1000", out_file="/dev/full"))
    pid = cluster.pid("printer")
    hold_for("the app lives", lambda: cluster.pids("printer") == [pid], 0.5)


def test_output_of_many_instances_in_one_file_is_complete(cluster):
    cluster.start(apps.printer(cluster, "--lines", "200", instances=8, merge_logs=True))
    cluster.wait_for("all lines", lambda: cluster.log("printer").count("\n") == 1600)
    assert sorted(cluster.log("printer").splitlines()) == sorted([f"line {n}" for n in range(1, 201)] * 8)
