"""Protects: `adopt` puts an app in the place of a running server without losing a connection, or changes nothing."""

import contextlib
import os
import signal
import subprocess
import sys

import pytest

from harness import http, processes
from harness.cluster import NOBODY_USER
from harness.load import Load
from harness.ports import free_port

NODE_SERVER = """
const http = require('http');
const server = http.createServer((request, answer) => answer.end('pid ' + process.pid));
server.listen(+process.argv[2], '127.0.0.1');
for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => server.close(() => process.exit(0)));
"""

TWO_PORTS = """
import http.server, os, sys, threading
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *words): pass
    def do_GET(self):
        body = f"pid {os.getpid()} {os.environ['COLOUR']} {os.getcwd()}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
servers = [http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Handler) for port in sys.argv[1:]]
for server in servers[1:]: threading.Thread(target=server.serve_forever, daemon=True).start()
servers[0].serve_forever()
"""


@pytest.fixture
def by_hand(any_user_cluster):
    """Starts programs as a user does, without clusterd."""
    started = []

    def start(*words, env: dict | None = None, user=any_user_cluster.user):
        process = subprocess.Popen(
            [str(word) for word in words],
            env=any_user_cluster.environment(env),
            cwd=any_user_cluster.work,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
            **user.process_options(),
        )
        started.append(process)
        any_user_cluster.wait_for("its command line", lambda: processes.command_line(process.pid))
        return process

    yield start
    for process in started:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def spec_of(cluster, name: str) -> dict:
    with cluster.control() as control:
        return control.request("describe", {"target": name})["result"]["apps"][0]["spec"]


def serving(cluster, target):
    cluster.wait_for(f"an answer on {target}", lambda: http.serves(target))


def test_a_server_under_load_is_adopted_and_then_reloaded(any_user_cluster, by_hand, port):
    cluster = any_user_cluster
    server = by_hand(cluster.program("t-http"), "--port", port, "--graceful")
    serving(cluster, port)
    with Load(("127.0.0.1", port), keepalive=4) as load:
        done = cluster.run("adopt", server.pid, "--name", "web", "-i", "2")
        assert server.wait(10) == 0
        cluster.run("reload", "web")
        cluster.run("restart", "web.1")
    assert "took the place of process" in done.err
    assert not load.tally.failures, load.tally
    assert cluster.statuses("web") == ["online", "online"]
    assert spec_of(cluster, "web")["args"] == ["--port", str(port), "--graceful"]


def test_a_node_server_becomes_a_script_with_its_interpreter(any_user_cluster, by_hand, port):
    cluster = any_user_cluster
    cluster.write("app.js", NODE_SERVER)
    server = by_hand("node", "app.js", port)
    serving(cluster, port)
    with Load(("127.0.0.1", port), keepalive=0) as load:
        cluster.run("adopt", server.pid)
        server.wait(10)
        cluster.run("reload", "app")
    assert not load.tally.failures, load.tally
    spec = spec_of(cluster, "app")
    assert spec["script"] == str(cluster.work / "app.js") and spec["args"] == [str(port)]


def test_folder_environment_and_all_addresses_come_along(any_user_cluster, by_hand):
    cluster = any_user_cluster
    first, second = free_port(), free_port()
    cluster.write("two.py", TWO_PORTS)
    server = by_hand(sys.executable, "two.py", first, second, env={"COLOUR": "deep blue"})
    serving(cluster, first)
    serving(cluster, second)
    cluster.run("adopt", server.pid)
    server.wait(10)
    for port in (first, second):
        assert http.get(port) == f"pid {cluster.pid('two')} deep blue {cluster.work}"


def test_what_does_not_come_up_leaves_the_running_one_alone(any_user_cluster, by_hand, port):
    cluster = any_user_cluster
    body = f'[ -e broken ] && exit 3; exec {cluster.program("t-http")} --port {port}'
    server = by_hand("/bin/bash", "-c", f"sleep 0; {cluster.program('t-http')} --port {port}")
    serving(cluster, port)
    cluster.script("once", body)
    cluster.write("broken", "")
    refused = cluster.run("adopt", server.pid, "--name", "web", "--interpreter", cluster.work / "once", check=None)
    assert refused.status != 0 and "was left as it is" in refused.err, refused
    assert cluster.views("web") == []
    assert server.poll() is None and http.serves(port)


