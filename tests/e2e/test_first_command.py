"""Protects: the daemon starts by itself, exactly once, detached, and never in place of an answer."""

import fcntl
import json
import os
import pty
import signal
import socket
import subprocess

import pytest

from harness import apps, probes, processes
from harness.cluster import views_in
from harness.waiting import hold_for, wait_for


def run_at_once(cluster, commands):
    running = [cluster.popen(*words) for words in commands]
    return [(process.communicate(timeout=40), process.returncode) for process in running]


def test_ten_lists_at_the_same_moment_are_answered_by_one_daemon(any_user_cluster):
    for (out, err), status in run_at_once(any_user_cluster, [("list", "--json")] * 10):
        assert status == 0, err
        assert views_in(json.loads(out)) == []
    assert len(any_user_cluster.daemons()) == 1


def test_first_commands_race_again_and_again_for_one_daemon(cluster):
    for _ in range(4):
        answers = run_at_once(cluster, [("list", "--json")] * 15)
        assert [status for _, status in answers] == [0] * 15, answers
        assert len(cluster.daemons()) == 1
        cluster.run("kill")
        wait_for("the daemon to end", lambda: not cluster.daemons())


def test_starts_that_also_start_the_daemon_are_all_carried_out(cluster):
    files = [cluster.ecosystem(apps.sleeper(f"s{number}")) for number in range(8)]
    answers = run_at_once(cluster, [("start", path) for path in files])
    assert [status for _, status in answers] == [0] * 8, answers
    assert len(cluster.daemons()) == 1
    assert sorted(view["name"] for view in cluster.instances()) == [f"s{number}" for number in range(8)]


@pytest.mark.parametrize(
    "words",
    [
        ("stop", "web"),
        ("restart", "web"),
        ("reload", "all"),
        ("delete", "web"),
        ("describe", "web"),
        ("logs", "web", "--nostream"),
        ("scale", "web", "2"),
        ("sendSignal", "SIGUSR1", "web"),
        ("reset", "all"),
        ("env", "0"),
        ("pid", "web"),
        ("id", "web"),
        ("ping",),
        ("save",),
    ],
    ids=" ".join,
)
def test_a_command_that_needs_a_daemon_says_so_and_starts_none(cluster, words):
    done = cluster.run(*words, check=5)
    assert done.out == "" and done.err.strip(), done
    assert cluster.daemons() == []
    assert not cluster.home.exists() or not any(cluster.home.iterdir())


@pytest.mark.parametrize("verb", ["stop", "delete"])
def test_ending_everything_when_nothing_runs_is_fine(cluster, verb):
    cluster.run(verb, "all", check=0)
    assert cluster.daemons() == []


@pytest.mark.parametrize(
    "words", [("--help",), ("help",), ("version",), ("--version",), ("start", "--help")], ids=" ".join
)
def test_help_and_version_never_touch_a_daemon(cluster, words):
    assert cluster.run(*words).out.strip()
    assert cluster.daemons() == []
    assert not cluster.home.exists()


def test_a_killed_daemon_leaves_nothing_that_hinders_the_next(cluster):
    cluster.run("list")
    first = cluster.daemon_pid()
    os.kill(first, signal.SIGKILL)
    cluster.wait_gone(first)
    cluster.run("list")
    assert cluster.daemon_pid() not in (0, first)
    assert len(cluster.daemons()) == 1


def test_a_pid_written_into_the_lock_file_means_nothing(cluster):
    cluster.home.mkdir(mode=0o700)
    (cluster.home / "daemon.lock").write_text(f"{os.getpid()}\n")
    cluster.run("list")
    assert len(cluster.daemons()) == 1


@pytest.mark.parametrize("obstacle", ["file", "directory"])
def test_what_is_not_a_socket_at_the_socket_path_is_named_and_left_alone(cluster, obstacle):
    cluster.home.mkdir(mode=0o700)
    path = cluster.home / "control.sock"
    path.mkdir() if obstacle == "directory" else path.write_text("precious")
    done = cluster.run("list", check=None, timeout=30)
    assert done.status != 0
    assert "control.sock" in done.err, done
    assert path.is_dir() if obstacle == "directory" else path.read_text() == "precious"
    cluster.wait_for("the daemon to be gone", lambda: cluster.daemons() == [])


