"""Protects: nothing a client sends, or fails to send, harms the daemon or another client."""

import json
import os
import random
import socket
import threading

import pytest

from harness import apps, processes
from harness.control_socket import ControlSocket

FRAME_BYTES_MAX = 8 << 20

MALFORMED = {
    "not json": b"hello\n",
    "array": b"[1,2,3]\n",
    "number": b"17\n",
    "empty line": b"\n",
    "no op": b'{"id":1}\n',
    "no id": b'{"op":"ping"}\n',
    "id is text": b'{"id":"one","op":"ping"}\n',
    "op is a number": b'{"id":1,"op":7}\n',
    "args is a list": b'{"id":1,"op":"list","args":[]}\n',
    "invalid utf-8": b'{"id":1,"op":"\xff\xfe"}\n',
    "nul bytes": b"\0\0\0\n",
    "unpaired surrogate": b'{"id":1,"op":"list","args":{"targets":["\\ud800"]}}\n',
    "deep": b"[" * 200_000 + b"\n",
    "huge number": b'{"id":1e999,"op":"ping"}\n',
}


@pytest.mark.parametrize("what", MALFORMED)
def test_a_malformed_frame_is_answered_with_an_error(cluster, what):
    cluster.start(apps.sleeper())
    pid = cluster.pid("sleeper")
    with cluster.control() as control:
        control.send(MALFORMED[what])
        answer = control.read_message()
        assert answer is None or answer["ok"] is False, answer
        if answer:
            assert answer["error"]["code"] and answer["error"]["message"]
    assert cluster.pid("sleeper") == pid


@pytest.mark.parametrize(
    "op,args",
    [
        ("frobnicate", {}),
        ("list", {"targtes": []}),
        ("stop", {}),
        ("stop", {"targets": "sleeper"}),
        ("stop", {"targets": [7]}),
        ("scale", {"target": "sleeper", "count": "lots"}),
        ("signal", {"targets": ["sleeper"], "signal": 999}),
        ("start", {"apps": [{"name": "x"}]}),
        ("start", {"apps": 7, "mode": "new"}),
        ("env", {"id": "zero"}),
        ("stop", {"targets": ["sleeper"], "wait": "yes"}),
        ("logs", {"targets": [], "streams": ["in"], "follow": False}),
    ],
    ids=str,
)
def test_a_wrong_request_is_an_error_and_the_connection_lives_on(cluster, op, args):
    cluster.start(apps.sleeper())
    with cluster.control() as control:
        answer = control.request(op, args)
        assert answer["ok"] is False and answer["error"]["message"], answer
        assert control.request("ping", request_id=2)["ok"] is True
    assert cluster.statuses("sleeper") == ["online"]


