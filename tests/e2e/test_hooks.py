"""Protects: hooks run at their moment, like the app, within their time; a failed pre_start is a failed start."""

import os

import pytest

from harness import apps, processes


def note(cluster, name: str, more: str = "") -> list[str]:
    line = f"echo {name} $CLUSTERD_HOOK $(pwd) $WHO pid=$CLUSTERD_PID code=$CLUSTERD_EXIT_CODE signal=$CLUSTERD_EXIT_SIGNAL"
    return ["sh", "-c", f"{line} >> {cluster.work}/notes; echo said by {name}; {more}"]


def notes(cluster) -> list[list[str]]:
    path = cluster.work / "notes"
    return [line.split() for line in path.read_text().splitlines()] if path.exists() else []


def moments(cluster) -> list[str]:
    return [words[0] for words in notes(cluster)]


def hooked(cluster, **keys) -> dict:
    hooks = {name: note(cluster, name) for name in ("pre_start", "post_start", "pre_stop", "post_stop")}
    return apps.sleeper("app", cwd=str(cluster.work), env={"WHO": "me"}) | hooks | keys


def test_each_runs_at_its_moment_like_the_app(cluster):
    cluster.start(hooked(cluster))
    cluster.wait_for("post_start", lambda: len(notes(cluster)) == 2)
    pid = cluster.pid("app")
    cluster.run("stop", "app")
    assert moments(cluster) == ["pre_start", "post_start", "pre_stop", "post_stop"]
    for words in notes(cluster):
        assert words[:4] == [words[0], words[0], str(cluster.work), "me"]
    assert notes(cluster)[1][4] == notes(cluster)[2][4] == f"pid={pid}"
    assert notes(cluster)[3][5:] == ["code=", "signal=15"]
    for name in moments(cluster):
        cluster.wait_for(f"{name} in the log", lambda: f"said by {name}" in cluster.log("app"))


def test_a_failed_pre_start_is_a_failed_start_with_its_reason_and_is_tried_again(cluster):
    gate = cluster.work / "gate"
    spec = hooked(cluster, pre_start=["sh", "-c", f"test -e {gate}"], exp_backoff_restart_delay=100)
    done = cluster.start(spec, check=None)
    assert done.status != 0 and "pre_start" in done.err and "code 1" in done.err
    assert "pre_start" in cluster.view("app")["reason"]
    assert moments(cluster) == [], "nothing was started, so nothing is cleaned up"
    gate.touch()
    cluster.wait_status("app", "online")


def test_a_reload_to_a_version_whose_pre_start_fails_is_rolled_back(cluster):
    cluster.start(hooked(cluster))
    old = cluster.pid("app")
    done = cluster.start(hooked(cluster, pre_start=["false"]), check=None)
    assert done.status != 0
    cluster.wait_for("the way back", lambda: cluster.pids("app") == [old])


def test_a_hook_that_hangs_is_ended_with_all_it_started(cluster):
    spec = hooked(cluster, pre_start=["sh", "-c", f"sleep 98765 {cluster.root} & sleep 98765"], hook_timeout=300)
    done = cluster.start(spec, check=None)
    assert done.status != 0 and "pre_start did not end within" in done.err
    cluster.run("delete", "app")
    cluster.wait_for("its children to be gone", lambda: not processes.mentioning("sleep 98765"))


def test_a_stop_does_not_wait_for_pre_start(cluster):
    begun = cluster.popen("start", cluster.ecosystem(hooked(cluster, pre_start=["sleep", "1000"], hook_timeout="1h")))
    cluster.wait_status("app", "launching")
    cluster.run("stop", "app", timeout=30)
    assert cluster.statuses("app") == ["stopped"]
    begun.communicate(timeout=30)
    assert begun.returncode != 0


def test_pre_stop_has_its_own_time_before_kill_timeout(cluster):
    spec = hooked(cluster, pre_stop=note(cluster, "pre_stop", "sleep 1; echo late >> notes"), kill_timeout=300)
    cluster.start(spec)
    cluster.run("stop", "app")
    assert "late" in moments(cluster)
    assert notes(cluster)[-1][5:] == ["code=", "signal=15"], "it was killed before its stop signal"


def test_after_a_crash_the_next_start_waits_for_post_stop(cluster):
    cluster.start(hooked(cluster, post_stop=note(cluster, "post_stop", "sleep 0.5; echo cleaned >> notes")))
    cluster.wait_for("post_start", lambda: "post_start" in moments(cluster))
    old = cluster.pid("app")
    os.kill(old, 9)
    cluster.wait_for("the next life", lambda: moments(cluster).count("pre_start") == 2, 20)
    order = [name for name in moments(cluster) if name != "post_start"]
    assert order == ["pre_start", "post_stop", "cleaned", "pre_start"]
    assert notes(cluster)[2][5:] == ["code=", "signal=9"]


def test_what_others_fail_is_only_said(cluster):
    fails = {name: ["false"] for name in ("post_start", "pre_stop", "post_stop")}
    cluster.start(hooked(cluster, **fails))
    cluster.run("stop", "app")
    for name in fails:
        cluster.wait_for(f"{name} in the log", lambda: f"{name} " in cluster.daemon_log())


@pytest.mark.needs_root
def test_hooks_run_as_the_user_of_the_app(cluster):
    cluster.start(hooked(cluster, uid="nobody", pre_start=["sh", "-c", "id -un"], post_start=[], pre_stop=[], post_stop=[]))
    cluster.wait_for("its name", lambda: "nobody" in cluster.log("app"))
