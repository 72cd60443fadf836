"""clusterd, with a home of its own."""

import json
import socket

from .command_rival import CommandRival
from .rival import App


class Clusterd(CommandRival):
    key = "clusterd"
    title = "clusterd"

    @classmethod
    def missing(cls, lab) -> str:
        return "" if (lab.bin / "clusterd").exists() else f"{lab.bin}/clusterd is not built"

    def environment(self, **extra: str) -> dict[str, str]:
        return super().environment(CLUSTERD_HOME=str(self.folder / "home"), **extra)

    def program_path(self):
        return self.lab.bin / "clusterd"

    def open(self):
        self.command("list")

    def supervisors(self) -> list[int]:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as control:
            control.connect(str(self.folder / "home/control.sock"))
            return [json.loads(control.makefile().readline())["pid"]]

    def log_files(self, app: App) -> list:
        return [self.folder / f"home/logs/{app.name}-out-{number}.log" for number in range(app.count)]

    def balance(self, app: App) -> str:
        """What spreads the connections here, by the daemon's own words."""
        return json.loads(self.command("balance", app.name, "--json"))[0]["balance"]
