"""Thousands of short connections, a few at a time, each from a port of its own."""

import collections
import socket
import struct
import threading

from . import http

LINGER_NONE = struct.pack("ii", 1, 0)


def _in_threads(count: int, work, threads: int):
    """work(n) for each n below count; the first exception is raised here."""
    failed = []

    def run(first: int):
        try:
            for number in range(first, count, threads):
                work(number)
        except BaseException as error:
            failed.append(error)

    running = [threading.Thread(target=run, args=(first,), daemon=True) for first in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join(60)
        assert not thread.is_alive(), "the connections did not end"
    if failed:
        raise failed[0]


def ask(port: int, count: int, threads: int = 4) -> collections.Counter:
    """One request a connection; answers by pid."""
    pids = []
    _in_threads(count, lambda _: pids.append(int(http.get(port, timeout=10.0))), threads)
    return collections.Counter(pids)


def touch(port: int, count: int, threads: int = 4):
    """Connects and goes away without a word: by turns with FIN and with RST."""

    def work(number: int):
        with http.connect(port, timeout=10.0) as client:
            if number % 2:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_NONE)

    _in_threads(count, work, threads)
