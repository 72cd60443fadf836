"""Protects: `logs` shows what was written, in order, each line once, however the files came to be."""

import json
import os
import pathlib
import re
import signal
import threading
import time

import pytest

from harness import apps


def ticker(cluster, name, pause_ms=2, **keys):
    """Writes "NAME PID 1", "NAME PID 2", ... for ever."""
    body = f'n=0; while :; do n=$((n+1)); echo "{name} $$ $n"; sleep {pause_ms / 1000}; done'
    script = cluster.script(f"tick-{name}", body)
    return apps.QUICK | {"name": name, "script": str(script)} | keys


def follow(cluster, *words):
    return cluster.popen("logs", *words)


def stop(follower):
    follower.send_signal(signal.SIGINT)
    follower.wait(timeout=10)
    follower.stdout.close(), follower.stderr.close()


def read_lines(follower, count):
    return [follower.stdout.readline() for _ in range(count)]


def descriptors(pid):
    return [os.readlink(path) for path in pathlib.Path(f"/proc/{pid}/fd").iterdir()]


def numbers(lines):
    return [int(line.split()[-1]) for line in lines]


def test_lines_of_several_apps_without_stamps_come_in_the_order_of_time(cluster):
    steps = {name: cluster.work / name for name in ("one", "two")}
    for name, path in steps.items():
        os.mkfifo(path)
        cluster.start(apps.QUICK | {"name": name, "script": "cat", "args": [str(path)]}, check=None)
    ends = {name: open(path, "w") for name, path in steps.items()}
    for number in range(10):
        name = ("one", "two")[number % 2]
        print("line", number, file=ends[name], flush=True)
        cluster.wait_for("the line", lambda: f"line {number}\n" in cluster.log(name))
        time.sleep(0.002)  # the clock of the order has a resolution of a millisecond
    done = cluster.run("logs", "--nostream", "--raw")
    assert done.out.splitlines() == [f"line {number}" for number in range(10)]
    for end in ends.values():
        end.close()


@pytest.mark.parametrize("event", ["rotate", "restart", "reload", "flush"])
def test_from_the_file_to_the_live_lines_without_gap_or_double(cluster, event):
    cluster.start(ticker(cluster, "tick"))
    path = cluster.log_path("tick")
    cluster.wait_for("lines", lambda: path.exists() and path.stat().st_size > 500)
    stopping = threading.Event()

    def disturb():
        number = 0
        while not stopping.is_set():
            number += 1
            if event == "rotate" and path.exists():
                path.rename(path.with_name(f"old-{number}.log"))
            elif event != "rotate":
                cluster.run(event, "tick", check=None)
            stopping.wait(0.05)

    disturber = threading.Thread(target=disturb)
    disturber.start()
    try:
        for _ in range(8):
            follower = follow(cluster, "tick", "--raw", "--lines", "20")
            found = read_lines(follower, 100)
            stop(follower)
            last = {}
            for line in found:  # two of them write while a reload overlaps
                _, pid, number = line.split()
                assert int(number) == last.get(pid, int(number) - 1) + 1, (event, found)
                last[pid] = int(number)
    finally:
        stopping.set()
        disturber.join()


def test_since_shows_what_was_written_since_also_without_stamps(cluster):
    cluster.start(ticker(cluster, "tick", pause_ms=20))
    path = cluster.log_path("tick")
    cluster.wait_for("lines", lambda: path.exists() and path.read_text().count("\n") > 20)
    every = cluster.run("logs", "tick", "--since", "1h", "--nostream", "--raw").out.splitlines()
    assert numbers(every)[0] == 1 and len(every) > 20
    cluster.run("stop", "tick")
    last = int(path.read_text().split()[-1])
    mark = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(time.time() + 1))
    assert cluster.run("logs", "tick", "--since", mark, "--nostream", "--raw").out == ""
    assert str(last) in cluster.run("logs", "tick", "--since", "1h", "--lines", "1", "--nostream", "--raw").out


def test_since_in_a_huge_stamped_file_is_found_without_reading_it(cluster):
    cluster.start(apps.printer(cluster, "--lines", "1"))
    path = cluster.log_path("printer")
    cluster.wait_for("the log", lambda: cluster.log("printer") == "line 1\n")
    cluster.run("kill")
    begin = 1_700_000_000

    def stamp(second):
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(begin + second))

    with path.open("wb") as file:
        for second in range(200_000):
            file.write(b"%s line %d %s\n" % (stamp(second).encode(), second, b"x" * 200))
    size = path.stat().st_size
    cluster.start(apps.printer(cluster, "--text", ""))
    done = cluster.run("logs", "printer", "--nostream", "--raw", "--since", stamp(199_990))
    found = [int(line.split()[2]) for line in done.out.splitlines() if " line " in line]
    assert found == list(range(199_990, 200_000)), (size, found[:5])