def test_a_removed_socket_never_leads_to_a_second_daemon(cluster):
    cluster.run("list")
    daemon = cluster.daemon_pid()
    (cluster.home / "control.sock").unlink()
    done = cluster.run("list", check=None, timeout=30)
    assert cluster.daemons() == [daemon]
    assert done.status == 0 or str(daemon) in done.err, done
    os.kill(daemon, signal.SIGTERM)
    cluster.wait_gone(daemon)


@pytest.mark.parametrize("length", [107, 108, 200])
def test_a_long_home_path_works_or_is_refused_in_words(make_cluster, length):
    cluster = make_cluster()
    missing = length - len(str(cluster.root / "x/control.sock")) + 1
    cluster.home = cluster.root / ("h" * missing)
    done = cluster.run("list", "--json", check=None)
    if done.status == 0:
        assert views_in(done.json()) == []
    else:
        assert "long" in done.err and "Traceback" not in done.err, done


def test_a_home_with_blanks_percent_and_umlauts_works(make_cluster):
    cluster = make_cluster(home_name="a b%20ü")
    cluster.start(apps.printer(cluster, "--lines", "1"))
    cluster.wait_for("the log", lambda: cluster.log("printer") == "line 1\n")


@pytest.mark.needs_root
def test_a_home_that_cannot_be_made_is_one_clear_error(as_nobody):
    closed = as_nobody.root / "closed"
    closed.mkdir(mode=0o755)
    as_nobody.home = closed / "home"
    done = as_nobody.run("list", check=None, timeout=30)
    assert done.status != 0 and str(closed) in done.err, done
    assert done.err.count("\n") <= 5, done
    assert as_nobody.daemons() == []


@pytest.mark.parametrize("words", [("list", "--json"), ("jlist",)], ids=" ".join)
def test_the_first_command_prints_nothing_but_json(cluster, words):
    assert cluster.run(*words).json() in ([], {"instances": [], "apps": 0})


def start_in_terminal(cluster, ecosystem) -> tuple[int, int]:
    """A shell with a controlling terminal that starts the app and then waits; (its pid, the terminal)."""
    pid, terminal = pty.fork()
    if pid == 0:
        script = f'"{cluster.binaries.clusterd}" start "{ecosystem}"; echo status=$?; exec cat'
        os.chdir(cluster.work)
        os.execve("/bin/sh", ["sh", "-c", script], cluster.environment())
    return pid, terminal


def read_terminal_until(terminal: int, text: bytes) -> bytes:
    os.set_blocking(terminal, False)
    seen = bytearray()

    def arrived():
        try:
            seen.extend(os.read(terminal, 4096))
        except BlockingIOError:
            pass
        return text in seen

    wait_for(f"{text!r} on the terminal", arrived, context=lambda: str(seen))
    return bytes(seen)


def test_interrupting_and_closing_the_terminal_leaves_daemon_and_apps_alone(cluster):
    shell, terminal = start_in_terminal(cluster, cluster.ecosystem(apps.sleeper()))
    read_terminal_until(terminal, b"status=0")
    daemon, app = cluster.daemon_pid(), cluster.pid("sleeper")
    os.write(terminal, b"\x03\x1c")
    os.waitpid(shell, 0)
    os.close(terminal)
    hold_for("daemon and app live", lambda: processes.alive(daemon) and processes.alive(app), 0.5)
    assert cluster.pid("sleeper") == app
    assert processes.session(daemon) not in (shell, os.getsid(0))
    assert processes.terminal(daemon) == 0 and processes.terminal(app) == 0


def test_the_daemon_does_not_pin_the_directory_of_its_first_caller(cluster):
    folder = cluster.folder("mounted")
    cluster.run("list", cwd=folder)
    assert not processes.working_directory(cluster.daemon_pid()).startswith(str(folder))
    folder.rmdir()
    cluster.start(apps.sleeper())


