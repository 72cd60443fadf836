"""Rival: one process manager with a home of its own, driven through its command line.

A scenario gets one, does what a user does, and returns what it saw. Whatever names a folder of this run is replaced
by a word, so that what two rivals say can be compared. One daemon serves many scenarios: between them everything is
deleted, and what is left running is ended by its pid.
"""

import json
import os
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from harness import processes, waiting

APPS = Path(__file__).resolve().parents[1] / "apps"
COMMAND_SECONDS = 60
WAIT_SECONDS = 20
KEPT_VARIABLES = ("PATH", "LANG")
DELETE_ATTEMPTS = 3
TABLE = "┌├│└"


@dataclass(frozen=True)
class Done:
    """A command that ended. `result` is the class of its exit status: PM2 knows only these two."""

    words: tuple
    status: int
    out: str
    err: str

    @property
    def result(self) -> str:
        return "ok" if self.status == 0 else "failed"

    @property
    def said(self) -> str:
        return self.out + self.err

    def __str__(self):
        told = [line for line in self.said.splitlines() if line and line[0] not in TABLE]
        return "\n".join([f"{' '.join(self.words)} -> {self.status}", *told])


@dataclass(frozen=True)
class Process:
    """One row of the list, from the keys of `jlist` that both have."""

    name: str
    id: int
    pid: int
    status: str
    restarts: int
    record: dict

    @staticmethod
    def of(row: dict) -> "Process":
        record = row["pm2_env"]
        restarts = record.get("restart_time", 0)
        return Process(row["name"], row["pm_id"], row.get("pid") or 0, record["status"], restarts, record)


