"""Protects: what crashes comes back, soon at first, later more slowly, and obeys orders in between."""

import os
import random
import signal
import time

import pytest

from harness import apps, http, processes
from harness.load import Load
from harness.waiting import hold_for


def counting_script(cluster, then: str) -> str:
    """A script that notes each start, then does `then`."""
    return str(cluster.script("counted", f"date +%s%N >> {cluster.work}/starts\n{then}"))


def starts(cluster) -> list[float]:
    """Times of all starts so far, in seconds."""
    path = cluster.work / "starts"
    return [int(line) / 1e9 for line in path.read_text().split()] if path.exists() else []


def failing(cluster, **keys) -> dict:
    return apps.QUICK | {"name": "failing", "script": counting_script(cluster, "exit 1")} | keys


def test_fifty_killed_instances_are_replaced_and_no_connection_is_refused(cluster, port):
    cluster.start(apps.web(cluster, port, instances=4, min_uptime=100, exp_backoff_restart_delay=20))
    dice = random.Random(4711)
    with Load(port, rate=100, keepalive=4) as load:
        for _ in range(50):
            victim = dice.choice(cluster.wait_status("web", "online", 4))["pid"]
            os.kill(victim, signal.SIGKILL)
            cluster.wait_for("the replacement", lambda: victim not in cluster.pids("web"))
        cluster.wait_status("web", "online", 4)
    kinds = {kind for kind, _ in load.tally.failures}
    assert not kinds & {"refused", "timeout", "wrong"}, load.tally
    assert load.tally.ok["new"] > 100
    assert sum(view["restarts"] for view in cluster.views("web")) == 50


def test_connections_queued_at_a_killed_instance_are_answered_by_its_successor(cluster, port):
    cluster.start(apps.web(cluster, port))
    victim = cluster.pid("web")
    os.kill(victim, signal.SIGSTOP)
    clients = [http.connect(port, timeout=15) for _ in range(20)]
    for client in clients:
        client.sendall(http.REQUEST % b"/")
    os.kill(victim, signal.SIGKILL)
    for client in clients:
        answer = http.read_all(client)
        client.close()
        assert b" 200 OK" in answer and str(victim).encode() not in answer.split(b"\r\n\r\n")[1]


def test_a_crash_by_one_bad_request_costs_only_that_request(cluster, port):
    cluster.start(apps.web(cluster, port, instances=2))
    with Load(port, rate=50, keepalive=0) as load:
        with pytest.raises((OSError, AssertionError)):
            http.get(port, "/crash")
        cluster.wait_for("the restart", lambda: sum(v["restarts"] for v in cluster.views("web")) == 1)
        cluster.wait_status("web", "online", 2)
    assert not {kind for kind, _ in load.tally.failures} & {"refused", "timeout"}, load.tally
    crashed = next(view for view in cluster.views("web") if view["restarts"])
    assert crashed["exit"] == {"signal": "SIGSEGV"}


def test_a_crash_loop_backs_off_with_growing_delays(cluster):
    # However long it takes to be started and to end on a busy machine, no life counts as a stable one.
    done = cluster.start(failing(cluster, min_uptime=5000), check=1)
    assert "1" in done.err
    cluster.wait_for("seven starts", lambda: len(starts(cluster)) >= 7, 20)
    times = starts(cluster)
    gaps = [later - earlier for earlier, later in zip(times, times[1:], strict=False)]
    for number, gap in enumerate(gaps[:6]):
        assert gap >= 0.1 * 1.5**number * 0.9 - 0.08, gaps
    assert gaps[5] > 2 * min(gaps[:3]), gaps


def test_the_list_tells_the_truth_about_a_crash_loop(cluster):
    cluster.start(failing(cluster, exp_backoff_restart_delay=2000), words=["--no-wait"])
    view = cluster.wait_status("failing", "waiting restart")[0]
    assert view["pid"] is None and view["exit"] == {"code": 1}
    assert 0 < view["next_start_ms"] <= 2400
    cluster.wait_for(
        "the countdown", lambda: cluster.view("failing")["next_start_ms"] < view["next_start_ms"]
    )
    cluster.wait_for("the next try", lambda: cluster.view("failing")["restarts"] >= 1)


def test_an_app_that_dies_before_it_is_ready_is_never_shown_online(cluster):
    for delay_ms in (0, 1, 10, 100, 400):
        app = apps.failing(
            cluster, 1, delay_ms, name=f"d{delay_ms}", wait_ready=True, restart_delay=200, listen_timeout=1000
        )
        cluster.start(app, words=["--no-wait"])
    end = time.monotonic() + 3
    while time.monotonic() < end:
        for view in cluster.instances():
            assert view["status"] != "online", view
            assert view["pid"] is None or view["pid"] > 0
    assert all(view["exit"] == {"code": 1} for view in cluster.instances())


def test_max_restarts_ends_the_loop_as_errored(cluster):
    cluster.start(failing(cluster, max_restarts=3, min_uptime=5000), check=1)
    view = cluster.wait_status("failing", "errored")[0]
    assert (view["max_restarts"], view["exit"]) == (3, {"code": 1})
    assert len(starts(cluster)) == 3
    hold_for("no further start", lambda: len(starts(cluster)) == 3, 1.0)


def test_the_restart_delay_does_not_count_as_uptime(cluster):
    cluster.start(failing(cluster, max_restarts=2, min_uptime=300, restart_delay=500), words=["--no-wait"])
    cluster.wait_status("failing", "errored")
    assert len(starts(cluster)) == 2


def test_a_minimum_uptime_of_zero_is_no_licence_for_a_tight_loop(cluster):
    done = cluster.start(failing(cluster, min_uptime=0), words=["--no-wait"], check=None)
    if done.status == 0:
        first = cluster.wait_for("the first start", lambda: starts(cluster))[0]
        hold_for("few starts", lambda: len([t for t in starts(cluster) if t < first + 2]) <= 20, 2.0)
    else:
        assert done.status == 3 and "min_uptime" in done.err, done


