"""Cluster: one private clusterd (home, daemon, apps) of one test, as one user.

Everything it starts carries the path of its folder in environment, command line or working directory. close()
ends the daemon through the CLI, then checks that no such process is left; what is left is killed, by pid, and
fails the test. A test that kills the daemon on purpose says so with `expect_leftovers`.
"""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from . import processes, waiting
from .binaries import NOBODY, Binaries
from .control_socket import ControlSocket

LOG_TAIL_BYTES = 6000
KILL_SECONDS = 30
# What of the caller's environment reaches the commands; everything else would make runs differ.
KEPT_VARIABLES = ("PATH", "LANG", "NODE_EXTRA_CA_CERTS", "ASAN_OPTIONS", "UBSAN_OPTIONS")


@dataclass(frozen=True)
class User:
    name: str
    uid: int

    @property
    def is_caller(self) -> bool:
        return self.uid == os.geteuid()

    def process_options(self) -> dict:
        """Keyword arguments of subprocess.Popen that start a program as this user."""
        return {} if self.is_caller else {"user": self.uid, "group": self.uid, "extra_groups": []}


CALLER = User("root" if os.geteuid() == 0 else "caller", os.geteuid())
NOBODY_USER = User("nobody", NOBODY)


@dataclass
class Finished:
    """A command that ended."""

    words: tuple
    status: int
    out: str
    err: str
    seconds: float

    def json(self):
        return json.loads(self.out)

    def __str__(self):
        return (
            f"clusterd {' '.join(self.words)} -> {self.status} after {self.seconds:.2f} s\n"
            f"--- stdout\n{self.out}--- stderr\n{self.err}---"
        )


def views_in(document) -> list[dict]:
    """The instance views of a `list --json`."""
    return document["instances"] if isinstance(document, dict) else document


