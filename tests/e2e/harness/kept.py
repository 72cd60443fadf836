"""Keep-alive connections held by the test, one request at a time on each; the server's answers begin with its pid."""

import collections
import contextlib
import random
import socket
import struct
import threading

from . import http

REQUEST = b"GET %s HTTP/1.1\r\nHost: test\r\n\r\n"


class Kept:
    """One connection; `pid` is who answered last."""

    def __init__(self, port: int, timeout: float = 10.0):
        self.socket = http.connect(port, timeout)
        self.pid = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, path: str = "/"):
        self.socket.sendall(REQUEST % path.encode())

    def receive(self) -> int:
        """The answer to what was sent; AssertionError if it is not whole."""
        data = b""
        while b"\r\n\r\n" not in data or len(data) < _length(data):
            chunk = self.socket.recv(65536)
            assert chunk, f"the connection ended within the answer: {data!r}"
            data += chunk
        assert data.startswith(b"HTTP/1.1 200 "), data
        self.pid = int(data.partition(b"\r\n\r\n")[2].split()[0])
        return self.pid

    def ask(self, path: str = "/") -> int:
        self.send(path)
        return self.receive()

    def close(self):
        self.socket.close()

    def reset(self):
        """Ends it with RST instead of FIN."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


def _length(data: bytes) -> int:
    head, _, _ = data.partition(b"\r\n\r\n")
    sizes = [int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    assert len(sizes) == 1, f"no length: {data!r}"
    return len(head) + 4 + sizes[0]


class Crowd:
    """Many of them at once."""

    def __init__(self, port: int):
        self.port, self.members = port, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.leave(self.members)

    def join(self, count: int):
        """Opens `count` connections, one after the other, each with one answer."""
        for _ in range(count):
            self.members.append(Kept(self.port))
            self.members[-1].ask()

    def leave(self, members: list[Kept]):
        for member in list(members):
            member.close()
            self.members.remove(member)

    def of(self, pids) -> list[Kept]:
        return [member for member in self.members if member.pid in pids]

    def some(self, count: int, dice: random.Random) -> list[Kept]:
        return dice.sample(self.members, count)

    def per_pid(self) -> dict[int, int]:
        """Asked anew: a connection never changes its server."""
        seen = collections.Counter()
        for member in self.members:
            before = member.pid
            assert member.ask() == before
            seen[before] += 1
        return dict(seen)


@contextlib.contextmanager
def talking(client: Kept, pause: float = 0.05):
    """Keeps a connection in use from another thread; the pids of the answers. What goes wrong is raised at the end."""
    answers, failures = [], []
    over = threading.Event()

    def talk():
        try:
            while not over.is_set():
                answers.append(client.ask())
                over.wait(pause)
        except (AssertionError, OSError) as failure:
            failures.append(failure)

    thread = threading.Thread(target=talk, daemon=True)
    thread.start()
    try:
        yield answers
    finally:
        over.set()
        thread.join()
    if failures:
        raise failures[0]
