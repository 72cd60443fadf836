"""Protects: without any privilege connections are spread, drained and never lost as well, and it is said what is missing."""

import pytest

from harness import burst, http, servers
from harness.kept import Kept
from harness.load import Load

pytestmark = pytest.mark.needs_root  # to become somebody else

HASTY = ("--work", "20-50")
WHY = "in-kernel balancer is not usable"


def described(cluster) -> dict:
    return cluster.run("describe", "web", "--json").json()["apps"][0]


def after(cluster, load, answers: int):
    target = load.answers() + answers
    cluster.wait_for(f"{answers} more answers", lambda: load.answers() >= target, 30)


def test_auto_is_random_and_it_is_said_why(as_nobody, port):
    as_nobody.start(servers.epoll(as_nobody, port, instances=4))
    found = described(as_nobody)
    for place in (found, found["listeners"][0]):
        assert place["balance"] == "random" and WHY in place["balance_reason"], place
    shown = as_nobody.run("describe", "web").out
    assert "random" in shown and WHY in shown, shown
    doctor = as_nobody.run("doctor", check=None).out
    assert "auto is random" in doctor and WHY in doctor and "CAP_BPF" in doctor, doctor
    seen = burst.ask(port, 800)
    assert set(seen) == set(as_nobody.pids("web")) and all(127 < n < 273 for n in seen.values()), seen


@pytest.mark.parametrize("asked", ["least_conn", "round_robin"])
def test_what_needs_the_kernel_falls_back_and_runs(as_nobody, port, asked):
    done = as_nobody.start(servers.epoll(as_nobody, port, instances=2, balance=asked))
    listener = described(as_nobody)["listeners"][0]
    assert listener["balance"] == "random" and WHY in listener["balance_reason"], listener
    assert described(as_nobody)["spec"]["balance"] == asked
    shown = as_nobody.run("describe", "web").out
    assert "random" in shown and WHY in shown, shown
    assert len(http.distinct_answers(port, 2)) == 2, done


def test_open_connections_are_counted_by_looking(as_nobody, port):
    as_nobody.start(servers.epoll(as_nobody, port, instances=2))
    clients = [Kept(port) for _ in range(10)]
    expected = dict.fromkeys(as_nobody.pids("web"), 0)
    for client in clients:
        expected[client.ask()] += 1

    def shown() -> dict:
        return {view["pid"]: view["connections"]["open"] for view in as_nobody.views("web")}

    assert shown() == expected
    for client in clients:
        client.close()
    as_nobody.wait_for("none", lambda: set(shown().values()) == {0})


@pytest.mark.slow
def test_reloads_of_a_server_that_dies_on_sigterm_lose_nothing(as_nobody, port):
    as_nobody.start(servers.epoll(as_nobody, port, *HASTY, instances=4, max_surge=4, min_uptime=100))
    with Load(port, rate=400, keepalive=0) as load:
        for _ in range(5):
            after(as_nobody, load, 300)
            before = as_nobody.pids("web")
            as_nobody.run("reload", "web")
            assert not set(before) & set(as_nobody.pids("web"))
        after(as_nobody, load, 100)
    assert not load.tally.failures, load.tally


def test_restarts_of_all_at_once_lose_nothing(as_nobody, port):
    as_nobody.start(servers.epoll(as_nobody, port, *HASTY, instances=4))
    with Load(port, rate=300, keepalive=0, timeout=5) as load:
        for _ in range(4):
            after(as_nobody, load, 100)
            as_nobody.run("restart", "web")
        after(as_nobody, load, 100)
    assert not load.tally.failures, load.tally


@pytest.mark.slow
def test_scale_and_restart_lose_nothing(as_nobody, port):
    as_nobody.start(servers.epoll(as_nobody, port, *HASTY, instances=4))
    with Load(port, rate=400, keepalive=0) as load:
        for words in (["scale", "web", "1"], ["restart", "web"], ["scale", "web", "6"], ["scale", "web", "2"]):
            after(as_nobody, load, 100)
            as_nobody.run(*words)
        one = as_nobody.views("web")[0]
        as_nobody.run("restart", str(one["id"]))
        after(as_nobody, load, 100)
    assert not load.tally.failures, load.tally


def test_a_stop_lets_a_request_finish_and_then_refuses(as_nobody, port):
    as_nobody.start(servers.epoll(as_nobody, port, instances=2))
    pids = as_nobody.pids("web")
    with Kept(port) as client:
        client.send("/slow?ms=1000")
        command = as_nobody.popen("stop", "web")
        as_nobody.wait_for("the stop to begin", lambda: "stopping" in as_nobody.statuses("web"))
        assert client.receive() in pids
    assert command.wait(timeout=10) == 0
    with pytest.raises(ConnectionRefusedError):
        http.connect(port)


def test_an_endless_answer_is_cut_after_drain_timeout(as_nobody, port):
    as_nobody.start(servers.epoll(as_nobody, port, drain_timeout=600))
    with Kept(port) as client:
        client.send("/stream")
        assert client.socket.recv(1)
        done = as_nobody.run("stop", "web")
    assert "1 connection open" in done.out + done.err and done.seconds >= 0.6, done
