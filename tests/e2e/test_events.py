"""Protects: whoever follows events hears of every start and every end, with PM2's words, and of nothing else."""

import contextlib
import json
import os
import signal
import threading

from harness import apps


@contextlib.contextmanager
def following(cluster, *words):
    """The events that `events --json` prints meanwhile, as they come."""
    events = []
    process = cluster.popen("events", *words, "--json")

    def read():
        for line in process.stdout:
            events.append(json.loads(line))

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    try:
        cluster.wait_for("the follower", lambda: events and events[0]["topic"] == "following")
        yield events
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=10)
        thread.join()


def names(events) -> list[str]:
    return [event["name"] for event in events if event["topic"] != "following"]


def expect(cluster, events, *expected):
    cluster.wait_for(f"{expected}, got {names(events)}", lambda: len(names(events)) >= len(expected))
    assert names(events) == list(expected)


def test_a_life_is_told_from_its_start_to_its_end(cluster):
    cluster.run("list")
    with following(cluster) as events:
        cluster.start(apps.sleeper())
        cluster.run("stop", "sleeper")
        cluster.run("delete", "sleeper")
        expect(cluster, events, "start", "online", "stop", "exit", "delete")
    process = events[1]["process"]
    assert (process["name"], process["pm_id"], process["slot"], process["restart_time"]) == ("sleeper", 0, 0, 0)
    assert events[2]["process"]["pid"] > 0 and events[4]["process"]["pid"] is None
    assert [event["manually"] for event in events[1:5]] == [False, False, True, True]
    assert events[5]["app"] == "sleeper"


def test_a_crash_is_an_exit_and_a_restart(cluster):
    cluster.start(apps.sleeper(min_uptime=100))
    with following(cluster, "sleeper") as events:
        os.kill(cluster.pid("sleeper"), signal.SIGKILL)
        expect(cluster, events, "exit", "restart", "online")
    assert events[1]["exit"] == {"signal": "SIGKILL"} and events[1]["manually"] is False
    assert "SIGKILL" in events[1]["reason"]
    assert events[2]["process"]["restart_time"] == 1


def test_who_is_not_followed_is_not_heard(cluster):
    cluster.start(apps.sleeper("a"), apps.sleeper("b"))
    with following(cluster, "a") as events:
        cluster.run("stop", "b")
        cluster.run("stop", "a")
        expect(cluster, events, "stop", "exit")
    assert {event["process"]["name"] for event in events[1:]} == {"a"}


def test_a_reload_says_how_it_ended(cluster):
    cluster.start(apps.sleeper(min_uptime=100))
    with following(cluster) as events:
        cluster.run("reload", "sleeper")
        cluster.wait_for("its end", lambda: "reload" in names(events))
    assert names(events).count("start") + names(events).count("restart") == 1
    assert next(event for event in events if event.get("name") == "reload")["generation"] == 2


def test_events_of_an_unknown_app_are_refused(cluster):
    cluster.run("list")
    done = cluster.run("events", "nobody", check=None)
    assert done.status != 0 and "nobody" in done.err
