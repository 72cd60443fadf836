"""Protects: a process gets what clusterd should give it, and nothing of the caller by accident."""

import errno
import os
import pwd
import resource
import signal
import subprocess

import pytest

from harness import apps, probes, processes


def test_an_app_has_a_session_no_terminal_empty_input_and_three_descriptors(any_user_cluster):
    cluster = any_user_cluster
    cluster.start(apps.probe(cluster))
    found = probes.of_app(cluster)
    assert found["sid"] == found["pgid"] == found["pid"]
    assert found["tty"] == errno.ENXIO and found["stdin"] == 0
    assert sorted(found["fds"]) == ["0", "1", "2"], found["fds"]
    assert found["fds"]["0"] == "/dev/null"


def test_no_descriptor_of_the_daemon_leaks_even_when_many_start_at_once(cluster, port):
    listen = {"listen": [f"127.0.0.1:{port}"]}
    cluster.start(apps.probe(cluster, instances=8, **listen), apps.sleeper(instances=8))
    cluster.run("restart", "all")
    for pid in cluster.pids("probe"):
        found = probes.read(cluster, pid)["fds"]
        assert sorted(found) == ["0", "1", "2", "3"] and found["3"].startswith("socket:"), found


def test_inherited_sockets_are_announced_as_systemd_does(cluster, port):
    cluster.start(apps.probe(cluster, listen=[f"127.0.0.1:{port}", f"[::1]:{port}"]))
    found = probes.of_app(cluster)
    environment = found["environment"]
    assert (environment["LISTEN_FDS"], environment["LISTEN_PID"]) == ("2", str(found["pid"]))
    assert len(environment["LISTEN_FDNAMES"].split(":")) == 2
    assert {"3", "4"} <= set(found["fds"])


def test_the_announced_pid_is_right_behind_a_shell_that_execs(cluster, port):
    command = f"exec {cluster.program('t-http')} --inherit"
    cluster.start(
        apps.QUICK | {"name": "web", "script": "sh", "args": ["-c", command], "listen": [f"127.0.0.1:{port}"]}
    )
    assert cluster.statuses("web") == ["online"]


# 32 and 33 belong to the C library: posix_spawn() hands them on ignored and nobody may change that.
THREAD_LIBRARY_SIGNALS = 1 << 31 | 1 << 32


def spoiled_caller():
    """What a careless shell does to the daemon's first caller."""
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGTERM])
    os.nice(5)
    os.umask(0o077)
    resource.setrlimit(resource.RLIMIT_NOFILE, (2000, 4000))


def test_ignored_and_blocked_signals_of_the_first_caller_reach_no_app(cluster):
    cluster.run("list", preexec_fn=spoiled_caller)
    cluster.start(apps.probe(cluster))
    found = probes.of_app(cluster)
    assert int(found["blocked"], 16) == 0
    assert int(found["ignored"], 16) & ~THREAD_LIBRARY_SIGNALS == 0
    assert found["limits"]["nofile"] == [2000, 4000], "the daemon's own raised limit must not reach apps"
    cluster.run("stop", "probe")


def test_stopping_works_although_the_first_caller_blocked_sigterm(cluster):
    cluster.run("list", preexec_fn=spoiled_caller)
    cluster.start(apps.sleeper(kill_timeout=20_000))
    assert cluster.run("stop", "sleeper").seconds < 10


def test_instances_know_their_number(cluster):
    cluster.start(
        apps.probe(cluster, instances=3, instance_var="SLOT", env={"PORT": "3000"}, increment_var="PORT")
    )
    found = [probes.read(cluster, pid)["environment"] for pid in cluster.pids("probe")]
    assert sorted(env["SLOT"] for env in found) == ["0", "1", "2"]
    assert sorted(env["PORT"] for env in found) == ["3000", "3001", "3002"]


@pytest.mark.needs_root
def test_an_app_with_a_user_runs_as_that_user_in_every_respect(cluster):
    os.chmod(cluster.folder("probes"), 0o777)
    cluster.start(apps.probe(cluster, uid="nobody"))
    found, entry = probes.of_app(cluster), pwd.getpwnam("nobody")
    groups = subprocess.run(["id", "-G", "nobody"], capture_output=True, text=True, check=True).stdout.split()
    assert (found["uid"], found["euid"], found["gid"]) == (entry.pw_uid, entry.pw_uid, entry.pw_gid)
    assert set(found["groups"]) | {found["gid"]} == set(map(int, groups))
    assert found["environment"]["HOME"] == entry.pw_dir
    assert found["environment"]["USER"] == found["environment"]["LOGNAME"] == "nobody"
    assert cluster.view("probe")["user"] == "nobody"


@pytest.mark.needs_root
def test_a_home_set_by_the_operator_wins_over_the_users(cluster):
    os.chmod(cluster.folder("probes"), 0o777)
    cluster.start(apps.probe(cluster, uid="nobody", env={"HOME": "/srv"}))
    assert probes.of_app(cluster)["environment"]["HOME"] == "/srv"


@pytest.mark.needs_root
def test_a_directory_closed_to_the_user_is_named(cluster):
    closed = cluster.folder("closed")
    closed.chmod(0o700)
    done = cluster.start(apps.sleeper("guest", uid="nobody", cwd=str(closed)), check=None)
    assert done.status != 0 and str(closed) in done.err, done


def test_an_unknown_user_is_an_error_before_anything_starts(cluster):
    done = cluster.start(apps.sleeper("guest", uid="no-such-user"), check=None)
    assert done.status != 0 and "no-such-user" in done.err, done
    assert not cluster.pids("guest")


@pytest.mark.needs_root
def test_an_unprivileged_daemon_cannot_give_an_app_to_another_user(as_nobody):
    done = as_nobody.start(apps.sleeper("guest", uid="root"), check=None)
    assert done.status != 0 and done.err.strip(), done
    assert not as_nobody.pids("guest")


def test_a_tool_that_waits_for_its_terminal_or_input_goes_on(cluster):
    cluster.start(
        apps.sleeper("reader", script="sh", args=["-c", "cat; stty -a </dev/tty; exec sleep 100000"])
    )
    pid = cluster.pid("reader")
    cluster.wait_for("the sleep", lambda: processes.command_line(pid).startswith("sleep"))
    assert processes.state(pid) == "S"
