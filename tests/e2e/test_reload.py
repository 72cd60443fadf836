"""Protects: a reload loses no connection, keeps capacity, and brings every instance to the new generation."""

import os
import signal
import time

import pytest

from harness import apps, http, processes
from harness.load import Load
from harness.ports import free_port
from harness.waiting import hold_for, wait_for

LISTEN_ADDRESSES_MAX = 512  # as in docs/config.md


def assert_all_replaced(cluster, before, count):
    after = cluster.pids("web")
    assert len(after) == count and not set(before) & set(after), (before, after)
    assert cluster.statuses("web") == ["online"] * count


def assert_perfect(load: Load):
    assert not load.tally.failures, load.tally
    assert sum(load.tally.ok.values()) > 50, load.tally


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 4])
def test_ten_reloads_under_load_lose_nothing(any_user_cluster, port, count):
    cluster = any_user_cluster
    cluster.start(apps.web(cluster, port, "--work", "5", "--body", "20000", instances=count))
    with Load(port, rate=100, keepalive=8) as load:
        for _ in range(10):
            before = cluster.pids("web")
            cluster.run("reload", "web")
            assert_all_replaced(cluster, before, count)
    assert_perfect(load)
    assert len(load.tally.bodies) > 10 * count - 5  # the new ones really served


NODE_SERVER = """
const http = require('http');
const server = http.createServer((q, a) => setTimeout(() => a.end(process.pid + ' node\\n'), 5));
server.listen(PORT);
process.on('SIGINT', () => { server.close(() => process.exit(0)); });
"""


def test_reloads_of_a_graceful_node_server_lose_nothing(cluster, port):
    cluster.write("server.js", NODE_SERVER.replace("PORT", str(port)))
    apps.start_serving(cluster, apps.QUICK | {"name": "web", "script": "server.js", "instances": 2}, port)
    with Load(port, rate=60, keepalive=4) as load:
        for _ in range(3):
            before = cluster.pids("web")
            cluster.run("reload", "web")
            assert_all_replaced(cluster, before, 2)
    assert_perfect(load)


@pytest.mark.parametrize("count", [1, 2])
def test_a_slow_boot_is_waited_for_before_the_old_one_goes(cluster, port, count):
    apps.start_serving(cluster, apps.web(cluster, port, "--boot", "1200", instances=count), port)
    with Load(port, rate=100, keepalive=4) as load:
        cluster.run("reload", "web")
    assert_perfect(load)


@pytest.mark.slow
def test_requests_in_hand_are_finished_in_reload_after_reload(cluster, port):
    cluster.start(apps.web(cluster, port, "--work", "400", "--body", "50000", instances=4))
    with Load(port, rate=60, keepalive=6) as load:
        for _ in range(4):
            cluster.run("reload", "web")
    assert_perfect(load)


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("surge", [None, 3])
def test_never_fewer_ready_instances_than_before(cluster, port, count, surge):
    keys = {"max_surge": surge} if surge else {}
    cluster.start(apps.web(cluster, port, "--boot", "300", instances=count, **keys))
    reload = cluster.popen("reload", "web")
    samples = []
    while reload.poll() is None:
        samples.append(cluster.statuses("web").count("online"))
    assert reload.returncode == 0, reload.communicate()
    assert samples and min(samples) >= count, samples


def test_a_server_without_signal_handler_may_cut_its_own_requests_but_refuses_nobody(cluster, port):
    app = apps.web(cluster, port, instances=2)
    app["args"].remove("--graceful")
    cluster.start(app)
    with Load(port, rate=150, keepalive=0) as load:
        for _ in range(4):
            cluster.run("reload", "web")
    assert not {kind for kind, _ in load.tally.failures} & {"refused", "timeout", "wrong"}, load.tally


def test_an_old_instance_accepts_nothing_after_its_stop_signal(cluster, port):
    cluster.start(apps.web(cluster, port, "--work", "200", instances=1))
    with Load(port, rate=50, keepalive=0) as load:
        old = cluster.pid("web")
        cluster.run("reload", "web")
        cluster.wait_gone(old)
        asked_at = time.monotonic()
        cluster.wait_for(
            "answers of the new one",
            lambda: any(at > asked_at for at in list(load.tally.last_body_at.values())),
        )
    assert not load.tally.failures, load.tally
    assert load.tally.last_body_at[f"{old} v1"] < asked_at


@pytest.mark.parametrize("count", [1, 4])
def test_a_connection_without_end_delays_neither_the_new_one_nor_the_end_of_the_old(cluster, port, count):
    cluster.start(apps.web(cluster, port, instances=count, drain_timeout=700, kill_timeout=300))
    clients = [http.connect(port) for _ in range(3 * count)]
    for client in clients:
        client.sendall(http.REQUEST % b"/stream")
        assert client.recv(1)
    old = cluster.pids("web")
    reload = cluster.popen("reload", "web")
    cluster.wait_for("a new instance", lambda: set(cluster.pids("web")) - set(old), 10)
    assert reload.wait(timeout=30) == 0, reload.communicate()
    cluster.wait_gone(*old, deadline=5)
    for client in clients:
        client.close()
    assert len(cluster.pids("web")) == count


