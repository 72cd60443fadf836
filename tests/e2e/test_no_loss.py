"""Protects: no order and no crash loses a request that the program itself could have answered."""

import os
import random
import shutil
import signal

import pytest

from harness import servers
from harness.load import Load
from harness.witness import Witness

# Dies at once of SIGTERM, in the middle of whatever it has in hand.
HASTY = ("--work", "20-50")
ONCE = {"keepalive": 0, "rate": 500}


def assert_nothing_failed(load: Load, at_least: int = 100):
    assert not load.tally.failures, load.tally
    assert load.answers() >= at_least, load.tally


def after(cluster, load, answers: int):
    """So that every order meets a running load."""
    target = load.answers() + answers
    cluster.wait_for(f"{answers} more answers", lambda: load.answers() >= target, 30)


@pytest.mark.slow
def test_ten_reloads_of_a_server_that_dies_on_sigterm_lose_nothing(cluster, port):
    cluster.start(servers.epoll(cluster, port, *HASTY, instances=4, max_surge=4, min_uptime=100))
    with Load(port, **ONCE) as load:
        for number in range(10):
            cluster.wait_for("its share of the load", lambda: load.answers() >= number * 500, 30)
            before = cluster.pids("web")
            cluster.run("reload", "web")
            assert not set(before) & set(cluster.pids("web"))
        cluster.wait_for("all of the load", lambda: load.answers() >= 5000, 30)
    assert_nothing_failed(load, 5000)
    assert len(load.tally.bodies) == 44, load.tally  # each instance of each generation served


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("node"), reason="needs Node")
def test_ten_reloads_of_a_graceful_node_server_lose_nothing(cluster, port):
    cluster.start(servers.node(cluster, port, instances=2, max_surge=2, min_uptime=100, drain_timeout=300))
    with Load(port, rate=150, keepalive=4) as load:
        for _ in range(10):
            after(cluster, load, 20)
            before = cluster.pids("web")
            cluster.run("reload", "web")
            assert not set(before) & set(cluster.pids("web"))
    # What ends between two answers on a connection that was used before is sent again, as every client does.
    assert_nothing_failed(load)


@pytest.mark.slow
def test_fifty_kills_cost_only_what_the_dead_had_accepted(cluster, port):
    keys = {"min_uptime": 100, "exp_backoff_restart_delay": 10}
    cluster.start(servers.epoll(cluster, port, "--hello", "--work", "3-8", instances=4, **keys))
    dice, killed, clients = random.Random(50), [], 8
    with Witness(port, clients) as witness:
        for _ in range(50):

            def settled_victims() -> list[int]:
                online = [v["pid"] for v in cluster.views("web") if v["status"] == "online"]
                living = [pid for pid in online if pid not in killed]
                return [pid for pid in living if witness.answered[pid]] if len(living) >= 3 else []

            victim = dice.choice(cluster.wait_for("somebody who serves", settled_victims))
            os.kill(victim, signal.SIGKILL)
            killed.append(victim)
        cluster.wait_for("those after the last kill", lambda: len(settled_victims()) == 4)
    assert witness.failed["refused"] == witness.failed["timeout"] == 0, witness.failed
    # Accepted a moment before the kill, which came before the greeting: one of each process at most.
    assert witness.failed["ungreeted"] <= 5, witness.failed
    assert set(witness.cut) <= set(killed), (witness.cut, killed)
    assert all(count <= clients for count in witness.cut.values()), witness.cut
    assert witness.answers() > 1000


@pytest.mark.slow
def test_scaling_down_and_up_and_down_loses_nothing(cluster, port):
    cluster.start(servers.epoll(cluster, port, *HASTY, instances=4))
    with Load(port, **ONCE) as load:
        for count in (1, 6, 2):
            after(cluster, load, 200)
            cluster.run("scale", "web", count)
            cluster.wait_status("web", "online", count)
        after(cluster, load, 200)
    assert_nothing_failed(load, 800)


@pytest.mark.parametrize("count", [1, 4])
def test_a_restart_loses_nothing_even_of_the_only_instance(cluster, port, count):
    cluster.start(servers.epoll(cluster, port, *HASTY, instances=count))
    with Load(port, **ONCE) as load:
        for _ in range(3):
            after(cluster, load, 100)
            before = cluster.pids("web")
            cluster.run("restart", "web")
            assert not set(before) & set(cluster.pids("web"))
        after(cluster, load, 100)
    assert_nothing_failed(load, 400)


def test_a_restart_of_one_of_several_loses_nothing(cluster, port):
    cluster.start(servers.epoll(cluster, port, *HASTY, instances=3))
    with Load(port, **ONCE) as load:
        for slot in range(3):
            after(cluster, load, 100)
            before = cluster.views("web")
            cluster.run("restart", str(before[slot]["id"]))
            now = cluster.views("web")
            same = [one["pid"] == other["pid"] for one, other in zip(before, now)]
            assert same == [number != slot for number in range(3)], (before, now)
        after(cluster, load, 100)
    assert_nothing_failed(load, 400)