def test_a_frame_beyond_the_limit_is_refused_without_being_stored(cluster):
    cluster.run("list")
    daemon = cluster.daemon_pid()
    before = processes.memory_kib(daemon)
    with cluster.control() as control:
        try:
            for _ in range(3 * FRAME_BYTES_MAX // 65536):
                control.send(b"x" * 65536)
        except OSError:
            pass  # the daemon has hung up, as it should
        answer = control.read_line()
        assert answer == b"" or json.loads(answer)["ok"] is False
    cluster.run("list")
    assert processes.memory_kib(daemon) - before < 2 * FRAME_BYTES_MAX // 1024


def test_a_frame_of_a_megabyte_is_fine(cluster):
    cluster.run("list")
    with cluster.control() as control:
        assert control.request("stop", {"targets": ["x" * 1_000_000]})["error"]["code"] == "not_found"


def test_random_bytes_and_mutated_requests_never_hurt(cluster):
    cluster.start(apps.sleeper(instances=2))
    before, dice = cluster.pids("sleeper"), random.Random(20240817)
    valid = [
        b'{"id":1,"op":"list","args":{}}\n',
        b'{"id":2,"op":"describe","args":{"target":"sleeper"}}\n',
        b'{"id":3,"op":"logs","args":{"targets":[],"streams":["out"],"follow":true}}\n',
        b'{"id":4,"op":"doctor"}\n',
    ]
    for _ in range(150):
        data = (
            bytearray(dice.choice(valid) * dice.randint(1, 3))
            if dice.random() < 0.7
            else bytearray(dice.randbytes(200))
        )
        for _ in range(dice.randint(1, 8)):
            data[dice.randrange(len(data))] = dice.randrange(256)
        with cluster.control() as control:
            control.send(bytes(data) + b"\n")
            control.socket.settimeout(0.05)
            try:
                control.read_line()
            except TimeoutError:
                pass
    assert cluster.pids("sleeper") == before


def test_a_client_that_sends_half_a_line_holds_up_nobody(cluster):
    cluster.run("list")
    with cluster.control() as half:
        half.send(b'{"id":1,"op":"li')
        assert cluster.run("list").seconds < 5
        half.send(b'st"}\n')
        assert half.read_message()["ok"] is True


def test_a_client_that_never_reads_holds_up_nobody_and_grows_nothing(cluster):
    cluster.start(apps.sleeper(instances=20))
    daemon = cluster.daemon_pid()
    before = processes.memory_kib(daemon)
    with cluster.control() as deaf:
        deaf.socket.setblocking(False)
        request = b'{"id":1,"op":"list","args":{}}\n'
        try:
            for _ in range(3000):
                deaf.send(request)
        except OSError:
            pass  # the daemon reads no further, or hung up
        assert cluster.run("list").seconds < 5
        assert processes.memory_kib(daemon) - before < 32_000


def test_many_requests_on_one_connection_are_all_answered_with_their_ids(cluster):
    cluster.run("list")
    with cluster.control() as control:
        control.send(b"".join(b'{"id":%d,"op":"ping"}\n' % number for number in range(200)))
        assert sorted(control.read_message()["id"] for _ in range(200)) == list(range(200))


def test_a_flood_of_connections_does_not_keep_the_daemon_from_its_work(cluster):
    cluster.run("list")
    daemon = cluster.daemon_pid()
    descriptors = len(processes.descriptors(daemon))
    crowd = []
    try:
        for _ in range(300):
            crowd.append(ControlSocket(cluster.home, timeout=2))
    except (OSError, ValueError):
        pass  # a limit is fine; it must be gone with the crowd
    for client in crowd:
        client.close()
    cluster.wait_for(
        "the descriptors to be closed", lambda: len(processes.descriptors(daemon)) <= descriptors + 1
    )
    cluster.run("list")


def test_a_closed_connection_never_ends_an_operation(cluster):
    path = cluster.ecosystem(apps.sleeper())
    cluster.run("start", path)
    pid = cluster.pid("sleeper")
    with cluster.control() as control:
        control.send(b'{"id":1,"op":"restart","args":{"targets":["sleeper"],"wait":true}}\n')
    cluster.wait_for("the restart", lambda: cluster.pids("sleeper") not in ([], [pid]))


def test_a_list_has_only_the_fields_that_are_asked_for(cluster):
    cluster.start(apps.sleeper("web", instances=2))
    with cluster.control() as control:
        result = control.request("list", {"fields": ["name", "slot", "no such field"]})["result"]
    assert result["instances"] == [{"name": "web", "slot": 0}, {"name": "web", "slot": 1}]


def test_greeting_names_version_protocol_and_pid(cluster):
    cluster.run("list")
    with cluster.control() as control:
        assert control.greeting["protocol"] == 1 and control.greeting["clusterd"]
        assert os.path.exists(f"/proc/{control.greeting['pid']}")


def fake_daemon(cluster, greeting: bytes):
    """Listens where the daemon would, says `greeting` to one client and closes."""
    cluster.home.mkdir(mode=0o700)
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(cluster.home / "control.sock"))
    server.listen()

    def serve():
        while True:
            try:
                client, _ = server.accept()
            except OSError:
                return
            with client:
                client.sendall(greeting)

    threading.Thread(target=serve, daemon=True).start()
    return server


@pytest.mark.parametrize(
    "greeting",
    [b'{"clusterd":"9.9.9","protocol":999,"pid":1}\n', b"HTTP/1.1 200 OK\r\n\r\n", b"{}\n"],
    ids=["newer", "other program", "empty"],
)
def test_a_daemon_of_another_kind_is_named_and_left_alone(cluster, greeting):
    server = fake_daemon(cluster, greeting)
    try:
        done = cluster.run("list", check=8, timeout=30)
        assert 1 <= done.err.strip().count("\n") + 1 <= 3, done
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()


@pytest.mark.parametrize("greeting", [b"", b'{"clusterd":'], ids=["silence", "cut off"])
def test_a_greeting_that_breaks_off_ends_in_an_answer_or_an_error(cluster, greeting):
    server = fake_daemon(cluster, greeting)
    try:
        done = cluster.run("list", check=None, timeout=30)
        assert (
            done.status in (0, 5, 8) and done.err.strip()
        ), done  # nobody holds the lock: taking over is fine
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()