def test_generations_do_not_pile_up_behind_endless_downloads(cluster, port):
    cluster.start(apps.web(cluster, port, instances=2, drain_timeout=400, kill_timeout=200))
    clients = []
    for _ in range(6):
        clients.append(http.connect(port))
        clients[-1].sendall(http.REQUEST % b"/stream")
        cluster.run("reload", "web")
        assert len(cluster.pids("web")) <= 6
    cluster.wait_for("the old ones to end", lambda: len(cluster.pids("web")) == 2)
    running = [
        pid for pid in processes.mentioning(str(cluster.root)) if "t-http" in processes.command_line(pid)
    ]
    assert sorted(running) == sorted(cluster.pids("web"))
    for client in clients:
        client.close()


def test_two_reloads_at_once_end_in_one_generation_without_strays(cluster, port):
    cluster.start(apps.web(cluster, port, "--boot", "200", instances=8))
    before = cluster.pids("web")
    first = cluster.popen("reload", "web")
    cluster.wait_for("the first reload to begin", lambda: len(cluster.views("web")) > 8)
    second = cluster.run("reload", "web", check=None, timeout=60)
    first.communicate(timeout=60)
    assert second.status == 0, second
    cluster.wait_for("the old ones to end", lambda: len(cluster.pids("web")) == 8)
    assert len({view["generation"] for view in cluster.views("web")}) == 1
    running = [
        pid for pid in processes.mentioning(str(cluster.root)) if "t-http" in processes.command_line(pid)
    ]
    assert sorted(running) == sorted(cluster.pids("web")) and not set(running) & set(before)


def test_killing_the_command_does_not_end_the_reload(cluster, port):
    cluster.start(apps.web(cluster, port, "--boot", "300", instances=3))
    before = cluster.pids("web")
    command = cluster.popen("reload", "web")
    cluster.wait_for("the reload to begin", lambda: len(cluster.views("web")) > 3)
    command.kill()
    command.wait()
    cluster.wait_for(
        "all to be replaced",
        lambda: len(cluster.pids("web")) == 3 and not set(before) & set(cluster.pids("web")),
        20,
    )
    assert cluster.statuses("web") == ["online"] * 3


def test_stop_during_a_reload_wins(cluster, port):
    cluster.start(apps.web(cluster, port, "--boot", "500", instances=3))
    reload = cluster.popen("reload", "web")
    cluster.wait_for("the reload to begin", lambda: len(cluster.views("web")) > 3)
    cluster.run("stop", "web")
    reload.communicate(timeout=20)
    assert reload.returncode != 0
    hold_for(
        "everything is stopped",
        lambda: cluster.statuses("web") == ["stopped"] * 3 and not cluster.pids("web"),
        1.0,
    )


def test_delete_during_a_reload_wins(cluster, port):
    cluster.start(apps.web(cluster, port, "--boot", "500", instances=3))
    reload = cluster.popen("reload", "web")
    cluster.wait_for("the reload to begin", lambda: len(cluster.views("web")) > 3)
    cluster.run("delete", "web")
    reload.communicate(timeout=20)
    hold_for("nothing is left", lambda: cluster.instances() == [], 1.0)


def test_a_signal_to_the_daemon_rolls_all_apps(cluster, port):
    cluster.start(apps.web(cluster, port, instances=2), apps.sleeper())
    before = [view["pid"] for view in cluster.instances()]
    with Load(port, rate=50) as load:
        os.kill(cluster.daemon_pid(), signal.SIGHUP)
        cluster.wait_for(
            "all to be replaced",
            lambda: len(now := [v["pid"] for v in cluster.instances()]) == 3 and not set(now) & set(before),
            20,
        )
    assert_perfect(load)


def test_an_app_that_never_listens_is_replaced_once_the_new_one_has_lived_a_while(cluster):
    cluster.start(apps.sleeper("web", min_uptime=800))
    old = cluster.pid("web")
    reload = cluster.popen("reload", "web")
    cluster.wait_for("the new one", lambda: len(cluster.pids("web")) == 2)
    hold_for("both live", lambda: processes.alive(old), 0.4)
    assert reload.wait(timeout=10) == 0
    cluster.wait_gone(old)


def test_with_wait_ready_the_old_one_stays_until_ready_is_said(cluster, port):
    cluster.start(apps.web(cluster, port, "--ready-notify=1000", wait_ready=True))
    old = cluster.pid("web")
    reload = cluster.popen("reload", "web")
    cluster.wait_for("the new one to listen", lambda: cluster.log("web").count("listening") == 2)
    hold_for("the old one lives", lambda: processes.alive(old), 0.5)
    assert reload.wait(timeout=10) == 0, reload.communicate()
    cluster.wait_gone(old)


