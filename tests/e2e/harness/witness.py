"""Clients that know who accepted each of their connections, so that a failure can be laid at somebody's door.

For servers that greet with "HTTP/1.1 102 PID" on accept (t-epoll --hello). Each client asks once a connection and
then makes a new one.
"""

import collections
import threading

from . import http, kept


class Witness:
    def __init__(self, port: int, clients: int = 8, timeout: float = 10.0):
        self.port, self.timeout = port, timeout
        self.answered = collections.Counter()  # pid -> whole answers
        self.cut = collections.Counter()  # pid -> connections that it had accepted and that ended without an answer
        self.failed = collections.Counter()  # kind -> all other failures
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(clients)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        for thread in self._threads:
            thread.join(self.timeout + 5)
            assert not thread.is_alive(), "a client did not end"

    def answers(self) -> int:
        return sum(self.answered.values())

    def _run(self):
        while not self._over.is_set():
            try:
                client = http.connect(self.port, self.timeout)
            except ConnectionRefusedError:
                self.failed["refused"] += 1
                continue
            except TimeoutError:
                self.failed["timeout"] += 1
                continue
            with client:
                self._ask(client)

    def _ask(self, client):
        data = b""
        try:
            client.sendall(kept.REQUEST % b"/")
            while data.count(b"\n") < 7 and (chunk := client.recv(4096)):
                data += chunk
        except TimeoutError:
            self.failed["timeout"] += 1
            return
        except OSError:
            pass
        lines = data.decode().split("\r\n")
        acceptor = int(lines[0].split()[2]) if lines[0].startswith("HTTP/1.1 102 ") else 0
        if lines[-1] == f"{acceptor}\n" and "HTTP/1.1 200 OK" in lines:
            self.answered[acceptor] += 1
        elif acceptor:
            self.cut[acceptor] += 1
        else:
            self.failed["ungreeted"] += 1
