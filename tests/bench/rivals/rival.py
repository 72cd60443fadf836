"""Rival: one way to run processes, and App: what it is asked to run.

A bench speaks to all rivals by this interface. A method that orders something returns when the rival's own command
does; when it has come true is seen from the programs themselves (lab/reports.py, lab/ends.py).
"""

from dataclasses import dataclass, field
from pathlib import Path

from harness import processes


@dataclass(frozen=True)
class App:
    """Several processes of one program: b-idle, b-lines, b-server or server.js."""

    name: str
    program: str
    words: tuple = field(default=())
    count: int = 1
    port: int = 0  # of a server
    graceful: bool = False
    logged: bool = False  # output goes to files; else nobody needs it

    @property
    def is_node(self) -> bool:
        return self.program.endswith(".js")


class Rival:
    key = ""
    title = ""
    most = 10000  # processes it is asked for in a reasonable time

    def __init__(self, lab):
        self.lab = lab
        self.folder = lab.scratch.folder(self.key[:8])

    @classmethod
    def missing(cls, lab) -> str:
        """Why it cannot be measured here, as a sentence; empty: it can."""
        raise NotImplementedError

    def open(self):
        """Whatever has to run before the first app."""

    def start(self, *apps: App):
        raise NotImplementedError

    def start_cold(self, app: App):
        """Starts an app when nothing runs; open() has not been called."""
        self.start(app)

    def stop(self, app: App):
        raise NotImplementedError

    def supervisors(self) -> list[int]:
        """Processes that are the rival's own, not the apps'."""
        raise NotImplementedError

    def pids(self) -> list[int]:
        """Of the programs: all that descends from the supervisors and is not one."""
        own = self.supervisors()
        below = {pid for supervisor in own for pid in processes.descendants(supervisor)}
        return sorted(below - set(own))

    def log_files(self, app: App) -> list[Path]:
        raise NotImplementedError

    def close(self):
        """Ends everything, at once and without asking."""
        self.lab.scratch.kill_all_below(self.folder)

    def words_of(self, app: App) -> list[str]:
        """Command line of one process of the app."""
        words = [self.lab.program(app.program)] + [str(word) for word in app.words]
        if app.port:
            words += ["--port", str(app.port)]
        if app.graceful:
            words += ["--graceful"]
        return (["node"] if app.is_node else []) + words

    def environment(self, **extra: str) -> dict[str, str]:
        """The folder is in it, so that close() finds every process."""
        return self.lab.scratch.environment(HOME=str(self.folder), **extra)

    def run(self, *words, **options) -> str:
        return self.lab.scratch.run(list(words), self.environment(), cwd=self.folder, **options)

    def popen(self, *words, **options):
        return self.lab.scratch.popen(list(words), self.environment(), cwd=self.folder, **options)
