"""Orders that meet other orders in the middle: none of them is lost, none breaks another."""

import json
import os
import socket

import pytest
from harness import apps, http
from harness.control_socket import ControlSocket


def reload_in_progress(cluster, count):
    command = cluster.popen("reload", "web")
    cluster.wait_for("the reload to begin", lambda: len(cluster.views("web")) > count)
    return command


def finish(command, status=0):
    out, err = command.communicate(timeout=60)
    assert command.returncode == status, (out, err)
    return err


def test_a_start_during_a_reload_leaves_the_reload_whole(cluster, port):
    app = apps.web(cluster, port, instances=3, max_surge=1)
    apps.start_serving(cluster, app, port)
    command = reload_in_progress(cluster, 3)
    cluster.start(app)
    finish(command)
    views = cluster.views("web")
    assert len(views) == 3 and len({view["generation"] for view in views}) == 1, views


def test_one_instance_stopped_and_started_during_a_reload_ends_in_the_new_version(cluster, port):
    apps.start_serving(cluster, apps.web(cluster, port, instances=3, max_surge=1), port)
    last = str(cluster.views("web")[2]["id"])
    command = reload_in_progress(cluster, 3)
    cluster.run("stop", last)
    cluster.run("start", last)
    finish(command)
    views = cluster.views("web")
    assert len(views) == 3 and len({view["generation"] for view in views}) == 1, views


def test_a_plain_reload_behind_a_change_of_the_file_reloads_what_the_file_made_of_it(cluster, port):
    apps.start_serving(cluster, apps.web(cluster, port, instances=2), port)
    changed = cluster.ecosystem(apps.web(cluster, port, instances=2, version="v2"))
    first = cluster.popen("start", changed)
    cluster.wait_for("the reload to begin", lambda: len(cluster.views("web")) > 2)
    cluster.run("reload", "web", timeout=60)
    finish(first)
    assert http.get(port).split()[1] == "v2"


def test_a_scale_during_a_reload_keeps_its_count_through_the_queued_one(cluster, port):
    apps.start_serving(cluster, apps.web(cluster, port, instances=2, max_surge=1), port)
    first = reload_in_progress(cluster, 2)
    second = cluster.popen("reload", "web")
    cluster.run("scale", "web", "4", timeout=60)
    finish(first)
    finish(second)
    assert cluster.statuses("web") == ["online"] * 4


@pytest.mark.parametrize("count", [1, 4])
def test_a_failed_change_of_version_and_count_takes_both_back(cluster, port, count):
    apps.start_serving(cluster, apps.web(cluster, port, instances=2), port)
    before = cluster.pids("web")
    broken = cluster.script("broken", "exit 3")
    cluster.start(apps.web(cluster, port, instances=count) | {"script": str(broken), "args": []}, check=1)
    cluster.wait_for("the old count", lambda: cluster.statuses("web") == ["online"] * 2)
    assert cluster.pids("web") == before


def test_the_pid_file_names_the_new_process_after_a_reload(cluster, port):
    path = cluster.work / "web.pid"
    apps.start_serving(cluster, apps.web(cluster, port, pid_file=str(path)), port)
    cluster.run("reload", "web")
    assert path.read_text().strip() == str(cluster.pid("web"))


def test_a_pid_file_that_is_a_pipe_or_a_link_blocks_and_harms_nobody(cluster):
    pipe, link, victim = cluster.work / "pipe", cluster.work / "link", cluster.write("victim", "keep me")
    os.mkfifo(pipe)
    link.symlink_to(victim)
    cluster.start(apps.sleeper("a", pid_file=str(pipe)), apps.sleeper("b", pid_file=str(link)))
    assert victim.read_text() == "keep me"


def test_without_wait_a_request_that_cannot_be_carried_out_is_an_error_all_the_same(cluster):
    cluster.start(apps.sleeper("web"))
    other = cluster.script("other", "exec sleep 100")
    cluster.run("start", other, "--name", "web", "--no-wait", check=6)
    assert cluster.statuses("web") == ["online"]


def test_what_has_given_up_refuses_its_clients_instead_of_queueing_them(cluster, port):
    cluster.start(apps.web(cluster, port, "--crash-after", "400", max_restarts=0, min_uptime=5000), check=None)
    cluster.wait_status("web", "errored")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=5)


def test_nothing_is_started_by_a_daemon_that_is_ending(cluster):
    cluster.start(apps.sleeper("slow") | {"script": cluster.program("t-stubborn"), "args": ["TERM"], "kill_timeout": 3000})
    with ControlSocket(cluster.home) as control:
        control.send(b'{"id":1,"op":"kill"}\n')
        spec = {"name": "late", "script": "/bin/sleep", "args": ["1000"], "cwd": "/"}
        response = control.request("start", {"apps": [spec], "mode": "new"}, request_id=2)
        assert not response["ok"] and "ending" in response["error"]["message"], response


def test_a_client_that_has_said_all_it_wants_still_gets_its_answer(cluster):
    cluster.start(apps.sleeper())
    with ControlSocket(cluster.home) as control:
        control.send(json.dumps({"id": 5, "op": "reload", "args": {"targets": ["sleeper"]}}).encode() + b"\n")
        control.socket.shutdown(socket.SHUT_WR)
        answers = []
        while message := control.read_message():
            answers.append(message)
    assert answers and answers[-1].get("ok") is True and answers[-1]["id"] == 5, answers


def test_a_delete_that_takes_long_can_be_hurried(cluster):
    cluster.start(apps.sleeper("slow") | {"script": cluster.program("t-stubborn"), "args": ["TERM"], "kill_timeout": -1})
    patient = cluster.popen("delete", "slow")
    cluster.wait_status("slow", "stopping")
    cluster.run("delete", "slow", "--now")
    finish(patient)
    assert not cluster.views("slow")
