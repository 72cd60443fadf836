"""Protects: stop means gone, with everything the program started, in the time the operator granted."""

import os
import shutil
import signal
import time

import pytest

from harness import apps, http, processes
from harness.cluster import Cluster


def tree_app(cluster: Cluster, *args, **keys) -> dict:
    words = [str(cluster.work / "tree.pids"), *map(str, args)]
    return apps.QUICK | {"name": "tree", "script": cluster.program("t-tree"), "args": words} | keys


def tree(cluster: Cluster) -> dict[str, int]:
    """Role -> pid of the tree that runs now."""
    path = cluster.work / "tree.pids"
    leader = str(cluster.pid("tree"))
    cluster.wait_for("the tree", lambda: path.exists() and f"leader {leader}\n" in path.read_text())
    return {role: int(pid) for role, pid in (line.split() for line in path.read_text().splitlines())}


def stubborn(cluster: Cluster, *args, name="stubborn", **keys) -> dict:
    words = ["--log", str(cluster.work / f"{name}.signals"), *map(str, args or ("TERM", "INT"))]
    return apps.QUICK | {"name": name, "script": cluster.program("t-stubborn"), "args": words} | keys


def signals(cluster: Cluster, name="stubborn") -> list[str]:
    """Names of the signals it got, in order."""
    path = cluster.work / f"{name}.signals"
    lines = path.read_text().splitlines() if path.exists() else []
    return [line.split()[1] for line in lines if not line.endswith("ready")]


def wait_prepared(cluster: Cluster, name="stubborn", count=1):
    path = cluster.work / f"{name}.signals"
    cluster.wait_for("signal handlers", lambda: path.exists() and path.read_text().count("ready") >= count)


def test_a_tree_that_ignores_signals_is_gone_with_all_descendants_after_kill_timeout(any_user_cluster):
    cluster = any_user_cluster
    cluster.start(tree_app(cluster, "--ignore"))
    pids = tree(cluster)
    done = cluster.run("stop", "tree")
    assert not [role for role, pid in pids.items() if processes.alive(pid)]
    assert done.seconds >= 0.9
    assert cluster.statuses("tree") == ["stopped"]


def test_a_tree_that_obeys_is_gone_at_once_and_every_member_was_asked_first(cluster):
    cluster.start(tree_app(cluster, "--on-term", cluster.work / "asked", kill_timeout=20_000))
    pids = tree(cluster)
    done = cluster.run("stop", "tree")
    assert not [role for role, pid in pids.items() if processes.alive(pid)]
    assert done.seconds < 10
    assert (cluster.work / "asked").read_text() == "term\n"


@pytest.mark.parametrize("exec_mode", ["cluster", "fork"])
def test_a_port_held_by_a_descendant_is_free_for_the_next_start(cluster, port, exec_mode):
    app = tree_app(cluster, "--hold-port", port, "--ignore", exec_mode=exec_mode, kill_timeout=100)
    cluster.start(app)
    for _ in range(8):
        pids = tree(cluster)
        cluster.run("stop", "tree")
        assert not [role for role, pid in pids.items() if processes.alive(pid)]
        cluster.run("start", "tree")
    assert cluster.view("tree")["unstable_restarts"] == 0


@pytest.mark.parametrize(
    "command", ["cd /tmp; {server}; echo ended", "{server} | cat"], ids=["wrapper", "pipeline"]
)
def test_a_program_behind_a_shell_gets_the_stop_signal_and_can_drain(cluster, port, command):
    server = f"{cluster.program('t-http')} --port {port} --graceful --work 400"
    app = apps.web(cluster, port, kill_timeout=10_000)
    cluster.start(app | {"script": "sh", "args": ["-c", command.format(server=server)]})
    family = [cluster.pid("web"), *processes.descendants(cluster.pid("web"))]
    with http.connect(port) as client:
        client.sendall(http.REQUEST % b"/")
        cluster.wait_for("the request to be accepted", lambda: processes.server_inode(client))
        done = cluster.run("stop", "web")
        assert b" 200 OK" in http.read_all(client)
    assert done.seconds < 8
    assert not any(map(processes.alive, family))


