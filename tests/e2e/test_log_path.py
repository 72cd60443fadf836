"""Protects: a million lines arrive complete and untorn, stamped or as JSON if wanted, in flat memory."""

import json
import os
import re

import pytest

from harness import apps, processes
from harness.waiting import hold_for

RECORD = 100  # bytes of a line of t-print --records
MILLION = 1_000_000


def records_of(data: bytes) -> dict[int, list[int]]:
    """The numbers of the lines of each instance, in the order of the file; any torn line fails."""
    found: dict[int, list[int]] = {}
    padding = b"%86s" % b"end"
    for line in data.splitlines():
        # No regular expression: there may be a million of them.
        assert len(line) == RECORD - 1 and line[3:4] == b" " and line[13:] == padding, line
        found.setdefault(int(line[:3]), []).append(int(line[4:13]))
    return found


def wait_for_size(cluster, path, size):
    cluster.wait_for("all lines", lambda: path.exists() and path.stat().st_size >= size, 100)


@pytest.mark.slow
@pytest.mark.parametrize("children", [1, 8])
def test_a_million_lines_are_complete_and_memory_is_flat(cluster, children):
    cluster.run("list")
    daemon = cluster.daemon_pid()
    each = MILLION // children
    # Once for what the daemon allocates anyway.
    cluster.start(apps.printer(cluster, "--records", 1000, name="warm", instances=children, merge_logs=True))
    wait_for_size(cluster, cluster.log_path("warm"), 1000 * RECORD * children)
    before = processes.memory_kib(daemon)
    cluster.start(apps.printer(cluster, "--records", each, instances=children, merge_logs=True))
    path = cluster.log_path("printer")
    wait_for_size(cluster, path, MILLION * RECORD)
    assert processes.memory_kib(daemon) - before < 2048 + 64 * children
    found = records_of(path.read_bytes())
    assert sorted(found) == list(range(children))
    assert all(numbers == list(range(1, each + 1)) for numbers in found.values())


