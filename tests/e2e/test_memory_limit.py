"""Protects: an instance above max_memory_restart is replaced gracefully, children counted, and only that one."""

from harness import apps, http

# Serves, and takes 60 MiB when the file appears; with an argument a child takes it.
LEAK = """
import http.server, os, sys, threading, time, subprocess
sign, how = sys.argv[1], sys.argv[2]
HOLD = "import time; x = bytearray(b'x') * (60 << 20); time.sleep(1000)"
def leak():
    while not os.path.exists(sign): time.sleep(0.05)
    os.unlink(sign)
    global kept
    if how == 'child':
        kept = subprocess.Popen([sys.executable, '-c', HOLD])
        return
    kept = []
    for _ in range(60):  # piece by piece: nobody is served while one is made
        kept.append(bytearray(b'x') * (1 << 20))
        time.sleep(0.001)
threading.Thread(target=leak, daemon=True).start()
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.send_header('Content-Length', '2'); self.end_headers(); self.wfile.write(b'ok')
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(('127.0.0.1', int(os.environ['PORT'])), Handler).serve_forever()
"""


def leaking(cluster, port: int, how: str = "self", **keys) -> dict:
    return apps.QUICK | {
        "name": "leak",
        "script": "/usr/bin/python3",
        "args": ["-c", LEAK, str(cluster.work / "leak"), how],
        "env": {"PORT": str(port)},
        "max_memory_restart": "50M",
        "drain_timeout": 20_000,  # a busy machine is no reason to cut a request
    } | keys


def check_replaced(cluster, port: int):
    old = cluster.pid("leak")
    (cluster.work / "leak").touch()

    def replaced():
        assert http.serves(port), "not served while it was replaced"
        return old not in cluster.pids("leak")

    cluster.wait_for("the instance to be replaced", replaced, 40)
    view = cluster.wait_status("leak", "online", deadline=20)[0]
    assert view["reason"].startswith("memory: ") and "max_memory_restart (50.0mb)" in view["reason"]


def test_an_instance_above_its_limit_is_replaced_without_a_gap(cluster, port):
    apps.start_serving(cluster, leaking(cluster, port), port)
    check_replaced(cluster, port)


def test_children_count(cluster, port):
    apps.start_serving(cluster, leaking(cluster, port, "child"), port)
    check_replaced(cluster, port)


def test_one_of_two_is_replaced_the_other_stays(cluster, port):
    apps.start_serving(cluster, leaking(cluster, port, instances=2), port)
    before = set(cluster.pids("leak"))
    (cluster.work / "leak").touch()
    cluster.wait_for("one to be replaced", lambda: before - set(cluster.pids("leak")), 40)
    cluster.wait_status("leak", "online", 2, deadline=20)
    assert len(before & set(cluster.pids("leak"))) == 1


def test_a_limit_without_a_unit_is_an_error(cluster):
    done = cluster.start(apps.sleeper(max_memory_restart=100), check=None)
    assert done.status != 0 and "at least 1M" in done.err
    done = cluster.run("start", "sleep", "--max-memory-restart", "1.5x", "--", "100", check=None)
    assert done.status != 0 and "expected a size" in done.err