def test_without_treekill_only_the_leader_ends(cluster):
    cluster.start(tree_app(cluster, treekill=False))
    pids = tree(cluster)
    cluster.run("stop", "tree")
    try:
        assert not processes.alive(pids["leader"])
        assert processes.alive(pids["session"]) and processes.alive(pids["orphan"])
    finally:
        processes.kill_tree_of([pid for role, pid in pids.items() if role != "leader"])


def test_an_exit_at_the_very_end_of_the_grace_time_harms_nobody(cluster):
    app = stubborn(cluster, "--exit-after", "300", "TERM", instances=8, kill_timeout=300)
    cluster.start(app)
    daemon = cluster.daemon_pid()
    for _ in range(6):
        cluster.run("stop", "stubborn")
        assert cluster.statuses("stubborn") == ["stopped"] * 8
        cluster.run("start", "stubborn")
    assert cluster.daemon_pid() == daemon


def test_a_stubborn_process_is_stopping_until_it_is_really_gone(cluster):
    cluster.start(stubborn(cluster, kill_timeout=1500))
    wait_prepared(cluster)
    pid = cluster.pid("stubborn")
    stop = cluster.popen("stop", "stubborn")
    cluster.wait_status("stubborn", "stopping")
    assert processes.alive(pid)
    cluster.wait_for(
        "the end", lambda: cluster.statuses("stubborn") == ["stopped"] or processes.alive(pid) and None
    )
    assert not processes.alive(pid)
    assert stop.wait(timeout=5) == 0
    assert cluster.view("stubborn")["exit"] == {"signal": "SIGKILL"}
    assert signals(cluster) == ["TERM"]


def test_each_app_has_its_own_kill_timeout(cluster):
    cluster.start(
        stubborn(cluster, name="brief", kill_timeout=300),
        stubborn(cluster, name="patient", kill_timeout=2500),
    )
    wait_prepared(cluster, "brief"), wait_prepared(cluster, "patient")
    brief, patient = cluster.pid("brief"), cluster.pid("patient")
    began = time.monotonic()
    stop = cluster.popen("stop", "all")
    cluster.wait_gone(brief)
    assert processes.alive(patient)
    cluster.wait_gone(patient)
    assert time.monotonic() - began >= 2.3
    assert stop.wait(timeout=5) == 0


def test_a_changed_kill_timeout_counts_without_restarting_the_daemon(cluster):
    cluster.start(stubborn(cluster, kill_timeout=3000))
    cluster.start(stubborn(cluster, kill_timeout=200))
    wait_prepared(cluster, count=2)
    assert cluster.run("stop", "stubborn").seconds < 2.5


@pytest.mark.parametrize(
    "hurry", [("stop", "stubborn", "--now"), ("sendSignal", "SIGKILL", "stubborn")], ids=" ".join
)
def test_a_slow_stop_can_be_hurried_from_another_shell(cluster, hurry):
    cluster.start(stubborn(cluster, kill_timeout=60_000))
    wait_prepared(cluster)
    first = cluster.popen("stop", "stubborn")
    cluster.wait_status("stubborn", "stopping")
    cluster.run(*hurry)
    assert first.wait(timeout=10) == 0
    assert cluster.statuses("stubborn") == ["stopped"]


def test_an_unlimited_kill_timeout_never_kills_and_outlives_the_command(cluster):
    cluster.start(stubborn(cluster, "--exit-after", "2500", "TERM", kill_timeout=-1))
    wait_prepared(cluster)
    command = cluster.popen("stop", "stubborn")
    cluster.wait_status("stubborn", "stopping")
    command.send_signal(signal.SIGINT)
    command.wait(timeout=5)
    assert cluster.wait_status("stubborn", "stopped")[0]["exit"] == {"code": 0}


def test_a_stop_is_parallel_over_instances_and_apps(cluster):
    cluster.start(*(stubborn(cluster, name=f"s{n}", instances=3, kill_timeout=1200) for n in range(4)))
    for n in range(4):
        wait_prepared(cluster, f"s{n}", 3)
    assert cluster.run("stop", "all").seconds < 8  # one after the other would take 14.4
    assert {view["status"] for view in cluster.instances()} == {"stopped"}


