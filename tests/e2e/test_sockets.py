"""Protects: one port belongs to one app, all its instances share it, and it is free when the app is gone."""

import os
import re
import signal
import socket

import pytest

from harness import apps, http, processes
from harness.ports import can_bind, free_port


def listeners(cluster, name="web") -> list[dict]:
    return cluster.run("describe", name, "--json").json()["apps"][0]["listeners"]


def described_port(cluster) -> int:
    return int(re.search(r":(\d+)$", listeners(cluster)[0]["address"]).group(1))


@pytest.mark.parametrize("how", ["bound by the app", "declared"])
def test_each_killed_instance_gets_its_socket_back(cluster, port, how):
    words, keys = (
        ([], {}) if how == "bound by the app" else (["--inherit"], {"listen": [f"127.0.0.1:{port}"]})
    )
    cluster.start(
        apps.web(cluster, port, *words, instances=2, min_uptime=100, exp_backoff_restart_delay=20, **keys)
    )
    for number in range(10):
        victim = cluster.wait_status("web", "online", 2)[number % 2]["pid"]
        os.kill(victim, signal.SIGKILL)
        cluster.wait_for("the successor", lambda: victim not in cluster.pids("web"))
        assert http.get(port)
    cluster.wait_status("web", "online", 2)


def test_any_free_port_is_one_port_for_all_instances_and_stays(cluster):
    cluster.start(apps.web(cluster, 0, "--inherit", instances=4, listen=["127.0.0.1:0"]))
    port = described_port(cluster)
    assert port > 0
    assert len(http.distinct_answers(port, 2)) >= 2
    cluster.run("reload", "web")
    assert described_port(cluster) == port and http.get(port)


def test_port_zero_bound_by_the_app_is_left_to_the_app(cluster):
    cluster.start(apps.web(cluster, 0, instances=2))
    assert cluster.statuses("web") == ["online"] * 2


def test_a_changed_address_moves_the_app_and_frees_the_old_one(cluster, port):
    other = free_port()
    cluster.start(apps.web(cluster, port, "--inherit", instances=2, listen=[f"127.0.0.1:{port}"]))
    cluster.start(apps.web(cluster, port, "--inherit", instances=2, listen=[f"127.0.0.1:{other}"]))
    assert http.get(other)
    cluster.wait_for("the old port to be free", lambda: can_bind(port))


def test_a_changed_address_that_is_taken_changes_nothing(cluster, port):
    with socket.create_server(("127.0.0.1", free_port())) as taken:
        cluster.start(apps.web(cluster, port, "--inherit", listen=[f"127.0.0.1:{port}"]))
        pid = cluster.pid("web")
        done = cluster.start(
            apps.web(cluster, port, "--inherit", listen=[f"127.0.0.1:{taken.getsockname()[1]}"]), check=None
        )
        assert done.status != 0 and str(taken.getsockname()[1]) in done.err, done
        assert cluster.pid("web") == pid and http.get(port)


@pytest.mark.parametrize("how", ["bound by the app", "declared"])
def test_a_port_taken_by_a_stranger_is_a_clear_error(cluster, how):
    with socket.create_server(("127.0.0.1", free_port())) as taken:
        port = taken.getsockname()[1]
        words, keys = (
            ([], {}) if how == "bound by the app" else (["--inherit"], {"listen": [f"127.0.0.1:{port}"]})
        )
        done = cluster.start(apps.web(cluster, port, *words, max_restarts=1, **keys), check=None)
    assert done.status != 0
    assert re.search(r"in use|already", done.err, re.IGNORECASE), done


def test_two_apps_on_one_port_do_not_share_it(cluster, port):
    cluster.start(apps.web(cluster, port))
    done = cluster.start(apps.web(cluster, port, name="thief", version="thief", max_restarts=1), check=None)
    assert done.status != 0 and re.search(r"in use|already", done.err, re.IGNORECASE), done
    assert {http.get(port).split()[1] for _ in range(20)} == {"v1"}


def test_a_second_bind_of_the_same_port_in_one_instance_fails_as_it_always_did(cluster, port):
    body = (
        "import socket, sys, time\na = socket.socket(); a.bind(('127.0.0.1', %d)); a.listen()\n"
        "b = socket.socket()\ntry: b.bind(('127.0.0.1', %d))\n"
        "except OSError as e: print(e.errno, flush=True)\n"
        "else: print('bound twice', flush=True)\ntime.sleep(100000)\n" % (port, port)
    )
    cluster.start(apps.QUICK | {"name": "twice", "script": "/usr/bin/python3", "args": ["-c", body]})
    cluster.wait_for("its report", lambda: cluster.log("twice") == "98\n")


