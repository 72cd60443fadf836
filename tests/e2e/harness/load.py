"""Load generator: new connections at a rate, and keep-alive connections that ask again and again.

Every request ends in exactly one of these, counted apart for new and for reused connections:
  ok         a complete, well-formed 200 answer
  refused    connect() was refused
  reset      closed or reset before the first byte of the answer
  truncated  closed or reset within the answer
  timeout    no complete answer in time
  wrong      an answer that is not a 200 with the announced length
A keep-alive connection that the server closes between two answers is normal HTTP: the request is sent again
on a new connection and counted as `retried`, not as a failure. What fails then counts as on a new one.
"""

import asyncio
import collections
import socket
import threading
import time

REQUEST = b"GET / HTTP/1.1\r\nHost: load\r\n%s\r\n"
IN_FLIGHT_MAX = 300


class Failure(Exception):
    def __init__(self, kind: str, detail: str = ""):
        super().__init__(f"{kind}: {detail}")
        self.kind = kind


class Tally:
    """What happened; `failures` is empty after a perfect run."""

    def __init__(self):
        self.ok = collections.Counter()  # by "new" and "reused"
        self.failures = collections.Counter()  # by (kind, "new" or "reused")
        self.retried = 0
        self.details = []  # (seconds since start, kind, text), first few only
        self.bodies = collections.Counter()
        self.last_body_at = {}
        self.first_body_at = {}

    def __str__(self):
        return (
            f"ok {dict(self.ok)}, failures {dict(self.failures)}, retried {self.retried}, "
            f"first failures {self.details[:5]}, bodies {dict(self.bodies.most_common(6))}"
        )


async def _read_answer(loop, client) -> tuple[bytes, bool]:
    """(body, connection stays open) or Failure."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += await _receive(loop, client, data)
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    length = next((int(line[15:]) for line in lines if line.startswith(b"content-length:")), None)
    if b" 200 " not in lines[0] + b" " or length is None:
        raise Failure("wrong", repr(head[:80]))
    while len(body) < length:
        body += await _receive(loop, client, data)
    if len(body) > length:
        raise Failure("wrong", f"{len(body)} bytes instead of {length}")
    return body, b"connection: close" not in lines


async def _receive(loop, client, so_far: bytes) -> bytes:
    try:
        chunk = await loop.sock_recv(client, 65536)
    except (ConnectionResetError, BrokenPipeError) as error:
        raise Failure("truncated" if so_far else "reset", str(error)) from error
    if not chunk:
        raise Failure("truncated" if so_far else "reset", f"end of stream after {len(so_far)} bytes")
    return chunk


class Load:
    """Runs in a thread of its own between start() and stop(); usable as a context manager."""

    def __init__(
        self, target, *, rate: float = 100, keepalive: int = 4, think: float = 0.02, timeout: float = 10.0
    ):
        self.target = ("127.0.0.1", target) if isinstance(target, int) else target
        self.rate, self.keepalive, self.think, self.timeout = rate, keepalive, think, timeout
        self.tally = Tally()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main()), daemon=True)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    def start(self):
        self._began = time.monotonic()
        self._thread.start()
        return self

    def stop(self) -> Tally:
        """Ends the load, waits for the requests in flight and returns the tally."""
        self._stopping.set()
        self._thread.join(self.timeout + 10)
        assert not self._thread.is_alive(), "the load generator did not end"
        return self.tally

    def answers(self) -> int:
        return sum(self.tally.ok.values())

    async def _main(self):
        holders = [asyncio.create_task(self._keep_asking()) for _ in range(self.keepalive)]
        in_flight, due = set(), time.monotonic()
        while not self._stopping.is_set():
            while self.rate and due <= time.monotonic():
                due += 1 / self.rate
                if len(in_flight) < IN_FLIGHT_MAX:
                    task = asyncio.create_task(self._ask_once())
                    in_flight.add(task)
                    task.add_done_callback(in_flight.discard)
            await asyncio.sleep(0.005)
        await asyncio.gather(*holders, *in_flight)

    async def _connect(self):
        family = (
            socket.AF_UNIX
            if isinstance(self.target, str)
            else (socket.AF_INET6 if ":" in self.target[0] else socket.AF_INET)
        )
        client = socket.socket(family, socket.SOCK_STREAM)
        client.setblocking(False)
        try:
            await asyncio.get_running_loop().sock_connect(client, self.target)
        except ConnectionRefusedError as error:
            client.close()
            raise Failure("refused") from error
        except OSError as error:
            client.close()
            raise Failure("reset", str(error)) from error
        return client

    async def _exchange(self, client, extra: bytes):
        loop = asyncio.get_running_loop()
        try:
            await loop.sock_sendall(client, REQUEST % extra)
        except OSError as error:
            raise Failure("reset", str(error)) from error
        return await _read_answer(loop, client)

    async def _ask_once(self):
        async def attempt():
            client = await self._connect()
            with client:
                return (await self._exchange(client, b"Connection: close\r\n"))[0]

        await self._count(attempt(), "new")

    async def _count(self, attempt, connection: str):
        try:
            body = await asyncio.wait_for(attempt, self.timeout)
            self._note_answer(body, connection)
        except asyncio.TimeoutError:
            self._note_failure(Failure("timeout"), connection)
        except Failure as failure:
            self._note_failure(failure, connection)

    async def _keep_asking(self):
        """One client that reuses its connection as long as the server lets it."""
        client, reused = None, False
        while not self._stopping.is_set():
            try:
                if client is None:
                    client, reused = await asyncio.wait_for(self._connect(), self.timeout), False
                body, stays_open = await asyncio.wait_for(self._exchange(client, b""), self.timeout)
                self._note_answer(body, "reused" if reused else "new")
                reused = True
                if not stays_open:
                    client.close()
                    client = None
            except asyncio.TimeoutError:
                self._note_failure(Failure("timeout"), "reused" if reused else "new")
                client, reused = self._drop(client), False
            except Failure as failure:
                if failure.kind == "reset" and reused:
                    self.tally.retried += 1
                else:
                    self._note_failure(failure, "reused" if reused else "new")
                client, reused = self._drop(client), False
            await asyncio.sleep(self.think)
        self._drop(client)

    @staticmethod
    def _drop(client):
        if client is not None:
            client.close()

    def _note_answer(self, body: bytes, connection: str):
        text, now = body.rstrip(b".\n").decode(errors="replace"), time.monotonic()
        self.tally.ok[connection] += 1
        self.tally.bodies[text] += 1
        self.tally.first_body_at.setdefault(text, now)
        self.tally.last_body_at[text] = now

    def _note_failure(self, failure: Failure, connection: str):
        self.tally.failures[failure.kind, connection] += 1
        if len(self.tally.details) < 20:
            self.tally.details.append((round(time.monotonic() - self._began, 3), failure.kind, str(failure)))