def test_the_daemon_holds_no_descriptor_of_its_first_caller(cluster):
    reader, writer = os.pipe()
    process = cluster.popen("list", "--json", pass_fds=(writer,))
    process.communicate(timeout=20)
    os.close(writer)
    os.set_blocking(reader, False)
    assert os.read(reader, 1) == b"", "the pipe of the caller is still open in the daemon"
    os.close(reader)


def test_a_daemon_started_in_the_foreground_answers_and_ends_on_sigterm(cluster):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
        notify.bind(str(cluster.root / "notify"))
        os.chmod(cluster.root / "notify", 0o666)
        notify.settimeout(10)
        foreground = cluster.popen("daemon", env={"NOTIFY_SOCKET": str(cluster.root / "notify")})
        assert b"READY=1" in notify.recv(4096)
        cluster.start(
            apps.sleeper(), apps.sleeper("stubborn", script=cluster.program("t-stubborn"), args=["TERM"])
        )
        pids = [view["pid"] for view in cluster.instances()]
        foreground.send_signal(signal.SIGTERM)
        said = b""
        while b"STOPPING=1" not in said:
            said = notify.recv(4096)
        assert foreground.wait(timeout=10) == 0, foreground.communicate()
    assert not any(map(processes.alive, pids))


def test_the_notify_socket_of_the_daemon_is_not_passed_to_apps(cluster):
    cluster.run(
        "list",
        env={
            "NOTIFY_SOCKET": "/nowhere",
            "WATCHDOG_USEC": "1000000",
            "WATCHDOG_PID": "1",
            "LISTEN_FDS": "3",
            "LISTEN_PID": "1",
        },
    )
    cluster.start(apps.probe(cluster))
    given = probes.of_app(cluster)["environment"]
    assert given.get("NOTIFY_SOCKET") != "/nowhere"
    assert not {"WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID"} & set(given)


def test_a_second_foreground_daemon_is_refused_and_harms_nothing(cluster):
    cluster.start(apps.sleeper())
    daemon, app = cluster.daemon_pid(), cluster.pid("sleeper")
    done = cluster.run("daemon", check=None, timeout=15)
    assert done.status != 0 and str(daemon) in done.err, done
    assert cluster.daemon_pid() == daemon and cluster.pid("sleeper") == app


@pytest.mark.needs_root
def test_as_process_one_of_a_container_it_reaps_strangers_and_lives(cluster):
    words = ["unshare", "-pf", "--mount-proc", "--kill-child", cluster.binaries.clusterd, "daemon"]
    container = subprocess.Popen(words, env=cluster.environment(), stdin=subprocess.DEVNULL, cwd=cluster.work)
    try:
        cluster.wait_for("the daemon in the container", lambda: (cluster.home / "control.sock").exists())
        body = (
            'i=0; while [ $i -lt 100 ]; do (setsid sh -c "sleep 0.05" &); i=$((i+1)); done; exec sleep 100000'
        )
        cluster.start(apps.sleeper("forker", script=str(cluster.script("forker", body)), args=[]))
        family = lambda: processes.descendants(container.pid)  # noqa: E731
        cluster.wait_for("all orphans to be reaped", lambda: len(family()) == 2, 60)
        assert [processes.state(pid) for pid in family() if processes.state(pid) == "Z"] == []
        assert cluster.statuses("forker") == ["online"]
        cluster.run("kill")
        assert container.wait(timeout=10) == 0
    finally:
        container.kill()
        container.wait()


def test_a_daemon_on_its_last_steps_is_waited_for(cluster):
    """`clusterd kill && clusterd start app`: the lock is held for a moment longer than anybody is answered."""
    cluster.run("list")
    cluster.run("kill")
    with (cluster.home / "daemon.lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        coming = cluster.popen("list")
        cluster.wait_for("the next daemon", lambda: cluster.daemons())
        assert coming.poll() is None
    out, err = coming.communicate(timeout=45)
    assert coming.returncode == 0, (out, err)