class Rival:
    name = ""
    home_variable = ""

    def __init__(self, programs: Path):
        self.programs = programs
        self.root = Path(tempfile.mkdtemp(prefix=f"cd-conf-{self.name}-")).resolve()
        self.root.chmod(0o755)
        self.home = self.root / "home"
        self.work = self.root
        self._bin = self._pythons()
        self.said: list[Done] = []
        self._scenarios = 0

    # What the two differ in

    def command(self) -> list[str]:
        raise NotImplementedError

    def rows(self) -> list[dict]:
        """What `jlist` prints, by the quickest way there is."""
        raise NotImplementedError

    def delete_everything(self) -> None:
        raise NotImplementedError

    def daemon_runs(self) -> bool:
        raise NotImplementedError

    def wake(self) -> None:
        """Starts the daemon."""
        raise NotImplementedError

    def daemon_pid(self) -> int:
        raise NotImplementedError

    def _pythons(self) -> Path:
        """`python` and `python3` are the same on every machine, and no shim of a version manager."""
        folder = self.root / "bin"
        folder.mkdir()
        for name in ("python", "python3"):
            (folder / name).symlink_to("/usr/bin/python3")
        return folder

    # Files

    def write(self, name: str, text: str, mode: int = 0o644) -> Path:
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def app(self, name: str) -> str:
        """Puts one of the suite's programs into the work folder; its name."""
        shutil.copy(APPS / name, self.work / name)
        return name

    def file(self, *apps: dict, name: str = "ecosystem.json", **root) -> str:
        self.write(name, json.dumps({"apps": list(apps)} | root))
        return name

    def probe(self, *arguments: str, **keys) -> dict:
        """An app that writes what it was given to probes/PID.json at each start, and then waits."""
        (self.work / "probes").mkdir(exist_ok=True)
        self.app("probe.py")
        words = [str(self.work / "probes"), *arguments]
        script = str(self.work / "probe.py")
        return {"name": "probe", "script": script, "args": words, "min_uptime": 100} | keys

    def probed(self, count: int = 1) -> list[dict]:
        """What the probes that run now wrote, in the order of the list."""

        def all_written():
            paths = [self.work / f"probes/{p.pid}.json" for p in self.processes() if p.pid]
            return [json.loads(p.read_text()) for p in paths if p.exists()] if len(paths) == count else []

        return self.wait(f"{count} probes", lambda: found if len(found := all_written()) == count else None)

    def sleeper(self, name: str = "sleeper", **keys) -> dict:
        return {"name": name, "script": "sleep", "args": ["100000"], "min_uptime": 100} | keys

    def recorder(self, name: str = "recorder", *arguments: str, **keys) -> dict:
        """An app that writes its starts and the signals it gets to NAME.events; see apps/recorder.py."""
        self.app("recorder.py")
        words = [str(self.work / f"{name}.events"), *arguments]
        return {"name": name, "script": "./recorder.py", "args": words, "min_uptime": 100} | keys

    def events(self, name: str = "recorder") -> list[str]:
        path = self.work / f"{name}.events"
        return path.read_text().splitlines() if path.exists() else []

    def wait_event(self, event: str, name: str = "recorder", count: int = 1) -> list[str]:
        return self.wait(
            f"{count} x {event} of {name}",
            lambda: events if (events := self.events(name)).count(event) >= count else None,
        )

    def log(self, name: str) -> str:
        path = self.home / "logs" / name
        return path.read_text(errors="replace") if path.exists() else ""

    def log_files(self) -> list[str]:
        return sorted(p.name for p in (self.home / "logs").glob("*") if p.is_file())

    # Commands

    def environment(self, extra: dict) -> dict:
        kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
        kept["PATH"] = f"{self._bin}:{kept['PATH']}"
        kept |= {"HOME": str(self.root), "NO_COLOR": "1", "PM2_DISABLE_VERSION_CHECK": "1"}
        return kept | {self.home_variable: str(self.home)} | extra

    def popen(self, *words, env: dict | None = None, **options) -> subprocess.Popen:
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(
            [*self.command(), *map(str, words)],
            env=self.environment(env or {}),
            text=True,
            errors="replace",
            **(pipes | {"cwd": self.work} | options),
        )

    def run(self, *words, stdin: str | None = None, **options) -> Done:
        if stdin is not None:
            options["stdin"] = subprocess.PIPE
        process = self.popen(*words, **options)
        try:
            out, err = process.communicate(stdin, timeout=COMMAND_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise AssertionError(f"{self.name} {words} did not end: {process.communicate()}") from None
        self.said.append(Done(tuple(map(str, words)), process.returncode, out, err))
        return self.said[-1]

    def start(self, *apps: dict, words=(), **options) -> Done:
        """Starts the apps of a file that has only these."""
        return self.run("start", self.file(*apps), *words, **options)

    def end_daemon(self) -> None:
        """As an init system does it."""
        pid = self.daemon_pid()
        processes.send_signal(pid, signal.SIGTERM)
        self.wait("the daemon to end", lambda: not processes.alive(pid))

    # What runs

    def processes(self, name: str = "") -> list[Process]:
        rows = sorted(map(Process.of, self.rows()), key=lambda p: p.id)
        return [p for p in rows if not name or p.name == name]

    def names(self) -> list[str]:
        return sorted(p.name for p in self.processes())

    def statuses(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for process in self.processes():
            found.setdefault(process.name, []).append(process.status)
        return dict(sorted(found.items()))

    def process(self, name: str) -> Process:
        found = self.processes(name)
        assert len(found) == 1, found
        return found[0]

    def wait(self, what: str, predicate, deadline: float = WAIT_SECONDS):
        return waiting.wait_for(f"{self.name}: {what}", predicate, deadline, self.story)

    def wait_status(self, name: str, status: str, count: int = 1) -> list[Process]:
        def reached():
            found = self.processes(name)
            return found if [p.status for p in found] == [status] * count else None

        return self.wait(f"{name} to be {count} x {status}", reached)

    def story(self) -> str:
        return "\n".join(map(str, self.said[-6:]))

    def plain(self, value):
        """The same value without the names of this run's folders."""
        if isinstance(value, str):
            for path, word in ((self.work, "WORK"), (self.home, "HOME"), (self.root, "ROOT")):
                value = value.replace(str(path), word)
            return value
        if isinstance(value, dict):
            return {self.plain(key): self.plain(one) for key, one in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.plain(one) for one in value]
        return value

    # From one scenario to the next

    def begin(self) -> None:
        self._scenarios += 1
        self.said.clear()
        self.work = self.root / f"work-{self._scenarios}"
        self.work.mkdir()
        if not self.daemon_runs():
            self.wake()

    def end(self) -> list[str]:
        """Deletes everything; what was still running after that."""
        self._forget_everything()
        left = self._end_leftovers(str(self.work))
        for path in [*self.home.glob("logs/*"), *self.home.glob("pids/*"), *self.home.glob("dump.*")]:
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        self.work = self.root
        return left

    def _forget_everything(self) -> None:
        """A daemon that keeps something (PM2, what is about to be restarted) is ended: nothing reaches the next one."""
        for _ in range(DELETE_ATTEMPTS):
            if not self.daemon_runs() or not self.rows():
                return
            self.delete_everything()
        if self.rows():
            self.run("kill", cwd=self.root)
            self.wait("the daemon to end", lambda: not self.daemon_runs())

    def close(self) -> list[str]:
        if self.daemon_runs():
            self.run("kill")
            self.wait("the daemon to end", lambda: not self.daemon_runs())
        left = self._end_leftovers(str(self.root))
        shutil.rmtree(self.root, ignore_errors=True)
        return left

    def _end_leftovers(self, token: str) -> list[str]:
        try:
            waiting.wait_for("everything to end", lambda: not processes.mentioning(token), 2.0)
            return []
        except waiting.DeadlinePassed:
            left = processes.mentioning(token)
            described = [f"{pid} {processes.command_line(pid)}" for pid in left]
            for pid in left:
                processes.send_signal(pid, signal.SIGKILL)
            waiting.wait_for("leftovers to die", lambda: not any(map(processes.alive, left)), 5.0)
            return described