def test_the_stop_signal_is_sigterm_and_for_node_sigint(cluster):
    cluster.start(stubborn(cluster, kill_timeout=300))
    wait_prepared(cluster)
    cluster.run("stop", "stubborn")
    assert signals(cluster) == ["TERM"]
    cluster.write(
        "app.js",
        "for (const s of ['SIGINT', 'SIGTERM']) process.on(s, () => { console.log(s); process.exit(0); });\n"
        "console.log('up'); setInterval(() => {}, 1000);\n",
    )
    cluster.start(apps.QUICK | {"name": "node", "script": "app.js"})
    cluster.wait_for("node", lambda: "up" in cluster.log("node"))
    cluster.run("stop", "node")
    assert cluster.log("node") == "up\nSIGINT\n"


def test_the_stop_signal_can_be_chosen(cluster):
    cluster.start(stubborn(cluster, "TERM", "USR2", kill_signal="SIGUSR2", kill_timeout=300))
    wait_prepared(cluster)
    cluster.run("stop", "stubborn")
    assert signals(cluster) == ["USR2"]


def test_any_signal_can_be_sent_by_name_or_number(cluster):
    cluster.start(stubborn(cluster, "USR1", "HUP"))
    wait_prepared(cluster)
    for word in ("SIGUSR1", "HUP", str(int(signal.SIGUSR1))):
        cluster.run("sendSignal", word, "stubborn")
    cluster.wait_for("three signals", lambda: sorted(signals(cluster)) == ["HUP", "USR1", "USR1"])
    assert cluster.run("sendSignal", "SIGNONSENSE", "stubborn", check=None).status != 0


def test_one_instance_can_be_stopped_by_its_id(cluster):
    cluster.start(apps.sleeper(instances=3))
    victim = cluster.views("sleeper")[1]
    cluster.run("stop", str(victim["id"]))
    assert [view["status"] for view in cluster.views("sleeper")] == ["online", "stopped", "online"]
    cluster.run("start", str(victim["id"]))
    assert cluster.statuses("sleeper") == ["online"] * 3


def test_stop_acts_on_several_targets_patterns_and_namespaces(cluster):
    cluster.start(
        *(
            apps.sleeper(name, namespace=space)
            for name, space in [
                ("web", "shop"),
                ("api", "shop"),
                ("worker-1", "jobs"),
                ("worker-2", "jobs"),
                ("other", "rest"),
            ]
        )
    )
    stopped = lambda: sorted(v["name"] for v in cluster.instances() if v["status"] == "stopped")  # noqa: E731
    cluster.run("stop", "/^worker-/")
    assert stopped() == ["worker-1", "worker-2"]
    cluster.run("stop", "shop", "other")
    assert stopped() == ["api", "other", "web", "worker-1", "worker-2"]


def test_kill_ends_daemon_and_stubborn_apps_completely(cluster):
    cluster.start(tree_app(cluster, "--ignore", kill_timeout=300), stubborn(cluster, kill_timeout=300))
    pids = [*tree(cluster).values(), cluster.pid("stubborn"), cluster.daemon_pid()]
    cluster.run("kill")
    cluster.wait_gone(*pids, deadline=3)
    assert not (cluster.home / "control.sock").exists()


def test_restart_replaces_every_process_and_waits_until_they_run(cluster, port):
    cluster.start(apps.web(cluster, port, instances=2))
    before = cluster.pids("web")
    cluster.run("restart", "web")
    after = cluster.pids("web")
    assert len(after) == 2 and not set(before) & set(after)
    assert not any(os.path.exists(f"/proc/{pid}") for pid in before)
    assert int(http.get(port).split()[0]) in after


@pytest.mark.needs_root
@pytest.mark.parametrize("word", ["stop", "delete"])
def test_a_child_that_may_not_be_signalled_is_named_and_the_stop_is_no_success(as_nobody, word):
    cluster = as_nobody
    helper = cluster.work / "helper"
    shutil.copyfile(cluster.program("t-other-user"), helper)
    os.chown(helper, 0, 0)
    helper.chmod(0o4755)
    script = cluster.script("app", f"{helper} & echo $! > {cluster.work}/pid; wait")
    cluster.start(apps.sleeper("app") | {"script": str(script), "args": [], "exec_mode": "fork", "kill_timeout": 300})
    pid = int((cluster.work / "pid").read_text())
    try:
        done = cluster.run(word, "app", check=1)
        assert str(pid) in done.err and processes.alive(pid), done
    finally:
        os.kill(pid, signal.SIGKILL)
