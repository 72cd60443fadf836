"""Reports: the other end of the named pipe into which programs of the bench write (programs/report.h)."""

import fcntl
import os
import select
import struct
import time
from dataclasses import dataclass
from pathlib import Path

BEGINS, ENDS = 1, 2
_RECORD = struct.Struct("=qqq")
_PIPE_BYTES = 1 << 20  # so that thousands of programs never wait for the reader


@dataclass(frozen=True)
class Report:
    kind: int
    pid: int
    when_ns: int  # CLOCK_MONOTONIC, as time.monotonic_ns()


class Reports:
    def __init__(self, folder: Path):
        self.path = folder / "reports"
        os.mkfifo(self.path)
        self._fd = os.open(self.path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        fcntl.fcntl(self._fd, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)

    def _read(self) -> list[Report]:
        try:
            data = os.read(self._fd, _PIPE_BYTES // _RECORD.size * _RECORD.size)
        except BlockingIOError:
            return []
        return [Report(*fields) for fields in _RECORD.iter_unpack(data)]

    def take(self, count: int, kind: int = BEGINS, deadline: float = 120) -> list[Report]:
        """Waits for so many reports of a kind, earliest first; others are dropped."""
        found, end = [], time.monotonic() + deadline
        while len(found) < count:
            left = end - time.monotonic()
            if left <= 0:
                raise RuntimeError(f"{len(found)} of {count} programs reported within {deadline:.0f} s")
            select.select([self._fd], [], [], left)
            found += [report for report in self._read() if report.kind == kind]
        return sorted(found, key=lambda report: report.when_ns)

    def drop(self):
        while self._read():
            pass

    def close(self):
        os.close(self._fd)
