"""Protects: who is told to go finishes what it has, gets nothing new, and is cut only when its time is over."""

import os
import signal
import time

import pytest

from harness import cgroups, counts, http, processes, servers
from harness.kept import Kept, talking
from harness.waiting import hold_for

LONG = 20_000  # ms; a drain that ends sooner did not end by its time limit


def is_refused(port: int) -> bool:
    """A refused client costs nothing; one that the program still gets is ended at once."""
    try:
        http.connect(port, timeout=2).close()
    except ConnectionRefusedError:
        return True
    return False


def wait_accepted(cluster):
    cluster.wait_for("the connection to be accepted", lambda: sum(counts.open_by_pid(cluster).values()) == 1)


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("verb", ["stop", "delete"])
def test_a_stop_lets_a_request_finish_and_refuses_new_connections(cluster, port, count, verb):
    if reason := cgroups.what_hinders_counting():
        pytest.skip(reason)  # without the balancer in the kernel they wait until it is over
    cluster.start(servers.epoll(cluster, port, instances=count, drain_timeout=LONG))
    pids = cluster.pids("web")
    with Kept(port) as client:
        client.send("/slow?ms=2500")
        wait_accepted(cluster)
        command = cluster.popen(verb, "web")
        cluster.wait_for("refusals", lambda: is_refused(port))
        hold_for("refusals", lambda: is_refused(port), 0.3)
        assert command.poll() is None
        assert client.receive() in pids
    assert command.wait(timeout=10) == 0, command.communicate()
    assert "drain_timeout" not in "".join(command.communicate())
    assert is_refused(port)


def test_stop_now_cuts(cluster, port):
    cluster.start(servers.epoll(cluster, port, instances=2, drain_timeout=LONG))
    with Kept(port) as client:
        client.send("/slow?ms=60000")
        wait_accepted(cluster)
        assert cluster.run("stop", "web", "--now").seconds < 5
        with pytest.raises((AssertionError, ConnectionResetError)):
            client.receive()
    assert is_refused(port)


def test_stop_now_ends_a_stop_that_drains(cluster, port):
    cluster.start(servers.epoll(cluster, port, drain_timeout=LONG))
    with Kept(port) as client:
        client.send("/slow?ms=60000")
        wait_accepted(cluster)
        first = cluster.popen("stop", "web")
        cluster.wait_for("refusals", lambda: is_refused(port))
        assert cluster.run("stop", "web", "--now").seconds < 5
        assert first.wait(timeout=5) == 0


@pytest.mark.parametrize("verb", ["stop", "reload", "restart"])
def test_an_endless_answer_is_cut_after_drain_timeout_and_the_command_says_so(cluster, port, verb):
    cluster.start(servers.epoll(cluster, port, drain_timeout=600))
    old = cluster.pid("web")
    clients = [Kept(port) for _ in range(3)]
    for client in clients:
        client.send("/stream")
        assert client.socket.recv(1)
    done = cluster.run(verb, "web")
    assert "3 connections open" in done.out + done.err, done
    assert done.seconds >= 0.6
    cluster.wait_gone(old)
    for client in clients:
        http_end(client)


def http_end(client: Kept):
    """Reads what is left: the connection has ended."""
    try:
        while client.socket.recv(65536):
            pass
    except ConnectionResetError:
        pass
    client.close()


def test_a_draining_instance_keeps_its_connections_and_gets_no_new_ones(cluster, port):
    cluster.start(servers.epoll(cluster, port, instances=2, max_surge=2, drain_timeout=LONG, drain_idle=0))
    old = cluster.pids("web")
    clients = [Kept(port) for _ in range(4)]
    assert {client.ask() for client in clients} == set(old)
    command = cluster.popen("reload", "web")
    cluster.wait_for(
        "the old ones to drain", lambda: sorted(cluster.statuses("web")).count("stopping") == 2
    )
    for _ in range(20):
        assert int(http.get(port)) not in old
        assert [client.ask() for client in clients] == [client.pid for client in clients]
    assert command.poll() is None
    began = time.monotonic()
    for client in clients:
        client.close()
    assert command.wait(timeout=10) == 0
    assert time.monotonic() - began < 5
    cluster.wait_gone(*old)


@pytest.mark.parametrize("kind", ["epoll", "python"])
def test_a_silent_connection_is_ended_after_drain_idle(cluster, port, kind):
    cluster.start(servers.KINDS[kind](cluster, port, drain_timeout=LONG, drain_idle=700))
    old = cluster.pid("web")
    with Kept(port) as client:
        assert client.ask() == old
        done = cluster.run("reload", "web")
        assert client.socket.recv(1) == b""  # FIN, not RST
    assert 0.4 < done.seconds < 10, done
    assert "drain_timeout" not in done.out + done.err
    cluster.wait_gone(old)


def test_a_connection_that_is_used_is_not_silent(cluster, port):
    idle = 1.5  # far more than this machine may keep the client waiting
    cluster.start(servers.epoll(cluster, port, drain_timeout=LONG, drain_idle=round(idle * 1000)))
    old = cluster.pid("web")
    with Kept(port) as client, talking(client) as answers:
        command = cluster.popen("reload", "web")
        cluster.wait_for("the old one to drain", lambda: "stopping" in cluster.statuses("web"))
        before = len(answers)
        hold_for("the old one", lambda: cluster.statuses("web").count("stopping") == 1, 2.5 * idle)
        assert len(answers) > before and set(answers) == {old}
        assert command.poll() is None
    assert command.wait(timeout=10) == 0


def test_with_drain_idle_zero_silence_is_borne(cluster, port):
    cluster.start(servers.epoll(cluster, port, drain_timeout=1800, drain_idle=0))
    old = cluster.pid("web")
    with Kept(port) as client:
        assert client.ask() == old
        done = cluster.run("reload", "web")
        assert "1 connection open" in done.out + done.err, done
    assert done.seconds >= 1.8
    cluster.wait_gone(old)


# What is left in the system


@pytest.mark.needs_root
@pytest.mark.parametrize("how", ["kill", "SIGKILL and a new start"])
def test_no_cgroup_folder_is_left_behind(cluster, port, how):
    if reason := cgroups.what_hinders_counting():
        pytest.skip(reason)
    cluster.start(servers.epoll(cluster, port, instances=2, drain_idle=200))
    daemon = cluster.daemon_pid()
    own = cgroups.own_folder() / f"{cgroups.PREFIX}{daemon}"
    assert own.is_dir()
    with Kept(port) as client:
        client.ask()  # a connection that lives holds nothing up
        if how == "kill":
            cluster.run("kill")
            cluster.wait_gone(daemon)
        else:
            cluster.expect_leftovers = True
            apps_left = cluster.pids("web")
            os.kill(daemon, signal.SIGKILL)
            cluster.wait_gone(daemon)
            cluster.run("list")
            processes.kill_tree_of(apps_left)
            assert cluster.daemon_pid() != daemon
    assert not own.exists()
    assert daemon not in [int(path.name[len(cgroups.PREFIX) :]) for path in cgroups.left_behind()]
