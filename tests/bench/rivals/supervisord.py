"""supervisord (Debian's supervisor)."""

import shlex
import shutil

from harness.waiting import wait_for

from .rival import App, Rival

CONFIGURATION = """\
[unix_http_server]
file={folder}/sock
[supervisord]
nodaemon=true
logfile={folder}/log
pidfile={folder}/pid
minfds=4096
[rpcinterface:supervisor]
supervisor.rpcinterface_factory=supervisor.rpcinterface:make_main_rpcinterface
[supervisorctl]
serverurl=unix://{folder}/sock
[include]
files={folder}/*.ini
"""

PROGRAM = """\
[program:{name}]
command={command}
process_name=%(program_name)s_%(process_num)d
numprocs={count}
startsecs=0
stdout_logfile={log}
stdout_logfile_maxbytes=0
stderr_logfile=NONE
"""


class Supervisord(Rival):
    key = "supervisord"
    title = "supervisord"
    most = 500

    @classmethod
    def missing(cls, lab) -> str:
        return "" if shutil.which("supervisord") else "Debian's supervisor is not installed"

    def _control(self, *words):
        return self.run("supervisorctl", "-c", self.folder / "conf", *words)

    def open(self):
        """Without apps; with configured ones it starts them at once."""
        (self.folder / "conf").write_text(CONFIGURATION.format(folder=self.folder))
        self._process = self.popen("supervisord", "-c", self.folder / "conf")
        wait_for("supervisord", (self.folder / "sock").exists)

    def configure(self, *apps: App):
        for app in apps:
            text = PROGRAM.format(
                name=app.name,
                command=shlex.join(self.words_of(app)).replace("%", "%%"),
                count=app.count,
                log=f"{self.folder}/%(program_name)s_%(process_num)d.log" if app.logged else "NONE",
            )
            (self.folder / f"{app.name}.ini").write_text(text)

    def start(self, *apps: App):
        self.configure(*apps)
        self._control("update")

    def start_cold(self, app: App):
        self.configure(app)
        self.open()

    def stop(self, app: App):
        self._control("stop", f"{app.name}:*")

    def restart(self, app: App):
        self._control("restart", f"{app.name}:*")

    def list_command(self) -> list:
        return ["supervisorctl", "-c", self.folder / "conf", "status"]

    def ping_command(self) -> list:
        return ["supervisorctl", "-c", self.folder / "conf", "pid"]

    def supervisors(self) -> list[int]:
        return [self._process.pid]

    def log_files(self, app: App) -> list:
        return [self.folder / f"{app.name}_{number}.log" for number in range(app.count)]

    def close(self):
        super().close()
        if hasattr(self, "_process"):
            self._process.wait()
