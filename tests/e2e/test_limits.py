"""Protects: the kernel is told an app's limits before the program runs, and what cannot be set is said by name."""

import os
import signal
from pathlib import Path

import pytest

from harness import apps, processes


def limit_of(pid: int, row: str) -> list[str]:
    line = next(one for one in Path(f"/proc/{pid}/limits").read_text().splitlines() if one.startswith(row))
    return line[len(row) :].split()[:2]


def status_of(pid: int, key: str) -> str:
    return next(one for one in Path(f"/proc/{pid}/status").read_text().splitlines() if one.startswith(key)).split()[1]


def test_rlimits_priority_and_umask(cluster):
    limits = {"nofile": "100:200", "core": 0, "stack": "16M"}
    cluster.start(apps.sleeper(rlimits=limits, nice=7, oom_score_adj=300, umask="027"))
    pid = cluster.pid("sleeper")
    assert limit_of(pid, "Max open files") == ["100", "200"]
    assert limit_of(pid, "Max core file size") == ["0", "0"]
    assert limit_of(pid, "Max stack size") == [str(16 << 20)] * 2
    assert os.getpriority(os.PRIO_PROCESS, pid) == 7
    assert Path(f"/proc/{pid}/oom_score_adj").read_text() == "300\n"
    assert status_of(pid, "Umask:") == "0027"


def test_apps_that_say_nothing_get_what_the_daemon_was_started_with(cluster):
    cluster.start(apps.sleeper())
    ours = Path("/proc/self/oom_score_adj").read_text()
    assert Path(f"/proc/{cluster.pid('sleeper')}/oom_score_adj").read_text() == ours
    assert status_of(cluster.pid("sleeper"), "Umask:") == "0022"


@pytest.mark.needs_root
def test_what_may_not_be_set_is_a_failed_start_that_names_it(as_nobody):
    for keys, name in (({"nice": -5}, "nice"), ({"rlimits": {"nofile": 100_000_000}}, "rlimits.nofile")):
        done = as_nobody.start(apps.sleeper(**keys), check=None)
        assert done.status != 0 and f"cannot set {name}: " in done.err, done
        as_nobody.run("delete", "all")


@pytest.mark.needs_root
def test_the_daemon_is_the_last_one_the_out_of_memory_killer_takes(cluster):
    cluster.run("list")
    try:
        before = int(Path("/proc/self/oom_score_adj").read_text())
        Path("/proc/self/oom_score_adj").write_text(str(before - 1))
        Path("/proc/self/oom_score_adj").write_text(str(before))
    except OSError:
        pytest.skip("this system lets nobody lower it")
    assert Path(f"/proc/{cluster.daemon_pid()}/oom_score_adj").read_text() == "-900\n"


def skip_without_cgroups(cluster):
    cluster.run("list")
    checks = cluster.run("doctor", "--json", check=None).json()["checks"]
    check = next(check for check in checks if check["name"] == "cgroup limits")
    if not check["ok"]:
        pytest.skip(check["detail"])


def cgroups_of(daemon: int) -> list[Path]:
    return [path for path in Path("/sys/fs/cgroup").rglob(f"clusterd-{daemon}-*") if path.is_dir()]


@pytest.mark.needs_root
def test_a_cgroup_limits_the_instance_as_a_whole(cluster):
    skip_without_cgroups(cluster)
    fork = "import os, time\nn = 0\ntry:\n  while n < 40:\n    if os.fork() == 0: time.sleep(1000)\n    n += 1\nexcept OSError: pass\nprint('forked', n, flush=True)\ntime.sleep(1000)"
    app = {"name": "app", "script": "/usr/bin/python3", "args": ["-c", fork]}
    cluster.start(apps.QUICK | app | {"cgroup": {"pids": 10, "memory": "300M", "cpu": 0.5}})
    cluster.wait_for("it to fork", lambda: "forked 9" in cluster.log("app"), 20)
    places = Path(f"/proc/{cluster.pid('app')}/cgroup").read_text()
    assert "clusterd-" in places
    folders = cgroups_of(cluster.daemon_pid())
    assert folders
    cluster.run("delete", "app")
    cluster.wait_for("its cgroups to be removed", lambda: not any(p.exists() for p in folders))


@pytest.mark.needs_root
def test_the_cgroups_of_a_killed_daemon_are_removed_when_they_are_empty(cluster):
    skip_without_cgroups(cluster)
    daemon = cluster.daemon_pid()
    cluster.expect_leftovers = True  # what a killed daemon leaves running is nobody's
    cluster.start(*(apps.sleeper(name, cgroup={"pids": 10, "memory": "300M"}) for name in ("gone", "alive")))
    gone, alive = cluster.pid("gone"), cluster.pid("alive")
    folders = cgroups_of(daemon)
    inhabited = [path for path in folders if str(alive) in (path / "cgroup.procs").read_text().split()]
    assert 0 < len(inhabited) < len(folders)
    os.kill(daemon, signal.SIGKILL)
    os.kill(gone, signal.SIGKILL)
    cluster.wait_gone(daemon, gone)
    assert sorted(cgroups_of(daemon)) == sorted(folders)
    cluster.run("list")
    assert sorted(cgroups_of(daemon)) == sorted(inhabited) and processes.alive(alive)
    cluster.run("kill")
    os.kill(alive, signal.SIGKILL)
    cluster.wait_gone(alive)
    cluster.run("list")
    assert cgroups_of(daemon) == []
