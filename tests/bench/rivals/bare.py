"""The bare kernel: a fork/exec supervisor in C without anything else (programs/bare-supervisor.c).

Servers in C set SO_REUSEPORT, as one does who starts them by hand; Node gets one listening socket handed down.
"""

import shlex
import signal

from .rival import App, Rival


class Bare(Rival):
    key = "bare"
    title = "bare kernel"

    @classmethod
    def missing(cls, lab) -> str:
        return ""

    def start(self, *apps: App):
        self._processes = {}
        for app in apps:
            words = self.words_of(app)
            inherited = ["--listen", app.port] if app.is_node else []
            if app.is_node:
                words = [self.lab.node, *words[1:], "--inherit"]
            elif app.port:
                words += ["--reuseport"]
            if app.logged:
                words = ["/bin/sh", "-c", f"{shlex.join(words)} | cat > {app.name}-$$.log"]
            supervisor = [self.lab.program("bare-supervisor"), app.count, *inherited, *words]
            self._processes[app.name] = self.popen(*supervisor)

    def stop(self, app: App):
        self._processes[app.name].send_signal(signal.SIGTERM)

    def restart(self, app: App):
        self._processes[app.name].send_signal(signal.SIGUSR1)

    def supervisors(self) -> list[int]:
        return [process.pid for process in self._processes.values()]

    def list_command(self) -> list:
        return ["/bin/true"]

    def ping_command(self) -> list:
        return ["/bin/true"]

    def log_files(self, app: App) -> list:
        return list(self.folder.glob(f"{app.name}-*.log"))

    def close(self):
        super().close()
        for process in getattr(self, "_processes", {}).values():
            process.wait()