def test_client_sockets_and_udp_are_left_alone(cluster, port):
    body = (
        "import socket, time\nu = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "u.bind(('127.0.0.1', %d))\nc = socket.socket(); c.bind(('127.0.0.1', 0))\n"
        "print(u.getsockname()[1], c.getsockname()[1] > 0, flush=True)\n"
        "time.sleep(100000)\n" % port
    )
    cluster.start(apps.QUICK | {"name": "client", "script": "/usr/bin/python3", "args": ["-c", body]})
    cluster.wait_for("its report", lambda: cluster.log("client") == f"{port} True\n")


@pytest.mark.parametrize("order", ["stop", "delete"])
def test_a_port_is_free_or_refuses_when_the_app_is_down(cluster, port, order):
    cluster.start(apps.web(cluster, port, instances=2))
    cluster.run(order, "web")
    with pytest.raises(ConnectionRefusedError):
        http.connect(port)
    if order == "delete":
        assert can_bind(port)
    else:
        cluster.run("start", "web")
        assert http.get(port)


def test_ipv4_and_ipv6_wildcards_together_serve_both(cluster, port):
    cluster.start(
        apps.web(cluster, port, "--inherit", instances=2, listen=[f"0.0.0.0:{port}", f"[::]:{port}"])
    )
    assert http.get(("127.0.0.1", port)) and http.get(("::1", port))


def test_dual_stack_serves_both_from_one_socket(cluster, port):
    cluster.start(apps.web(cluster, port, "--inherit", instances=2, listen=[f"*:{port}"]))
    assert http.get(("127.0.0.1", port)) and http.get(("::1", port))


def test_an_ipv6_address_bound_by_the_app_is_shared_too(cluster, port):
    cluster.start(apps.web(cluster, port, "--host", "::1", instances=4))
    assert len(http.distinct_answers(("::1", port), 2)) >= 2


def test_an_app_that_sets_reuseport_itself_is_shared_all_the_same(cluster, port):
    cluster.start(apps.web(cluster, port, "--reuseport", instances=2))
    cluster.run("reload", "web")
    assert cluster.statuses("web") == ["online"] * 2 and http.get(port)


def test_a_stale_unix_socket_is_replaced_and_a_file_in_its_place_is_not(cluster, port):
    stale, precious = cluster.root / "stale.sock", cluster.root / "precious.sock"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(stale))
    precious.write_text("precious")
    cluster.start(apps.web(cluster, port, "--inherit", listen=[f"unix:{stale}"]))
    assert http.get(str(stale))
    done = cluster.start(
        apps.web(cluster, port, "--inherit", name="other", listen=[f"unix:{precious}"]), check=None
    )
    assert done.status != 0 and "precious.sock" in done.err, done
    assert precious.read_text() == "precious"


def test_fork_mode_leaves_the_sockets_to_the_app(cluster, port):
    cluster.start(apps.web(cluster, port, exec_mode="fork"))
    assert http.get(port)
    done = cluster.start(
        apps.web(cluster, port, name="second", exec_mode="fork", max_restarts=1, min_uptime=500), check=None
    )
    assert done.status != 0, "two forked apps cannot have the same port"


def test_an_app_started_by_an_unprivileged_daemon_shares_its_port_too(any_user_cluster, port):
    any_user_cluster.start(apps.web(any_user_cluster, port, "--work", "3", instances=3))
    assert len(http.distinct_answers(port, 3)) == 3


def test_every_instance_gets_its_share_of_many_connections(cluster, port):
    cluster.start(apps.web(cluster, port, "--work", "2", instances=4))
    count = {}
    for _ in range(25):
        clients = [http.connect(port) for _ in range(16)]
        for client in clients:
            client.sendall(http.REQUEST % b"/")
        for client in clients:
            pid = http.read_all(client).split(b"\r\n\r\n")[1].split()[0]
            count[pid] = count.get(pid, 0) + 1
            client.close()
    assert sum(count.values()) == 400 and len(count) == 4, count


def test_a_frozen_instance_takes_nothing_from_a_shared_socket(cluster, port):
    cluster.start(apps.web(cluster, port, instances=2, balance="shared"))
    frozen, other = cluster.pids("web")
    os.kill(frozen, signal.SIGSTOP)
    try:
        assert {http.get(port).split()[0] for _ in range(10)} == {str(other)}
    finally:
        processes.send_signal(frozen, signal.SIGCONT)
