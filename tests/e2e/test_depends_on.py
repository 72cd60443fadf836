"""Protects: an app starts when what it depends on is ready, also after resurrect, and is never forgotten waiting."""

import os
import signal

from harness import apps


def slow(cluster, name: str = "db", **keys) -> dict:
    """Ready when the file NAME.up appears."""
    check = f"exec:test -e {cluster.work / name}.up"
    return apps.sleeper(name, ready={"check": check, "interval": 50}, listen_timeout=60_000) | keys


def let(cluster, name: str = "db"):
    (cluster.work / f"{name}.up").touch()


def started_at(cluster, name: str) -> int:
    return cluster.view(name)["started_at_ms"]


def test_it_waits_until_the_other_is_ready(cluster):
    begun = cluster.popen("start", cluster.ecosystem(apps.sleeper("web", depends_on="db"), slow(cluster)))
    cluster.wait_status("db", "launching")
    cluster.wait_for("the reason", lambda: cluster.view("web")["reason"] == "waits for db")
    assert cluster.statuses("web") == ["stopped"]
    let(cluster)
    out, err = begun.communicate(timeout=30)
    assert begun.returncode == 0, (out, err)
    assert cluster.statuses("web") == ["online"]


def test_a_circle_is_refused_with_its_names_and_nothing_starts(cluster):
    circle = [apps.sleeper("a", depends_on="b"), apps.sleeper("b", depends_on=["c"]), apps.sleeper("c", depends_on="a")]
    done = cluster.start(*circle, check=None)
    assert done.status != 0 and "a -> b -> c -> a" in done.err
    assert cluster.instances() == []


def test_the_command_has_a_time_limit_the_app_has_not(cluster):
    cluster.run("list")
    done = cluster.start(apps.sleeper("web", depends_on="db", depends_timeout=300), check=None)
    assert done.status != 0 and "waits for db, which is not known" in done.err
    let(cluster)
    cluster.start(slow(cluster))
    cluster.wait_status("web", "online")


def test_a_finished_migration_is_ready_and_a_failed_one_is_not(cluster):
    done = {"name": "migrate", "script": "sh", "args": ["-c", "exit 0"], "autorestart": False}
    cluster.start(apps.sleeper("web", depends_on="migrate"), apps.QUICK | done)
    assert cluster.statuses("web") == ["online"]
    failing = apps.QUICK | done | {"name": "bad", "args": ["-c", "exit 3"]}
    said = cluster.start(apps.sleeper("api", depends_on="bad", depends_timeout=1000), failing, check=None)
    assert said.status != 0
    assert cluster.view("api")["reason"] == "waits for bad, which has failed"


def test_after_resurrect_the_order_is_kept_and_what_was_stopped_stays_stopped(cluster):
    let(cluster)
    cluster.start(
        apps.sleeper("web", depends_on="db"), slow(cluster), apps.sleeper("off"), apps.sleeper("late", depends_on="off")
    )
    cluster.run("stop", "off")
    cluster.run("save")
    cluster.run("kill")
    (cluster.work / "db.up").unlink()
    cluster.run("resurrect", "--no-wait")
    cluster.wait_status("db", "launching")
    assert cluster.statuses("web") == ["stopped"]
    assert cluster.view("late")["reason"] == "waits for off, which is stopped"
    cluster.run("save")
    let(cluster)
    cluster.wait_status("web", "online")
    assert started_at(cluster, "web") >= started_at(cluster, "db")
    assert cluster.statuses("off") == ["stopped"]
    cluster.run("start", "off")
    cluster.wait_status("late", "online")


def test_a_stop_ends_the_waiting(cluster):
    begun = cluster.popen("start", cluster.ecosystem(apps.sleeper("web", depends_on="db"), slow(cluster)))
    cluster.wait_for("web to wait", lambda: cluster.views("web") and "waits" in cluster.view("web")["reason"])
    cluster.run("stop", "web")
    let(cluster)
    assert begun.wait(timeout=30) != 0
    begun.communicate()
    cluster.wait_status("db", "online")
    assert cluster.statuses("web") == ["stopped"]


def test_the_daemon_stops_dependents_first_and_a_second_signal_ends_the_waiting(cluster):
    stubborn = {"name": "web", "script": cluster.program("t-stubborn"), "args": ["TERM"], "kill_timeout": -1}
    cluster.start(apps.QUICK | stubborn | {"depends_on": "db"}, apps.sleeper("db"), apps.sleeper("mail"))
    cluster.wait_for("its signal handlers", lambda: "ready" in cluster.log("web"))
    daemon, web = cluster.daemon_pid(), cluster.pid("web")
    os.kill(daemon, signal.SIGTERM)
    cluster.wait_status("mail", "stopped")
    assert cluster.statuses("web") == ["stopping"] and cluster.statuses("db") == ["online"]
    os.kill(daemon, signal.SIGTERM)
    cluster.wait_gone(daemon, web)


def test_kill_stops_whoever_waits_and_a_stopped_dependent_keeps_nobody(cluster):
    cluster.start(apps.sleeper("db"), apps.sleeper("off", depends_on="db"), apps.sleeper("off2", depends_on="off"))
    cluster.run("stop", "off", "off2")
    cluster.start(apps.sleeper("late", depends_on="never"), words=["--no-wait"])
    pids = [cluster.daemon_pid(), cluster.pid("db")]
    cluster.run("kill")
    cluster.wait_gone(*pids)