def test_an_app_that_does_not_listen_there_is_not_taken_for_it(any_user_cluster, by_hand):
    cluster = any_user_cluster
    old, new = free_port(), free_port()
    cluster.write("port", str(old))
    body = f'exec {cluster.program("t-http")} --port $(cat port)'
    cluster.script("server", body.replace("exec ", "sleep 0; "))
    server = by_hand("/bin/bash", "server")
    serving(cluster, old)
    cluster.write("port", str(new))
    refused = cluster.run("adopt", server.pid, "--listen-timeout", "1000", check=None)
    # Within the second it is not even ready on a busy machine.
    said = (f"does not listen on 127.0.0.1:{old}", "it did not listen")
    assert refused.status != 0 and any(words in refused.err for words in said), refused
    assert cluster.views("server") == []
    assert http.serves(old)


def test_the_children_of_what_was_adopted_end_too(any_user_cluster, by_hand, port):
    cluster = any_user_cluster
    wrapper = by_hand("/bin/bash", "-c", f"sleep 0; {cluster.program('t-http')} --port {port} --graceful; exit 0")
    serving(cluster, port)
    (child,) = processes.children(wrapper.pid)
    with Load(port, keepalive=0) as load:
        cluster.run("adopt", wrapper.pid, "--name", "web")
        assert not processes.alive(child)
        wrapper.wait(10)
    assert not load.tally.failures, load.tally


def test_a_rewritten_command_line_is_no_command(any_user_cluster, by_hand, port):
    cluster = any_user_cluster
    cluster.write("app.js", "process.title = 'web: worker';\n" + NODE_SERVER)
    server = by_hand("node", "app.js", port)
    serving(cluster, port)
    refused = cluster.run("adopt", server.pid, check=6)
    assert "calls itself 'web: worker'" in refused.err, refused
    assert server.poll() is None
    cluster.run("adopt", server.pid, "--name", "web", "--", "node", "app.js", port)
    server.wait(10)
    assert http.get(port) == f"pid {cluster.pid('web')}"


def test_an_app_that_is_not_to_start_takes_nobodys_place(any_user_cluster, by_hand):
    cluster = any_user_cluster
    sleeper = by_hand("sleep", "100000")
    assert cluster.run("adopt", sleeper.pid, "--no-autostart", check=2)
    assert sleeper.poll() is None and cluster.views("sleep") == []


@pytest.mark.needs_root
def test_root_leaves_a_process_to_its_user(cluster, port):
    server = subprocess.Popen(
        [cluster.program("t-http"), "--port", str(port), "--graceful"], cwd="/", **NOBODY_USER.process_options()
    )
    try:
        serving(cluster, port)
        cluster.run("adopt", server.pid, "--name", "web")
        server.wait(10)
        assert http.serves(port)
        assert os.stat(f"/proc/{cluster.pid('web')}").st_uid == NOBODY_USER.uid
    finally:
        if server.poll() is None:
            server.kill()
        server.wait()


def test_a_program_without_sockets_is_adopted_too(any_user_cluster, by_hand):
    cluster = any_user_cluster
    sleeper = by_hand("sleep", "100000")
    cluster.run("adopt", sleeper.pid)
    assert sleeper.wait(10) == -signal.SIGTERM
    assert cluster.statuses("sleep") == ["online"]


def test_what_cannot_be_adopted_is_said(cluster):
    cluster.run("start", "sleep", "--name", "ours", "--", "100000")
    for word, status, words in (
        ("web", 2, "needs the id of a process"),
        ("1", 2, "needs the id of a process"),
        ("4194305", 4, "there is no such process"),
        (cluster.pid("ours"), 6, "of a clusterd already"),
        (cluster.daemon_pid(), 6, ""),
    ):
        done = cluster.run("adopt", word, check=None)
        assert done.status == status and words in done.err, done


@pytest.mark.needs_root
def test_nobody_adopts_a_process_of_another_user(make_cluster):
    cluster = make_cluster(NOBODY_USER)
    mine = subprocess.Popen(["sleep", "100000"])
    try:
        done = cluster.run("adopt", mine.pid, check=None)
        assert done.status == 7 and "another user's" in done.err, done
        assert processes.alive(mine.pid)
    finally:
        mine.kill()
        mine.wait()