def test_grep_counts_the_lines_it_finds(cluster):
    cluster.start(apps.printer(cluster, "--lines", "1000"))
    cluster.wait_for("the log", lambda: cluster.log("printer").count("\n") == 1000)
    done = cluster.run("logs", "printer", "--grep", "^line [0-9]*00$", "--lines", "3", "--nostream", "--raw")
    assert done.out == "line 800\nline 900\nline 1000\n"
    assert cluster.run("logs", "--grep", "(", check=None).status == 2


def test_json_templates_and_timestamps(cluster):
    cluster.start(apps.printer(cluster, "--lines", "2"))
    cluster.wait_for("the log", lambda: cluster.log("printer").count("\n") == 2)
    lines = [json.loads(line) for line in cluster.run("logs", "--json", "--nostream").out.splitlines()]
    assert [line["message"] for line in lines] == ["line 1", "line 2"]
    assert lines[0]["app_name"] == "printer" and lines[0]["process_id"] == 0 and lines[0]["type"] == "out"
    assert re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}", lines[0]["timestamp"])
    done = cluster.run("logs", "--nostream", "--format", "{app}.{slot}/{type}: {message}")
    assert done.out == "printer.0/out: line 1\nprinter.0/out: line 2\n"
    done = cluster.run("logs", "--nostream", "--timestamp=YYYY", "--raw")
    assert done.out == "".join(f"{time.strftime('%Y')} line {n}\n" for n in (1, 2))
    done = cluster.run("logs", "--nostream", "--format")
    assert re.match(r"timestamp=\S+ app=printer id=0 type=out message=line 1\n", done.out)


def test_live_lines_have_the_time_they_arrived(cluster):
    cluster.start(ticker(cluster, "tick", pause_ms=50))
    follower = follow(cluster, "tick", "--json", "--lines", "0")
    line = json.loads(follower.stdout.readline())
    assert line["message"].startswith("tick ") and line["timestamp"]
    stop(follower)


def test_a_stalled_follower_hears_how_much_it_missed_although_the_app_is_silent(cluster):
    script = cluster.script("burst", 'echo hello; read line < go; i=0; while [ $i -lt 60000 ]; do i=$((i+1)); '
                            'echo "line $i xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"; done; sleep 1000')
    os.mkfifo(cluster.work / "go")
    cluster.start(apps.QUICK | {"name": "burst", "script": str(script), "cwd": str(cluster.work)})
    cluster.wait_for("the first line", lambda: cluster.log("burst") == "hello\n")
    follower = follow(cluster, "burst", "--raw", "--lines", "1")
    assert follower.stdout.readline() == "hello\n"  # what comes from now on is followed
    follower.send_signal(signal.SIGSTOP)
    with open(cluster.work / "go", "w") as go:
        print("go", file=go)
    path = cluster.log_path("burst")
    cluster.wait_for("all lines", lambda: path.exists() and path.read_bytes().count(b"\n") == 60001, 60)
    follower.send_signal(signal.SIGCONT)
    seen = []
    reader = threading.Thread(target=lambda: seen.extend(follower.stdout), daemon=True)
    reader.start()
    missed = 0
    while (note := follower.stderr.readline()) and "lines left out" in note:
        missed += int(note.split()[-9] if not note.split()[0].isdigit() else note.split()[0])
        break
    assert missed > 0
    follower.send_signal(signal.SIGINT)
    follower.wait(timeout=10)
    reader.join(10)
    follower.stdout.close(), follower.stderr.close()


def test_the_daemons_own_log_is_shown_and_followed_also_by_json(cluster):
    cluster.start(apps.sleeper())
    shown = cluster.run("logs", "--daemon", "--nostream", "--lines", "1000").out
    assert "serves" in shown and "level=info" in shown
    lines = [json.loads(line) for line in cluster.run("logs", "--daemon", "--json", "--nostream").out.splitlines()]
    assert all({"time", "level", "pid", "msg"} <= set(line) for line in lines)
    follower = follow(cluster, "--daemon", "--lines", "0", "--grep", "ending")
    cluster.wait_for("the follower", lambda: "inotify" in str(descriptors(follower.pid)))
    cluster.run("kill")
    assert "ending" in follower.stdout.readline()
    stop(follower)
    assert "ending" in cluster.run("logs", "--daemon", "--nostream", "--since", "1h").out


def test_the_daemons_log_is_followed_across_its_rotation(cluster):
    cluster.run("list")
    cluster.run("kill")
    path = cluster.home / "daemon.log"
    path.write_text("line 1\n")
    follower = follow(cluster, "--daemon", "--lines", "1")
    assert follower.stdout.readline() == "line 1\n"
    for number in range(2, 40, 2):
        with path.open("a") as file:
            file.write(f"line {number}\n")
        for older in range(3, 0, -1):
            before = cluster.home / (f"daemon.{older - 1}.log" if older > 1 else "daemon.log")
            if before.exists():
                before.rename(cluster.home / f"daemon.{older}.log")
        path.write_text(f"line {number + 1}\n")
        assert read_lines(follower, 2) == [f"line {number}\n", f"line {number + 1}\n"]
    stop(follower)
    assert cluster.run("logs", "--daemon", "--nostream", "--lines", "3").out == "line 37\nline 38\nline 39\n"


