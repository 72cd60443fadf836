"""PM2: its commands through `node`, its list through its own socket, because a command takes a third of a second."""

import json
import shutil
import socket
import struct
from pathlib import Path

from .package import pm2_program
from .rival import Rival

RPC_SECONDS = 30
HEADER = struct.Struct(">I")


class Rpc:
    """A client of PM2's control socket: a byte (version and number of words), then each word with its length."""

    def __init__(self, path: Path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(RPC_SECONDS)
        self.socket.connect(str(path))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def call(self, method: str, *arguments):
        question = b"j:" + json.dumps({"type": "call", "method": method, "args": list(arguments)}).encode()
        words = (question, b"s:1")
        self.socket.sendall(bytes([0x10 | len(words)]) + b"".join(HEADER.pack(len(w)) + w for w in words))
        count = self._read(1)[0] & 0x0F
        answer = [self._read(HEADER.unpack(self._read(HEADER.size))[0]) for _ in range(count)]
        return json.loads(answer[0][2:])

    def _read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            if not (chunk := self.socket.recv(count - len(data))):
                raise ConnectionError("PM2 closed its socket")
            data += chunk
        return data


class Pm2(Rival):
    name = "pm2"
    home_variable = "PM2_HOME"

    def command(self) -> list[str]:
        return [shutil.which("node") or "node", str(pm2_program())]

    def _rpc(self) -> Rpc:
        return Rpc(self.home / "rpc.sock")

    def rows(self) -> list[dict]:
        with self._rpc() as rpc:
            return rpc.call("getMonitorData", {})["args"][0]

    def delete_everything(self) -> None:
        with self._rpc() as rpc:
            for row in rpc.call("getMonitorData", {})["args"][0]:
                rpc.call("deleteProcessId", row["pm_id"])

    def daemon_runs(self) -> bool:
        try:
            with self._rpc():
                return True
        except OSError:
            return False

    def wake(self) -> None:
        self.home.mkdir(exist_ok=True)
        (self.home / "touch").touch()  # no banner
        self.run("ping", cwd=self.root)

    def daemon_pid(self) -> int:
        return int((self.home / "pm2.pid").read_text())
