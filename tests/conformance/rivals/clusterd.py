"""clusterd, from CLUSTERD_BIN."""

import json
import socket
from pathlib import Path

from harness.control_socket import ControlSocket

from .rival import Rival


class Clusterd(Rival):
    name = "clusterd"
    home_variable = "CLUSTERD_HOME"

    def __init__(self, programs: Path, program: str):
        super().__init__(programs)
        self._program = program

    def command(self) -> list[str]:
        return [self._program]

    def rows(self) -> list[dict]:
        with self.popen("jlist") as process:
            out, err = process.communicate(timeout=20)
        assert process.returncode == 0, err
        return json.loads(out)

    def delete_everything(self) -> None:
        self.run("delete", "all", "--now")

    def daemon_runs(self) -> bool:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
            try:
                client.connect(str(self.home / "control.sock"))
                return True
            except OSError:
                return False

    def wake(self) -> None:
        self.run("list", cwd=self.root)

    def daemon_pid(self) -> int:
        with ControlSocket(self.home) as control:
            return control.greeting["pid"]
