"""PM2, installed by npm into a folder of the build, with a PM2_HOME of its own; in its fork and its cluster mode."""

import json

from .rival import App, Rival


class Pm2(Rival):
    mode = ""
    most = 1000

    @classmethod
    def missing(cls, lab) -> str:
        return "" if lab.pm2.exists() else "PM2 could not be installed from npm"

    def environment(self, **extra: str) -> dict[str, str]:
        own = {"PM2_HOME": str(self.folder / "pm2"), "PM2_DISABLE_VERSION_CHECK": "true"}
        return super().environment(**own, **extra)

    def command(self, *words) -> str:
        return self.run(self.lab.pm2, *words, timeout=600)

    def open(self):
        self.command("ping")

    def _described(self, app: App) -> dict:
        words = self.words_of(app)
        script, *arguments = words[1:] if app.is_node else words
        described = {"name": app.name, "script": script, "args": arguments, "instances": app.count}
        described |= {"exec_mode": self.mode, "cwd": str(self.folder), "merge_logs": False}
        if not app.is_node:
            described |= {"interpreter": "none"}
        if not app.logged:
            described |= {"out_file": "/dev/null", "error_file": "/dev/null"}
        return described

    def start(self, *apps: App):
        path = self.folder / "ecosystem.config.json"
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
        return [self.lab.pm2, "list"]

    def ping_command(self) -> list:
        return [self.lab.pm2, "ping"]

    def supervisors(self) -> list[int]:
        return [int((self.folder / "pm2/pm2.pid").read_text())]

    def log_files(self, app: App) -> list:
        """With or without a number, as it sees fit."""
        return sorted((self.folder / "pm2/logs").glob(f"{app.name}-out*.log"))


class Pm2Fork(Pm2):
    key = "pm2-fork"
    title = "PM2 fork"
    mode = "fork"


class Pm2Cluster(Pm2):
    key = "pm2-cluster"
    title = "PM2 cluster"
    mode = "cluster"
