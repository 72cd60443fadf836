"""Protects: what was saved comes back as it was, once, and no shutdown can destroy it."""

import json
import os
import signal
import threading

import pytest

from harness import apps, probes, processes


def restart_daemon(cluster):
    cluster.run("kill")
    cluster.run("resurrect")


def test_saved_apps_come_back_with_instances_settings_and_namespace(cluster, port):
    cluster.start(apps.web(cluster, port, instances=3, namespace="shop"), apps.sleeper())
    cluster.run("save")
    restart_daemon(cluster)
    assert cluster.statuses("web") == ["online"] * 3
    assert {view["namespace"] for view in cluster.views("web")} == {"shop"}
    assert cluster.statuses("sleeper") == ["online"]


def test_resurrecting_twice_starts_nothing_twice(cluster):
    cluster.start(apps.sleeper("a", instances=4), apps.sleeper("b"))
    cluster.run("save")
    before = cluster.pids("a") + cluster.pids("b")
    for _ in range(2):
        cluster.run("resurrect")
        assert cluster.pids("a") + cluster.pids("b") == before


def test_stopped_apps_stay_stopped(cluster):
    cluster.start(apps.sleeper("up"), apps.sleeper("down"))
    cluster.run("stop", "down")
    cluster.run("save")
    restart_daemon(cluster)
    assert cluster.statuses("up") == ["online"] and cluster.statuses("down") == ["stopped"]


@pytest.mark.parametrize("end", ["kill", "SIGTERM", "SIGKILL"])
def test_no_way_to_end_the_daemon_touches_the_saved_list(cluster, end):
    cluster.expect_leftovers = end == "SIGKILL"
    cluster.start(apps.sleeper())
    cluster.run("save")
    saved = (cluster.home / "dump.json").read_bytes()
    daemon = cluster.daemon_pid()
    cluster.run("kill") if end == "kill" else os.kill(daemon, signal.Signals[end])
    cluster.wait_gone(daemon)
    cluster.run("list")
    assert (cluster.home / "dump.json").read_bytes() == saved


def test_saving_an_empty_list_needs_force(cluster):
    cluster.start(apps.sleeper())
    cluster.run("save")
    saved = (cluster.home / "dump.json").read_bytes()
    cluster.run("delete", "all")
    done = cluster.run("save", check=None)
    assert done.status != 0 and "--force" in done.err, done
    assert (cluster.home / "dump.json").read_bytes() == saved
    cluster.run("save", "--force")
    restart_daemon(cluster)
    assert cluster.instances() == []


def test_a_daemon_killed_while_saving_leaves_a_complete_file(cluster):
    cluster.expect_leftovers = True
    cluster.start(*(apps.sleeper(f"s{n}") for n in range(10)))
    cluster.run("save")
    for round_number in range(8):
        daemon = cluster.daemon_pid()
        saver = cluster.popen("save")
        threading.Timer(
            0.003 * round_number, lambda pid=daemon: processes.send_signal(pid, signal.SIGKILL)
        ).start()
        saver.communicate(timeout=20)
        cluster.wait_gone(daemon)
        json.loads((cluster.home / "dump.json").read_text())
        cluster.run("resurrect")
        assert len({view["name"] for view in cluster.instances()}) == 10


def test_a_broken_saved_list_is_named_and_set_aside_not_deleted(cluster):
    cluster.start(apps.sleeper())
    cluster.run("save")
    cluster.run("kill")
    (cluster.home / "dump.json").write_text('{"version": 1, "apps": [')
    done = cluster.run("resurrect", check=None)
    assert "dump.json" in done.err, done
    kept = [path for path in cluster.home.rglob("dump*") if '"apps": [' in path.read_text()]
    assert kept, "the broken file is gone"


def test_resurrect_without_a_saved_list_says_so(cluster):
    assert "save" in cluster.run("resurrect", check=None).err


def test_settings_survive_saving(cluster):
    app = apps.sleeper(
        treekill=False, autorestart=False, stop_exit_codes=[0, "3"], kill_signal="SIGUSR2", max_restarts=5
    )
    cluster.start(app)
    spec = lambda: cluster.run("describe", "sleeper", "--json").json()["apps"][0]["spec"]  # noqa: E731
    before = spec()
    cluster.run("save")
    restart_daemon(cluster)
    assert spec() == before


def test_environment_survives_saving(cluster):
    cluster.start(apps.probe(cluster, env={"A": "file ü"}), env={"B": "shell"})
    cluster.run("save")
    cluster.run("kill")
    cluster.run("resurrect", env={"B": "other shell", "C": "leak"})
    found = probes.of_app(cluster)["environment"]
    assert (found["A"].encode("latin-1").decode(), found["B"]) == ("file ü", "shell")
    assert "C" not in found
