"""Protects: hundreds of apps are no special case, and nothing the daemon ever opened is kept."""

import os
import resource
import signal

import pytest

from harness import apps, processes
from harness.waiting import hold_for


SOCKETS_AHEAD = 7  # the daemon makes listening sockets eight at a time


def settle(cluster, daemon: int, descriptors: int):
    most = descriptors + 2 + SOCKETS_AHEAD
    cluster.wait_for(f"{most} descriptors", lambda: len(processes.descriptors(daemon)) <= most, 15)


@pytest.mark.slow
def test_five_hundred_apps_leave_neither_descriptors_nor_memory_behind(cluster):
    files = cluster.ecosystem(*(apps.sleeper(f"s{number}", min_uptime=100, listen_timeout=3000) for number in range(500)))
    cluster.run("list")
    daemon = cluster.daemon_pid()
    descriptors = len(processes.descriptors(daemon))
    memory = []
    for _ in range(3):
        cluster.run("start", files, timeout=110)
        views = cluster.instances()
        assert len(views) == 500 and {view["status"] for view in views} == {"online"}
        assert len({view["pid"] for view in views}) == 500
        cluster.run("delete", "all", timeout=110)
        assert cluster.instances() == []
        settle(cluster, daemon, descriptors)
        memory.append(processes.memory_kib(daemon))
    assert memory[2] < memory[0] * 1.2 + 1024, memory
    assert cluster.daemon_pid() == daemon


@pytest.mark.slow
def test_a_low_soft_limit_of_descriptors_does_not_limit_the_number_of_apps(cluster):
    cluster.run("list", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (256, 4096)))
    cluster.start(apps.sleeper(instances=300, min_uptime=100), timeout=110)
    assert cluster.statuses("sleeper") == ["online"] * 300


def test_a_hard_limit_of_descriptors_fails_the_surplus_and_nothing_else(cluster):
    cluster.run("list", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128)))
    done = cluster.start(
        apps.sleeper(instances=200, min_uptime=100, restart_delay=60_000, max_restarts=1),
        check=None,
        timeout=110,
    )
    assert done.status != 0 and "descriptor" in done.err or "open files" in done.err, done
    assert cluster.statuses("sleeper").count("online") >= 10
    cluster.run("stop", "all")


def test_many_that_die_at_once_all_come_back(cluster):
    cluster.start(apps.sleeper(instances=100, min_uptime=100), timeout=60)
    before = cluster.pids("sleeper")
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    cluster.wait_for(
        "a hundred successors", lambda: len(set(cluster.pids("sleeper")) - set(before)) == 100, 20
    )
    cluster.wait_status("sleeper", "online", 100, 20)


@pytest.mark.slow
def test_restarts_starts_and_reloads_leak_no_descriptor(cluster, port):
    cluster.start(apps.web(cluster, port, instances=4, min_uptime=100), apps.sleeper(min_uptime=100))
    daemon = cluster.daemon_pid()
    cluster.run("reload", "web")
    descriptors = len(processes.descriptors(daemon))
    for number in range(50):  # of a leak of one a round, more than any reserve
        cluster.run("restart", "sleeper")
        if number % 5 == 0:
            cluster.run("reload", "web")
            cluster.start(apps.sleeper(f"temporary{number}", min_uptime=100))
            cluster.run("delete", f"temporary{number}")
    settle(cluster, daemon, descriptors)
    assert not [pid for pid in processes.children(daemon) if processes.state(pid) == "Z"]


def test_an_idle_daemon_uses_no_cpu(cluster):
    cluster.start(apps.sleeper(instances=50, min_uptime=100))
    daemon = cluster.daemon_pid()
    cluster.wait_for("a settled app", lambda: cluster.views("sleeper")[-1]["uptime_ms"] > 500)
    before = processes.cpu_ticks(daemon)
    hold_for("no CPU is used", lambda: processes.cpu_ticks(daemon) - before <= 2, 3.0)
