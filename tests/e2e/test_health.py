"""Protects: an instance that works no more is replaced, new before old, a few at a time, and with patience."""

import os
import re
import time

import pytest

from harness import apps, http

SERVER = """
import http.server, os, sys
folder = sys.argv[1]
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def do_GET(self):
        sick = os.path.exists(f'{folder}/backend-down') or os.path.exists(f'{folder}/sick-{os.getpid()}')
        status = 503 if self.path == '/health' and sick else 200
        body = str(os.getpid()).encode()
        self.send_response(status)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(('127.0.0.1', int(os.environ['PORT'])), Handler).serve_forever()
"""


def server(cluster, port: int, **keys) -> dict:
    health = {"check": "http://:${PORT}/health", "interval": 100, "timeout": 2000, "threshold": 3}
    return (
        apps.QUICK
        | {
            "name": "web",
            "script": "/usr/bin/python3",
            "args": ["-c", SERVER, str(cluster.folder("signs"))],
            "env": {"PORT": str(port)},
            "increment_var": "PORT",
            "health": health,
            "exp_backoff_restart_delay": 300,
        }
        | keys
    )


def sign(cluster, name: str):
    path = cluster.folder("signs") / name
    path.touch()
    return path


def wait_healthy(cluster, count: int = 1):
    def reached():
        views = cluster.views("web")
        return len(views) == count and all(v["health"] and v["health"]["state"] == "passing" for v in views)

    cluster.wait_for(f"{count} healthy instances", reached, 20)


def test_a_sick_instance_is_replaced_before_it_goes(cluster, port):
    cluster.start(server(cluster, port))
    wait_healthy(cluster)
    old = cluster.pid("web")
    sign(cluster, f"sick-{old}")
    deadline = time.monotonic() + 20
    while old in cluster.pids("web"):
        assert http.serves(port), "the app was not served while it was replaced"
        assert time.monotonic() < deadline, cluster.daemon_log()
    wait_healthy(cluster)
    assert cluster.pid("web") != old
    assert "answered 503 (3 times in a row)" in cluster.daemon_log()
    assert "/health answered 503 (" in cluster.view("web")["reason"]
    assert "/health answered 503 (" in cluster.run("describe", "web").out


def test_only_the_sick_one_of_several_is_replaced(cluster, port):
    # Checked from the moment it listens: Python may take its time on a busy machine.
    cluster.start(server(cluster, port, instances=2, ready="listening"))
    wait_healthy(cluster, 2)
    sick, well = cluster.pids("web")
    sign(cluster, f"sick-{sick}")
    cluster.wait_for("the sick one to go", lambda: sick not in cluster.pids("web"), 20)
    wait_healthy(cluster, 2)
    assert well in cluster.pids("web")


def test_a_backend_that_is_down_for_all_takes_nobody_down(cluster, port):
    cluster.start(server(cluster, port, instances=2))
    wait_healthy(cluster, 2)
    old = set(cluster.pids("web"))
    down = sign(cluster, "backend-down")

    def tried_twice():
        assert old <= set(cluster.pids("web")), "one that still serves was taken down"
        assert len(cluster.pids("web")) <= 3, "more than max_surge at a time"
        return cluster.daemon_log().count("waiting restart") >= 2

    cluster.wait_for("two successors to fail", tried_twice, 30)
    down.unlink()
    wait_healthy(cluster, 2)
    assert set(cluster.pids("web")) & old


def test_a_first_start_that_is_never_healthy_pauses_longer_and_longer(cluster, port):
    sign(cluster, "backend-down")
    cluster.start(server(cluster, port, max_restarts=2))
    view = cluster.wait_status("web", "errored", deadline=30)[0]
    # On a busy machine the server may not even have opened its port by then.
    assert re.search(r"health: http://:\$\{PORT\}/health (answered 503|Connection refused)", view["reason"]), view


def test_a_reload_waits_for_the_first_passed_check(cluster, port):
    cluster.start(server(cluster, port))
    wait_healthy(cluster)
    old = cluster.pid("web")
    sign(cluster, "backend-down")
    done = cluster.start(server(cluster, port, health={"check": "http://:${PORT}/health", "interval": 150}), check=None)
    assert done.status != 0 and "answered 503" in done.err, done
    assert old in cluster.pids("web")


def test_a_command_is_a_check_too(cluster):
    gate = cluster.work / "well"
    gate.touch()
    health = {"check": f"exec:test -e {gate}", "interval": 100, "threshold": 2}
    cluster.start(apps.sleeper(health=health, exec_mode="fork"))
    pid = cluster.pid("sleeper")
    cluster.wait_for("a passed check", lambda: cluster.view("sleeper")["health"]["state"] == "passing")
    cluster.wait_for("it to be stable", lambda: cluster.view("sleeper")["uptime_ms"] > 600)
    gate.unlink()
    cluster.wait_for("it to be replaced", lambda: pid not in cluster.pids("sleeper"), 20)
    gate.touch()
    cluster.wait_status("sleeper", "online", deadline=20)
    assert "exited with code 1 (" in cluster.daemon_log()


def test_a_check_that_hangs_is_ended_with_its_app(cluster):
    marker = f"exec:sh -c 'sleep 4711; echo {cluster.root}'"
    cluster.start(apps.sleeper(health={"check": marker, "timeout": 60_000}))
    cluster.run("stop", "sleeper")  # the fixture finds what is left over


def test_a_shared_address_is_no_health_check_of_one_of_several(cluster, port):
    done = cluster.start(server(cluster, port, instances=2, health=f"http://:{port}/health"), check=None)
    assert done.status != 0 and "any of several" in done.err, done
