"""What an app does to a listening socket that outlives it is undone."""

import pytest

from harness import apps, http
from harness.waiting import wait_for

SERVER = """
import os, signal, socket, sys, threading
server = socket.socket()
server.bind(("127.0.0.1", int(sys.argv[1])))
server.listen()
signal.signal(signal.SIGUSR1, lambda *_: server.shutdown(socket.SHUT_RDWR))
def serve():
    while True:
        try:
            client, _ = server.accept()
        except OSError:
            continue
        client.recv(4096)
        body = str(os.getpid()).encode()
        client.sendall(b"HTTP/1.1 200 OK\\r\\nConnection: close\\r\\nContent-Length: %d\\r\\n\\r\\n%s" % (len(body), body))
        client.close()
threading.Thread(target=serve, daemon=True).start()
while True:
    signal.pause()
"""


@pytest.mark.parametrize("balance", ["auto", "shared"])
def test_a_listener_that_an_instance_shuts_down_serves_on(cluster, port, balance):
    script = cluster.write("server.py", SERVER)
    app = apps.QUICK | {"name": "web", "script": str(script), "interpreter": "python3", "args": [str(port)]}
    apps.start_serving(cluster, app | {"instances": 2, "balance": balance}, port)
    pids = set(map(str, cluster.pids("web")))
    assert http.distinct_answers(port, 2) == pids  # each has its handler by now
    cluster.run("sendSignal", "SIGUSR1", "0")
    wait_for("the repair", lambda: "shut down its listening socket" in cluster.daemon_log(), 10)
    assert http.distinct_answers(port, 2) == pids
