"""A raw client of the control protocol, for what the CLI would never send. See docs/protocol.md."""

import json
import socket
from pathlib import Path


class ControlSocket:
    def __init__(self, home: Path, timeout: float = 10.0):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(timeout)
        self.socket.connect(str(home / "control.sock"))
        self._buffer = b""
        self.greeting = json.loads(self.read_line())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, data: bytes):
        self.socket.sendall(data)

    def read_line(self) -> bytes:
        """One line without its end; b"" once the daemon has closed the connection."""
        while b"\n" not in self._buffer:
            try:
                chunk = self.socket.recv(65536)
            except ConnectionResetError:
                chunk = b""
            if not chunk:
                rest, self._buffer = self._buffer, b""
                return rest
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def read_message(self):
        line = self.read_line()
        return json.loads(line) if line else None

    def request(self, op: str, args: dict | None = None, request_id: int = 1) -> dict:
        """Sends one request and returns its response; events on the way are dropped."""
        self.send(json.dumps({"id": request_id, "op": op, "args": args or {}}).encode() + b"\n")
        while True:
            message = self.read_message()
            if message is None or ("ok" in message and message.get("id") == request_id):
                return message