def rotating(cluster, records, **rotate):
    """Writes so many numbered lines and stays; each file holds about a hundred."""
    return cluster.start(
        apps.printer(cluster, "--records", records, log_rotate={"size": 10_000, "keep": 10_000} | rotate)
    )


def record_numbers(text):
    return [int(line[4:13]) for line in text.splitlines()]


def rotated_files(cluster, pattern="printer-out__*"):
    return [path for path in cluster.log_path("printer").parent.glob(pattern) if path.suffix != ".part"]


@pytest.mark.parametrize("compress", ["none", "gzip", "zstd"])
def test_the_last_lines_go_back_into_rotated_files(cluster, compress):
    rotating(cluster, 1000, compress=compress)
    path = cluster.log_path("printer")
    ending = {"none": ".log", "gzip": ".gz", "zstd": ".zst"}[compress]
    cluster.wait_for(
        "all lines, compressed",
        lambda: len(files := rotated_files(cluster)) == 9
        and path.stat().st_size == 10_000
        and all(file.suffix == ending for file in files),
    )
    show = lambda *words: cluster.run("logs", "printer", "--nostream", "--raw", *words).out  # noqa: E731
    assert record_numbers(show("--lines", "450")) == list(range(551, 1001))
    assert record_numbers(show("--lines", "5000")) == list(range(1, 1001))
    # Nobody knows when the oldest file was begun.
    assert record_numbers(show("--since", "1h")) == list(range(86, 1001))
    assert record_numbers(show("--grep", "0000003[0-9][0-9] ", "--lines", "3")) == [397, 398, 399]
    cluster.run("flush", "printer")
    assert record_numbers(show("--lines", "5")) == list(range(896, 901))


def test_since_is_exact_right_after_a_rotation_without_stamps_too(cluster):
    os.mkfifo(cluster.work / "lines")
    cluster.start(
        apps.QUICK | {"name": "printer", "script": "cat", "args": [str(cluster.work / "lines")], "log_rotate": "2K"},
        check=None,
    )
    path = cluster.log_path("printer")
    lines = lambda name: "".join(f"{name} {n} {'x' * 30}\n" for n in range(40))  # noqa: E731
    with open(cluster.work / "lines", "w") as end:
        end.write(lines("old"))
        end.flush()
        cluster.wait_for("the old lines", lambda: path.exists() and path.read_text() == lines("old"))
        time.sleep(1.1)  # --since counts in seconds
        since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime())
        end.write(lines("new"))
        end.flush()
        cluster.wait_for("a rotation", lambda: rotated_files(cluster) and path.read_text().endswith(lines("new")[-40:]))
        done = cluster.run("logs", "printer", "--nostream", "--raw", "--since", since)
    assert done.out == lines("new") and done.err == ""


def test_a_damaged_rotated_file_is_shown_as_far_as_it_goes(cluster):
    rotating(cluster, 300, compress="gzip")
    cluster.wait_for("two files", lambda: len(rotated_files(cluster, "printer-out__*.gz")) == 2)
    newest = max(rotated_files(cluster), key=lambda path: path.stat().st_mtime_ns)
    changed = newest.stat()
    newest.write_bytes(newest.read_bytes()[:-100])
    os.utime(newest, ns=(changed.st_atime_ns, changed.st_mtime_ns))
    done = cluster.run("logs", "printer", "--nostream", "--raw", "--lines", "1000")
    found = record_numbers("".join(line for line in done.out.splitlines(True) if line.endswith("end\n") and len(line) == 100))
    assert found[-100:] == list(range(201, 301)) and len(found) > 110 and found == sorted(set(found))
    assert f"{newest} is damaged" in done.err


@pytest.mark.parametrize("compress", ["none", "gzip", "zstd"])
def test_history_and_live_lines_join_while_files_are_rotated_and_compressed(cluster, compress):
    cluster.start(ticker(cluster, "tick", pause_ms=1, log_rotate={"size": 1024, "keep": 10_000, "compress": compress}))
    path = cluster.log_path("tick")
    cluster.wait_for("rotation", lambda: path.exists() and len(list(path.parent.glob("tick-out__*"))) > 3)
    for _ in range(10):
        follower = follow(cluster, "tick", "--raw", "--lines", "150")
        found = numbers(read_lines(follower, 400))
        stop(follower)
        assert found == list(range(found[0], found[0] + 400))
