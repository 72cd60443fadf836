"""Single HTTP requests over TCP or a Unix socket, and the question which process answered."""

import socket
import time

from . import processes
from .waiting import wait_for

REQUEST = b"GET %s HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n"


def connect(target, timeout: float = 5.0) -> socket.socket:
    """target: a port on 127.0.0.1, a (host, port) pair, or the path of a Unix socket."""
    if isinstance(target, int):
        target = ("127.0.0.1", target)
    if isinstance(target, tuple):
        return socket.create_connection(target, timeout=timeout)
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    client.settimeout(timeout)
    client.connect(str(target))
    return client


def read_all(client: socket.socket) -> bytes:
    answer = b""
    while chunk := client.recv(65536):
        answer += chunk
    return answer


def get(target, path: str = "/", timeout: float = 5.0) -> str:
    """Body of one answer; any failure is an OSError or an AssertionError."""
    with connect(target, timeout) as client:
        client.sendall(REQUEST % path.encode())
        head, _, body = read_all(client).partition(b"\r\n\r\n")
    assert b" 200 " in head.split(b"\r\n")[0], f"no 200 answer: {head[:200]!r}"
    return body.decode(errors="replace")


def serves(target, path: str = "/") -> bool:
    try:
        return bool(get(target, path, timeout=5.0))
    except (OSError, AssertionError):
        return False


def answering_pid(port: int, candidates: list[int], path: str = "/") -> int:
    """The candidate that accepted and correctly answered one connection; works for any server."""
    with connect(port, timeout=15.0) as client:
        client.sendall(b"GET ")  # accepted, but not answered yet: the socket has an owner to be found
        inode = wait_for("the connection to be accepted", lambda: processes.server_inode(client), 15.0)
        pid = wait_for(
            "the owner of the connection", lambda: processes.owner_of_inode(inode, candidates), 5.0
        )
        client.sendall((REQUEST % path.encode())[4:])
        answer = read_all(client)
    assert b" 200 " in answer.split(b"\r\n")[0], f"pid {pid} answered {answer[:200]!r}"
    return pid


def distinct_answers(target, count: int, deadline: float = 20.0) -> set[str]:
    """Asks, many connections at a time, until `count` different bodies came or the deadline passed."""
    seen, end = set(), time.monotonic() + deadline
    while len(seen) < count and time.monotonic() < end:
        clients = [connect(target) for _ in range(24)]
        for client in clients:
            client.sendall(REQUEST % b"/")
        for client in clients:
            seen.add(read_all(client).partition(b"\r\n\r\n")[2].decode())
            client.close()
    return seen