def test_an_app_recovers_by_itself_after_a_long_outage_of_what_it_needs(cluster):
    script = counting_script(cluster, f"[ -e {cluster.work}/database ] || exit 1\nexec sleep 100000")
    cluster.start(apps.QUICK | {"name": "client", "script": script}, words=["--no-wait"])
    cluster.wait_for("eight failures", lambda: len(starts(cluster)) >= 8, 20)
    cluster.write("database", "")
    cluster.wait_status("client", "online", deadline=15)


@pytest.mark.parametrize("order", ["stop", "delete"])
def test_an_order_during_the_restart_delay_sticks(cluster, order):
    cluster.start(failing(cluster, restart_delay=1000), words=["--no-wait"])
    cluster.wait_status("failing", "waiting restart")
    cluster.run(order, "failing")
    tried = len(starts(cluster))
    hold_for("no start after the order", lambda: len(starts(cluster)) == tried, 1.6)
    assert cluster.statuses("failing") == (["stopped"] if order == "stop" else [])


@pytest.mark.parametrize("order", ["restart", "reload", "start"])
def test_an_order_to_run_during_the_restart_delay_acts_at_once(cluster, order):
    script = counting_script(cluster, f"[ -e {cluster.work}/fixed ] || exit 1\nexec sleep 100000")
    cluster.start(
        apps.QUICK | {"name": "web", "script": script, "restart_delay": 20_000}, words=["--no-wait"]
    )
    cluster.wait_status("web", "waiting restart")
    cluster.write("fixed", "")
    done = cluster.run(order, "web")
    assert done.seconds < 10
    cluster.wait_status("web", "online")
    assert len(starts(cluster)) == 2


def test_exactly_one_process_runs_after_a_restart_during_the_delay(cluster):
    script = counting_script(cluster, f"[ -e {cluster.work}/fixed ] || exit 1\nexec sleep 100000")
    cluster.start(apps.QUICK | {"name": "web", "script": script, "restart_delay": 1000}, words=["--no-wait"])
    cluster.wait_status("web", "waiting restart")
    cluster.write("fixed", "")
    cluster.run("restart", "web")
    pid, started = cluster.pid("web"), len(starts(cluster))
    hold_for("the same process", lambda: cluster.pid("web") == pid and len(starts(cluster)) == started, 1.6)


def test_a_crash_after_a_stable_life_is_repaired_at_once(cluster):
    cluster.start(apps.sleeper(exp_backoff_restart_delay=20_000))
    first = cluster.pid("sleeper")
    cluster.wait_for("a stable life", lambda: cluster.view("sleeper")["uptime_ms"] > 600)
    os.kill(first, signal.SIGKILL)
    cluster.wait_for("the successor", lambda: cluster.pids("sleeper") not in ([], [first]), 5)


def test_ordered_stops_and_starts_are_never_taken_for_crashes(cluster):
    cluster.start(apps.sleeper(instances=4, max_restarts=2))
    for _ in range(8):
        cluster.run("stop", "sleeper")
        assert cluster.statuses("sleeper") == ["stopped"] * 4
        cluster.run("start", "sleeper")
        assert cluster.statuses("sleeper") == ["online"] * 4
    assert all(view["restarts"] == 0 or view["unstable_restarts"] == 0 for view in cluster.views("sleeper"))


def test_nothing_is_started_again_while_a_slow_stop_is_under_way(cluster):
    script = counting_script(
        cluster, 'trap "sleep 0.$((NODE_APP_INSTANCE * 2 + 1)); exit 0" TERM\n' "while :; do sleep 0.05; done"
    )
    cluster.start(apps.QUICK | {"name": "slow", "script": script, "instances": 5, "kill_timeout": 5000})
    for round_number in range(1, 4):
        assert len(starts(cluster)) == 5 * round_number
        cluster.run("stop", "slow")
        assert len(starts(cluster)) == 5 * round_number
        cluster.run("start", "slow")


@pytest.mark.parametrize("code,expected", [(0, "stopped"), (3, "stopped"), (4, "waiting restart")])
def test_stop_exit_codes_hold_before_and_after_resurrect(cluster, code, expected):
    cluster.start(
        apps.failing(cluster, code, 300, name="job", stop_exit_codes=[0, "3"], restart_delay=60_000),
        check=None,
    )
    cluster.wait_status("job", expected)
    cluster.run("restart", "job", check=None)  # up again, so that it is saved as running
    cluster.run("save")
    cluster.run("kill")
    cluster.run("resurrect", check=None)
    cluster.wait_status("job", expected)


def test_without_autorestart_an_app_ends_as_stopped(cluster):
    cluster.start(apps.failing(cluster, 0, 400, name="job", autorestart=False), check=None)
    assert cluster.wait_status("job", "stopped")[0]["exit"] == {"code": 0}


def test_leftovers_of_a_crashed_instance_are_swept(cluster):
    app = apps.QUICK | {
        "name": "tree",
        "script": cluster.program("t-tree"),
        "restart_delay": 60_000,
        "args": [str(cluster.work / "tree.pids"), "--ignore", "--leader-exit", "500"],
    }
    cluster.start(app, words=["--no-wait"])
    cluster.wait_for("the tree", (cluster.work / "tree.pids").exists)
    pids = [int(line.split()[1]) for line in (cluster.work / "tree.pids").read_text().splitlines()]
    cluster.wait_status("tree", "waiting restart")
    cluster.wait_gone(*pids)
    assert not [pid for pid in processes.children(cluster.daemon_pid()) if processes.state(pid) == "Z"]
