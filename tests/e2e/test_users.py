"""Protects: nobody but the owner and root can reach a daemon, and secrets stay where they belong."""

import json
import os
import stat

import pytest

from harness import apps, processes
from harness.cluster import CALLER, NOBODY_USER


def mode(path) -> int:
    return stat.S_IMODE(os.lstat(path).st_mode)


def files_below(folder):
    return [path for path in folder.rglob("*")]


@pytest.mark.needs_root
def test_another_user_is_refused_in_one_line_and_still_gets_help(cluster):
    cluster.run("list")
    cluster.user = NOBODY_USER
    done = cluster.run("list", check=7)
    assert str(cluster.home) in done.err and done.err.strip().count("\n") <= 2, done
    cluster.run("--help")
    cluster.run("version")
    cluster.user = CALLER


@pytest.mark.needs_root
def test_the_socket_refuses_another_user_even_where_the_folder_is_open(cluster):
    cluster.start(apps.sleeper())
    cluster.home.chmod(0o755)
    os.chmod(cluster.home / "control.sock", 0o666)
    cluster.user = NOBODY_USER
    assert cluster.run("stop", "all", check=None).status == 7
    cluster.user = CALLER
    assert cluster.statuses("sleeper") == ["online"]


@pytest.mark.needs_root
def test_root_may_use_the_daemon_of_a_user(as_nobody):
    as_nobody.start(apps.sleeper())
    as_nobody.user = CALLER
    assert as_nobody.statuses("sleeper") == ["online"]
    as_nobody.run("restart", "sleeper")
    as_nobody.run("save")
    as_nobody.user = NOBODY_USER
    owners = {os.lstat(path).st_uid for path in [as_nobody.home, *files_below(as_nobody.home)]}
    assert owners == {NOBODY_USER.uid}
    assert {os.stat(f"/proc/{view['pid']}").st_uid for view in as_nobody.instances()} == {NOBODY_USER.uid}


@pytest.mark.needs_root
def test_root_never_starts_a_daemon_in_the_home_of_a_user(as_nobody):
    as_nobody.run("list")
    as_nobody.run("kill")
    as_nobody.user = CALLER
    done = as_nobody.run("list", check=None)
    as_nobody.user = NOBODY_USER
    assert done.status != 0 and str(as_nobody.home) in done.err, done
    assert as_nobody.daemons() == []
    assert {os.lstat(path).st_uid for path in files_below(as_nobody.home)} <= {NOBODY_USER.uid}


def test_nothing_in_the_home_is_open_to_others_whatever_the_umask(cluster):
    cluster.run("list", preexec_fn=lambda: os.umask(0))
    cluster.start(apps.printer(cluster, "--lines", "1", env={"SECRET": "x"}), preexec_fn=lambda: os.umask(0))
    cluster.run("save", preexec_fn=lambda: os.umask(0))
    assert mode(cluster.home) == 0o700
    assert mode(cluster.home / "control.sock") == 0o600
    assert mode(cluster.home / "dump.json") == 0o600
    assert {
        oct(mode(path)) for path in files_below(cluster.home) if path.is_file() and mode(path) & 0o022
    } == set()


def test_the_environment_is_in_no_default_output(cluster):
    cluster.start(apps.sleeper(env={"SECRET_IN_FILE": "hunter2"}), env={"SECRET_IN_SHELL": "hunter2"})
    for words in (
        ["list"],
        ["list", "--json"],
        ["jlist"],
        ["describe", "sleeper"],
        ["describe", "sleeper", "--json"],
    ):
        assert "hunter2" not in cluster.run(*words).out, words
    assert "hunter2" in cluster.run("env", str(cluster.view("sleeper")["id"])).out
    assert "hunter2" not in cluster.daemon_log()


def test_a_pid_file_of_an_app_is_written_and_never_believed(cluster):
    victim = os.getpid()
    path = cluster.work / "app.pid"
    cluster.start(apps.sleeper(pid_file=str(path)))
    cluster.wait_for(
        "the pid file", lambda: path.exists() and path.read_text().strip() == str(cluster.pid("sleeper"))
    )
    own = cluster.pid("sleeper")
    path.write_text(f"{victim}\n")
    cluster.run("restart", "sleeper")
    assert processes.alive(victim) and not processes.alive(own)
    cluster.run("kill")
    assert processes.alive(victim)


def test_the_saved_list_can_be_read_by_the_owner_only_and_is_json(cluster):
    cluster.start(apps.sleeper(env={"SECRET": "x"}))
    cluster.run("save")
    json.loads((cluster.home / "dump.json").read_text())
    assert [p.name for p in cluster.home.iterdir() if p.is_file() and mode(p) & 0o077] == []