class Cluster:
    def __init__(self, binaries: Binaries, user: User = CALLER, home_name: str = "home"):
        self.binaries, self.user = binaries, user
        self.root = Path(tempfile.mkdtemp(prefix="cd-e2e-")).resolve()
        self.root.chmod(0o755)
        self.home = self.root / home_name
        self.work = self.folder("work")
        self.expect_leftovers = False
        self._files = 0
        self._own(self.root)

    # Files

    def _own(self, path: Path):
        if not self.user.is_caller:
            os.chown(path, self.user.uid, self.user.uid)

    def folder(self, name: str) -> Path:
        path = self.root / name
        path.mkdir(parents=True, exist_ok=True)
        self._own(path)
        return path

    def write(self, name: str, text: str | bytes, mode: int = 0o644) -> Path:
        """Puts a file into the work folder, atomically, so a running program can be replaced."""
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(path.name + ".part")
        partial.write_bytes(text.encode() if isinstance(text, str) else text)
        partial.chmod(mode)
        self._own(partial)
        partial.rename(path)
        return path

    def script(self, name: str, body: str) -> Path:
        """An executable shell script."""
        return self.write(name, "#!/bin/sh\n" + body + "\n", 0o755)

    def ecosystem(self, *apps: dict, name: str = "") -> Path:
        self._files += 1
        return self.write(name or f"ecosystem-{self._files}.json", json.dumps({"apps": list(apps)}, indent=1))

    def program(self, name: str) -> str:
        return self.binaries.program(name)

    # Commands

    def environment(self, extra: dict | None = None) -> dict:
        kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
        kept |= {"HOME": str(self.root), "TMPDIR": str(self.root), "CLUSTERD_HOME": str(self.home)}
        kept |= {"npm_config_cache": str(self.root / "npm"), "npm_config_update_notifier": "false"}
        kept |= extra or {}
        return {name: value for name, value in kept.items() if value is not None}

    def popen(self, *words, env: dict | None = None, cwd=None, **options) -> subprocess.Popen:
        options = (
            self.user.process_options()
            | {
                "stdin": subprocess.DEVNULL,
                "stdout": subprocess.PIPE,
                "stderr": subprocess.PIPE,
                "text": True,
            }
            | options
        )
        return subprocess.Popen(
            [self.binaries.clusterd, *map(str, words)],
            env=self.environment(env),
            cwd=cwd or self.work,
            errors="replace" if options["text"] else None,
            **options,
        )

    def run(self, *words, check: int | None = 0, timeout: float = 45, **options) -> Finished:
        """Runs the CLI; `check` is the exit status it must have (None: any)."""
        began = time.monotonic()
        process = self.popen(*words, **options)
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            raise AssertionError(f"clusterd {words} did not end within {timeout} s\n{out}\n{err}") from None
        done = Finished(tuple(map(str, words)), process.returncode, out, err, time.monotonic() - began)
        assert check is None or done.status == check, f"expected exit status {check}\n{done}"
        return done

    def start(self, *apps: dict, words=(), **options) -> Finished:
        """`clusterd start` with an ecosystem file of these apps."""
        return self.run("start", self.ecosystem(*apps), *words, **options)

    def control(self, timeout: float = 10.0) -> ControlSocket:
        return ControlSocket(self.home, timeout)

    # What exists

    def instances(self, *targets) -> list[dict]:
        return views_in(self.run("list", "--json", *targets).json())

    def views(self, name: str) -> list[dict]:
        return [view for view in self.instances() if view["name"] == name]

    def view(self, name: str) -> dict:
        """The only instance of an app."""
        views = self.views(name)
        assert len(views) == 1, views
        return views[0]

    def statuses(self, name: str) -> list[str]:
        return [view["status"] for view in self.views(name)]

    def pids(self, name: str) -> list[int]:
        return [view["pid"] for view in self.views(name) if view["pid"]]

    def pid(self, name: str) -> int:
        pids = self.pids(name)
        assert len(pids) == 1, self.views(name)
        return pids[0]

    def daemon_pid(self) -> int:
        """0 when no daemon answers."""
        try:
            with self.control() as control:
                return control.greeting["pid"]
        except (OSError, ValueError):
            return 0

    def daemons(self) -> list[int]:
        """All live daemons of this home, however they came to be."""
        return [
            pid
            for pid in processes.mentioning(str(self.root))
            if os.path.basename(processes.command_line(pid).split(" ")[0]) == "clusterd-daemon"
        ]

    def log_path(self, name: str, stream: str = "out", slot: int | None = None) -> Path:
        number = "" if slot is None else f"-{slot}"
        return self.home / "logs" / f"{name}-{stream}{number}.log"

    def log(self, name: str, stream: str = "out", slot: int | None = None) -> str:
        path = self.log_path(name, stream, slot)
        return path.read_text(errors="replace") if path.exists() else ""

    def daemon_log(self) -> str:
        path = self.home / "daemon.log"
        return path.read_text(errors="replace")[-LOG_TAIL_BYTES:] if path.exists() else "(no daemon.log)"

    # Waiting

    def wait_for(self, what: str, predicate, deadline: float = 10.0):
        return waiting.wait_for(
            what, predicate, deadline, lambda: f"--- daemon.log of {self.home}\n{self.daemon_log()}"
        )

    def wait_status(self, name: str, status: str, count: int = 1, deadline: float = 10.0) -> list[dict]:
        def reached():
            views = self.views(name)
            return views if [v["status"] for v in views] == [status] * count else None

        return self.wait_for(f"{name} to be {count} x {status}", reached, deadline)

    def wait_gone(self, *pids: int, deadline: float = 10.0):
        self.wait_for(f"processes {pids} to be gone", lambda: not any(map(processes.alive, pids)), deadline)

    # The end

    def close(self) -> list[str]:
        """Ends everything and returns a description of what had to be killed because it was left over."""
        daemons = self.daemons()
        try:
            said = str(self.run("kill", check=None, timeout=KILL_SECONDS))
        except AssertionError as error:
            said = str(error)
        for pid in daemons:
            try:
                waiting.wait_for("the daemon to end", lambda: not processes.alive(pid), 2.0)
            except waiting.DeadlinePassed:
                pass
        left = processes.mentioning(str(self.root))
        described = [f"{pid} {processes.state(pid)} {processes.command_line(pid)}" for pid in left]
        self._kill(left)
        shutil.rmtree(self.root, ignore_errors=True)
        return [] if self.expect_leftovers or not described else [said, *described]

    def _kill(self, pids: list[int]):
        while pids:
            for pid in pids:
                processes.send_signal(pid, signal.SIGKILL)
            waiting.wait_for("leftovers to die", lambda: not any(map(processes.alive, pids)), 5.0)
            pids = processes.mentioning(str(self.root))