def test_a_reload_in_fork_mode_works_and_says_that_it_has_a_gap(cluster, port):
    cluster.start(apps.web(cluster, port, exec_mode="fork"))
    old = cluster.pid("web")
    done = cluster.run("reload", "web")
    assert "fork" in done.err, done
    assert int(http.get(port).split()[0]) == cluster.pid("web") != old


def test_a_reload_of_declared_addresses_keeps_the_same_shared_sockets(cluster, port):
    keys = {"balance": "shared", "listen": [f"127.0.0.1:{port}"]}
    cluster.start(apps.web(cluster, port, "--inherit", instances=2, **keys))
    inode = processes.descriptors(cluster.pids("web")[0])[3]
    with Load(port, rate=100) as load:
        for _ in range(2):
            cluster.run("reload", "web")
    assert_perfect(load)
    assert {processes.descriptors(pid)[3] for pid in cluster.pids("web")} == {inode}


def test_three_hundred_shared_sockets_survive_a_reload(cluster):
    ports = [free_port() for _ in range(300)]
    keys = {"balance": "shared", "listen": [f"127.0.0.1:{port}" for port in ports]}
    cluster.start(apps.web(cluster, ports[0], "--inherit", **keys))

    def sockets():
        held = processes.descriptors(cluster.pid("web"))
        return [held[fd] for fd in range(3, 303)]

    before = sockets()
    assert len(set(before)) == 300
    cluster.run("reload", "web")
    assert sockets() == before
    assert http.get(ports[0]) and http.get(ports[-1])


def test_too_many_listening_sockets_are_refused_with_the_limit(cluster):
    addresses = [f"127.0.0.1:{port}" for port in range(2000, 2001 + LISTEN_ADDRESSES_MAX)]
    done = cluster.start(apps.sleeper(listen=addresses), check=3)
    assert str(LISTEN_ADDRESSES_MAX) in done.err, done


def test_a_unix_socket_path_is_served_all_the_time(cluster, port):
    path = cluster.root / "app.sock"
    cluster.start(apps.web(cluster, port, "--inherit", instances=4, listen=[f"unix:{path}"]))
    inode = path.stat().st_ino
    with Load(str(path), rate=80, keepalive=2) as load:
        cluster.run("reload", "web")
        cluster.run("scale", "web", "6")
        cluster.run("scale", "web", "2")
        assert path.stat().st_ino == inode
    assert_perfect(load)
    os.kill(cluster.pids("web")[0], signal.SIGKILL)
    cluster.wait_status("web", "online", 2)
    assert http.get(str(path)) and path.stat().st_ino == inode
    cluster.run("delete", "web")
    assert not path.exists()


def test_scaling_up_and_down_under_load_loses_nothing(cluster, port):
    app = apps.web(cluster, port, "--work", "10", instances=2)
    cluster.start(app)
    with Load(port, rate=100, keepalive=6) as load:
        for word, count in (("4", 4), ("+2", 6), ("-3", 3), ("1", 1)):
            cluster.run("scale", "web", word)
            cluster.wait_status("web", "online", count)
        cluster.start(app | {"instances": 3})
        cluster.wait_status("web", "online", 3)
    assert_perfect(load)


def test_settings_are_the_same_after_every_operation(cluster, port):
    app = apps.web(
        cluster,
        port,
        "--ready-notify",
        instances=2,
        wait_ready=True,
        listen_timeout=7777,
        kill_timeout=888,
        drain_timeout=999,
        min_uptime=111,
        max_restarts=44,
        restart_delay=55,
        stop_exit_codes=[6],
        kill_signal="SIGINT",
        max_surge=2,
        instance_var="SLOT",
        merge_logs=True,
        namespace="shop",
    )
    cluster.start(app)
    spec = lambda: cluster.run("describe", "web", "--json").json()["apps"][0]["spec"]  # noqa: E731
    before = spec()
    for words in (
        ["reload", "web"],
        ["restart", "web"],
        ["stop", "web"],
        ["start", "web"],
        ["save"],
        ["kill"],
        ["resurrect"],
    ):
        cluster.run(*words)
        if words[0] != "kill":
            assert spec() == before, words
    cluster.run("scale", "web", "3")
    changed = {key for key in before if spec().get(key) != before[key]}
    assert changed <= {"instances"}


def test_a_client_that_waits_in_the_queue_is_served_by_the_new_instance(cluster, port):
    cluster.start(apps.web(cluster, port))
    old = cluster.pid("web")
    os.kill(old, signal.SIGSTOP)
    client = http.connect(port, timeout=20)
    client.sendall(http.REQUEST % b"/")
    cluster.run("reload", "web")
    answer = http.read_all(client).split(b"\r\n\r\n")[1]
    client.close()
    assert int(answer.split()[0]) == cluster.pid("web") != old
    wait_for("the frozen one to be killed", lambda: not processes.alive(old), 10)
