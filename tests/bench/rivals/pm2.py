"""PM2, installed by npm into a folder of the build, with a PM2_HOME of its own; in its fork and its cluster mode."""

from .command_rival import CommandRival
from .rival import App


class Pm2(CommandRival):
    file_name = "ecosystem.config.json"
    patience = {"timeout": 600}
    mode = ""
    most = 1000

    @classmethod
    def missing(cls, lab) -> str:
        return "" if lab.pm2.exists() else "PM2 could not be installed from npm"

    def environment(self, **extra: str) -> dict[str, str]:
        own = {"PM2_HOME": str(self.folder / "pm2"), "PM2_DISABLE_VERSION_CHECK": "true"}
        return super().environment(**own, **extra)

    def program_path(self):
        return self.lab.pm2

    def open(self):
        self.command("ping")

    def described(self, app: App) -> dict:
        described = super().described(app)
        described |= {"exec_mode": self.mode, "cwd": str(self.folder), "merge_logs": False}
        return described if app.is_node else described | {"interpreter": "none"}

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
