"""Protects: a broken new version never replaces a working one, and the command says what is wrong."""

import os
import re
import signal

import pytest

from harness import apps, http, processes
from harness.load import Load
from harness.waiting import hold_for

COMPLAINT = "secret sauce missing"


def break_missing(cluster, port):
    (cluster.work / "server").unlink()


def break_exits_at_once(cluster, port):
    apps.deploy(cluster, f"echo '{COMPLAINT}' >&2; exit 3")


def break_never_listens(cluster, port):
    apps.deploy(cluster, f"echo '{COMPLAINT}' >&2; exec sleep 100000")


def break_listens_then_crashes(cluster, port):
    apps.deploy_web(cluster, port, "--crash-after", "0", version="v2")


def break_not_executable(cluster, port):
    (cluster.work / "server").chmod(0o644)


BREAKS = {
    "missing binary": (break_missing, r"no such file|not found|does not exist", ""),
    "not executable": (break_not_executable, r"permission|executable", ""),
    "exits at once": (break_exits_at_once, r"\b3\b", COMPLAINT),
    "never listens": (break_never_listens, r"listen|ready|in time|within", COMPLAINT),
    "listens then crashes": (break_listens_then_crashes, r"\b7\b", "crashing as asked"),
}


@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize("what", BREAKS)
def test_a_broken_new_version_leaves_the_old_one_serving(cluster, port, what, count):
    break_it, cause, last_words = BREAKS[what]
    cluster.start(apps.switchable(cluster, port, instances=count, listen_timeout=1500))
    before = cluster.pids("web")
    with Load(port, rate=100, keepalive=4) as load:
        break_it(cluster, port)
        done = cluster.run("reload", "web", check=None)
    assert not load.tally.failures, load.tally
    assert done.status == 1, done
    assert re.search(cause, done.err, re.IGNORECASE) and last_words in done.err, done
    cluster.wait_for("only the old ones", lambda: sorted(cluster.pids("web")) == sorted(before))
    assert cluster.statuses("web") == ["online"] * count
    hold_for("nobody tries again", lambda: sorted(cluster.pids("web")) == sorted(before), 0.5)


def test_a_new_version_that_crashes_while_serving_is_rolled_back(cluster, port):
    cluster.start(apps.switchable(cluster, port, instances=2, min_uptime=600))
    before = cluster.pids("web")
    apps.deploy_web(cluster, port, "--crash-after", "200", version="v2")
    with Load(port, rate=50, keepalive=0) as load:
        done = cluster.run("reload", "web", check=1)
    assert not {kind for kind, _ in load.tally.failures} & {"refused", "timeout"}, load.tally
    assert "7" in done.err, done
    cluster.wait_for("only the old ones", lambda: sorted(cluster.pids("web")) == sorted(before))


def test_slots_that_were_already_replaced_go_back_to_the_old_version(cluster, port):
    old = apps.web(cluster, port, instances=4, max_surge=1)
    cluster.start(old)
    half_good = cluster.script(
        "half-good",
        f"[ $NODE_APP_INSTANCE -ge 2 ] && exit 3\n"
        f"exec {cluster.program('t-http')} --port {port} --version v2 --graceful",
    )
    with Load(port, rate=100, keepalive=4) as load:
        done = cluster.start(old | {"script": str(half_good), "args": []}, check=1)
        assert "web.1 online generation=2" in cluster.daemon_log(), "no slot was replaced before the failure"
    assert not load.tally.failures, load.tally
    assert re.search(r"\b3\b", done.err), done
    cluster.wait_status("web", "online", 4)
    assert {answer.split()[1] for answer in http.distinct_answers(port, 4)} == {"v1"}


def test_a_good_version_after_a_failed_one_rolls_out(cluster, port):
    cluster.start(apps.switchable(cluster, port, instances=2))
    break_exits_at_once(cluster, port)
    cluster.run("reload", "web", check=1)
    apps.deploy_web(cluster, port, version="v3")
    cluster.run("reload", "web", check=0)
    assert http.get(port).split()[1] == "v3"


def test_not_ready_in_time_is_a_failure_not_a_success(cluster, port):
    cluster.start(apps.switchable(cluster, port, "--ready-notify", wait_ready=True, listen_timeout=1000))
    old = cluster.pid("web")
    apps.deploy_web(cluster, port, "--ready-notify=60000", version="v2")
    done = cluster.run("reload", "web", check=1)
    assert re.search(r"ready", done.err, re.IGNORECASE), done
    assert cluster.pids("web") == [old] or cluster.wait_for(
        "the old one alone", lambda: cluster.pids("web") == [old]
    )


def test_an_instance_that_must_listen_again_is_not_ready_by_merely_living(cluster, port):
    cluster.start(apps.switchable(cluster, port, min_uptime=100, listen_timeout=1200))
    old = cluster.pid("web")
    break_never_listens(cluster, port)
    done = cluster.run("reload", "web", check=1)
    assert done.seconds >= 1.0
    cluster.wait_for("the old one alone", lambda: cluster.pids("web") == [old])


def test_a_file_change_that_does_not_work_changes_nothing(cluster, port):
    good = apps.web(cluster, port, instances=2)
    cluster.start(good)
    before = cluster.pids("web")
    with Load(port, rate=100) as load:
        done = cluster.start(good | {"script": cluster.program("t-exit"), "args": ["9"]}, check=1)
    assert not load.tally.failures, load.tally
    assert "9" in done.err, done
    cluster.wait_for("only the old ones", lambda: sorted(cluster.pids("web")) == sorted(before))
    cluster.run("reload", "web")
    assert http.get(port).split()[1] == "v1"


@pytest.mark.parametrize("words", [(), ("--no-wait",)], ids=["waiting", "no-wait"])
def test_start_tells_the_truth_about_a_program_that_dies_soon(cluster, words):
    done = cluster.start(apps.failing(cluster, 5, 300, min_uptime=1000), words=words, check=None)
    assert (done.status != 0) == (not words), done
    if not words:
        assert "5" in done.err, done


def test_reload_answers_when_there_is_nothing_to_reload(cluster):
    cluster.run("list")
    assert cluster.run("reload", "all", check=None).seconds < 10
    cluster.start(apps.sleeper())
    cluster.run("stop", "sleeper")
    assert cluster.run("reload", "all", check=None).seconds < 10
    cluster.run("delete", "all")
    cluster.start(apps.failing(cluster, max_restarts=0), check=None)
    assert cluster.run("reload", "all", check=None).seconds < 20


def test_a_command_ends_with_an_error_when_the_daemon_is_killed_under_it(cluster, port):
    cluster.expect_leftovers = True
    cluster.start(apps.web(cluster, port, "--boot", "3000"), words=["--no-wait"])
    command = cluster.popen("reload", "web")
    cluster.wait_for(
        "the command to be connected", lambda: "socket" in str(processes.descriptors(command.pid))
    )
    os.kill(cluster.daemon_pid(), signal.SIGKILL)
    out, err = command.communicate(timeout=10)
    assert command.returncode != 0 and err.strip(), (out, err)
