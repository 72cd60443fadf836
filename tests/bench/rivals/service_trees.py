"""runit and s6: one small supervisor process for each service, and one that looks after those.

They start what they find in a folder when they begin, so open() does nothing and start() begins them.
"""

import shlex
import shutil
import signal

from harness import processes

from .rival import App, Rival


class ServiceTree(Rival):
    helper = ""  # name of the supervisor process of each service

    def _write_services(self, *apps: App):
        services = self.folder / "services"
        services.mkdir()
        for app in apps:
            for number in range(app.count):
                service = services / f"{app.name}-{number}"
                service.mkdir()
                run = service / "run"
                run.write_text(f"#!/bin/sh\nexec {shlex.join(self.words_of(app))} >/dev/null\n")
                run.chmod(0o755)
        return services

    def supervisors(self) -> list[int]:
        children = processes.children(self._process.pid)
        return [self._process.pid] + [pid for pid in children if self.helper in processes.command_line(pid)]

    def close(self):
        super().close()
        if hasattr(self, "_process"):
            self._process.wait()


class Runit(ServiceTree):
    key = "runit"
    title = "runit"
    helper = "runsv"
    most = 900  # runsvdir knows 1000 services

    @classmethod
    def missing(cls, lab) -> str:
        return "" if shutil.which("runsvdir") else "Debian's runit is not installed"

    def start(self, *apps: App):
        self._process = self.popen("runsvdir", self._write_services(*apps))

    def stop(self, app: App):
        self._process.send_signal(signal.SIGHUP)


class S6(ServiceTree):
    key = "s6"
    title = "s6"
    helper = "s6-supervise"
    most = 2000

    @classmethod
    def missing(cls, lab) -> str:
        return "" if shutil.which("s6-svscan") else "Debian's s6 is not installed"

    def start(self, *apps: App):
        self._process = self.popen("s6-svscan", "-c", 4000, self._write_services(*apps))

    def stop(self, app: App):
        self._process.send_signal(signal.SIGTERM)