def test_stamped_lines_are_cut_once_and_have_their_time(cluster):
    cluster.start(
        apps.printer(cluster, "--records", 20_000, "--chunk", 4097, log_date_format="YYYY-MM-DD HH:mm:ss.SSS Z")
    )
    path = cluster.log_path("printer")
    cluster.wait_for("all lines", lambda: path.exists() and path.read_bytes().count(b"\n") == 20_000)
    stamps, rest = zip(*(line.split(b": ", 1) for line in path.read_bytes().splitlines(keepends=True)))
    assert records_of(b"".join(rest)) == {0: list(range(1, 20_001))}
    assert all(re.fullmatch(rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} [+-]\d\d:\d\d", stamp) for stamp in stamps)
    assert list(stamps) == sorted(stamps)


def test_json_lines_are_valid_whatever_is_printed(cluster):
    cluster.start(
        apps.printer(cluster, "--bytes", 10_000, "--text", "\nlast", "--then", "exit:0", log_type="json", autorestart=False),
        check=None,
    )
    lines = lambda: [json.loads(line) for line in cluster.log("printer").splitlines()]  # noqa: E731
    cluster.wait_for("the last line", lambda: cluster.log("printer").endswith('last"}\n'))
    assert all(line["app_name"] == "printer" and line["type"] == "out" for line in lines())
    printed = (bytes(range(256)) * 40)[:10_000].split(b"\n")
    assert len(lines()) == len(printed) + 1
    assert [line["message"] for line in lines()][:1] == [printed[0].decode()]


def test_a_long_line_goes_on_in_the_next_with_a_mark(cluster):
    cluster.start(apps.printer(cluster, "--long-line", 200_000, time=True, log_line_max=65_536))
    path = cluster.log_path("printer")
    cluster.wait_for("the line", lambda: path.exists() and path.read_bytes().count(b"\n") == 4)
    pieces = [line.split(": ", 1)[1] for line in path.read_text().splitlines()]
    assert all(piece.endswith("[...]") for piece in pieces[:-1])
    assert all(piece.startswith("[...]") for piece in pieces[1:])
    whole = "".join(piece.removeprefix("[...]").removesuffix("[...]") for piece in pieces)
    assert len(whole.encode()) == 200_000 and "\ufffd" not in whole


def test_a_stamped_prompt_shows_up_and_its_answer_follows_on_the_line(cluster):
    answer = "printf 'ready? '; until [ -e answered ]; do sleep 0.05; done; echo yes; exec sleep 1000"
    cluster.start(apps.sleeper("ask", script="sh", args=["-c", answer], time=True))
    cluster.wait_for("the prompt", lambda: cluster.log("ask").endswith(": ready? "))
    cluster.write("answered", "")
    cluster.wait_for("the answer", lambda: cluster.log("ask").endswith(": ready? yes\n"))


def test_one_file_can_have_output_and_errors_beside_their_own(cluster):
    cluster.start(
        apps.sleeper("both", script="sh", args=["-c", "echo one; echo two >&2; sleep 1000"], log_file="all.log")
    )
    everything = cluster.work / "all.log"
    cluster.wait_for("both", lambda: everything.exists() and sorted(everything.read_text().split()) == ["one", "two"])
    assert (cluster.log("both"), cluster.log("both", "error")) == ("one\n", "two\n")
    cluster.run("flush", "both")
    assert everything.read_text() == ""


@pytest.mark.parametrize("keys", [{"disable_logs": True}, {"log_target": "null"}, {"out_file": "NULL"}])
def test_output_that_is_not_kept_can_be_followed(cluster, keys):
    body = "trap 'echo hello' USR1; echo up >&2; while :; do sleep 0.05; done"
    cluster.start(apps.sleeper("quiet", script="sh", args=["-c", body], **keys))
    follower = cluster.popen("logs", "quiet", "--raw")
    try:
        cluster.wait_for("a line", lambda: followed(cluster, follower))
        assert not cluster.log_path("quiet").exists()
    finally:
        follower.kill()
        follower.communicate()


def followed(cluster, follower) -> bool:
    """Asks for a line again and again: the follower may not be there yet."""
    cluster.run("sendSignal", "SIGUSR1", "quiet")
    os.set_blocking(follower.stdout.fileno(), False)
    try:
        return b"hello" in os.read(follower.stdout.fileno(), 65536)
    except BlockingIOError:
        return False


def test_a_direct_log_is_written_by_the_app_itself(cluster):
    cluster.start(apps.printer(cluster, "--lines", 3, log="direct"))
    path = cluster.log_path("printer")
    cluster.wait_for("the lines", lambda: path.exists() and path.read_text() == "line 1\nline 2\nline 3\n")
    assert os.path.realpath(f"/proc/{cluster.pid('printer')}/fd/1") == str(path)
    cluster.run("restart", "printer")
    cluster.wait_for("more lines", lambda: path.read_text().count("line 1\n") == 2)


def test_more_lines_than_allowed_are_counted(cluster):
    cluster.start(apps.printer(cluster, "--lines", 5000, log_rate_limit=100))
    dropped = lambda: re.findall(r"^\[clusterd\] (\d+) lines were dropped", cluster.log("printer"), re.M)  # noqa: E731
    cluster.wait_for("the count", lambda: dropped())
    hold_for("it is final", lambda: len(dropped()) >= 1, 1.2)
    kept = re.findall(r"^line (\d+)$", cluster.log("printer"), re.M)
    assert kept[:100] == [str(n) for n in range(1, 101)]
    assert len(kept) + sum(map(int, dropped())) == 5000


@pytest.mark.slow
def test_twenty_thousand_lines_and_an_abort_lose_nothing(cluster):
    """A hundred times; the last words of each life are the ones that matter."""
    lives = 100
    cluster.start(
        apps.printer(
            cluster, "--records", 20_000, "--then", "signal:6", restart_delay=10, max_restarts=lives, min_uptime=60_000
        ),
        check=None,
    )
    path = cluster.log_path("printer")
    wait_for_size(cluster, path, lives * 20_000 * RECORD)
    hold_for("no more lives", lambda: path.stat().st_size == lives * 20_000 * RECORD, 0.5)
    assert records_of(path.read_bytes()) == {0: list(range(1, 20_001)) * lives}
