"""Scratch: the folder of one run, and everything that was started for it.

Each process of a run has the folder's path in its environment, command line or working directory. close() kills, by
pid, every process of which that is true, then removes the folder. So nothing is left after an error or Ctrl-C either.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from harness import processes

# What of the caller's environment reaches a program; everything else would make runs differ.
KEPT_VARIABLES = ("PATH", "LANG")


class Scratch:
    def __init__(self):
        self.root = Path(tempfile.mkdtemp(prefix="clusterd-bench-")).resolve()
        self._numbers = 0

    def folder(self, name: str) -> Path:
        """A new folder; names are short because paths of Unix sockets have to be."""
        self._numbers += 1
        path = self.root / f"{name}-{self._numbers}"
        path.mkdir()
        return path

    def environment(self, **extra: str) -> dict[str, str]:
        kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
        return kept | {"HOME": str(self.root), "TMPDIR": str(self.root)} | extra

    def popen(self, words: list, env: dict | None = None, **options) -> subprocess.Popen:
        """In a session of its own: Ctrl-C reaches the bench alone, which then ends all in order."""
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen(
            [str(word) for word in words],
            env=env or self.environment(),
            cwd=options.pop("cwd", self.root),
            start_new_session=True,
            **(quiet | options),
        )

    def run(self, words: list, env: dict | None = None, timeout: float = 300, **options) -> str:
        """Runs a command that has to succeed; returns its standard output."""
        captured = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        process = self.popen(words, env, **(captured | options))
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise
        if process.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, words))} ended with {process.returncode}: {err[-2000:]}")
        return out

    def kill_all_below(self, folder: Path, deadline: float = 30):
        """Ends every process that belongs to the folder; those that are started meanwhile, too."""
        end = time.monotonic() + deadline
        while found := processes.mentioning(str(folder)):
            if time.monotonic() > end:
                raise RuntimeError(f"processes {found} do not end")
            for pid in found:
                processes.send_signal(pid, signal.SIGKILL)
            time.sleep(0.02)

    def close(self):
        self.kill_all_below(self.root)
        shutil.rmtree(self.root, ignore_errors=True)
