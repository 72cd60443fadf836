"""clusterd, with a home of its own."""

import json
import socket

from .rival import App, Rival


class Clusterd(Rival):
    key = "clusterd"
    title = "clusterd"

    @classmethod
    def missing(cls, lab) -> str:
        return "" if (lab.bin / "clusterd").exists() else f"{lab.bin}/clusterd is not built"

    def environment(self, **extra: str) -> dict[str, str]:
        return super().environment(CLUSTERD_HOME=str(self.folder / "home"), **extra)

    def command(self, *words) -> str:
        return self.run(self.lab.bin / "clusterd", *words)

    def open(self):
        self.command("list")

    def _described(self, app: App) -> dict:
        words = self.words_of(app)
        script, *arguments = words[1:] if app.is_node else words
        described = {"name": app.name, "script": script, "args": arguments, "instances": app.count}
        if not app.logged:
            described |= {"out_file": "/dev/null", "error_file": "/dev/null"}
        return described

    def start(self, *apps: App):
        path = self.folder / "ecosystem.json"
        path.write_text(json.dumps({"apps": [self._described(app) for app in apps]}))
        self.command("start", path)

    def stop(self, app: App):
        self.command("stop", app.name)

    def restart(self, app: App):
        self.command("restart", app.name)

    def reload(self, app: App):
        self.command("reload", app.name)

    def scale(self, app: App, count: int):
        self.command("scale", app.name, count)

    def list_command(self) -> list:
        return [self.lab.bin / "clusterd", "list"]

    def ping_command(self) -> list:
        return [self.lab.bin / "clusterd", "ping"]

    def supervisors(self) -> list[int]:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as control:
            control.connect(str(self.folder / "home/control.sock"))
            return [json.loads(control.makefile().readline())["pid"]]

    def log_files(self, app: App) -> list:
        return [self.folder / f"home/logs/{app.name}-out-{number}.log" for number in range(app.count)]

    def balance(self, app: App) -> str:
        """What spreads the connections here, by the daemon's own words."""
        return json.loads(self.command("balance", app.name, "--json"))[0]["balance"]
