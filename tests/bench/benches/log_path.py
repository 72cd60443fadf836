import time
from pathlib import Path

from harness import processes

from lab import usage
from lab.reports import BEGINS, Reports
from rivals.rival import App

from .bench import Bench

LINE_BYTES = 100
POLL_SECONDS = 0.001


class LogPath(Bench):
    key = "logs"
    title = "Throughput of the log path"
    text = """Programs write numbered lines of 100 bytes as fast as they are taken, from the first line to
the last byte in the log files. Then every line is looked for, in order. CPU is that of the supervisor, or
of `cat`; memory is how much its PSS grew. *bare kernel* is `program | cat > file`."""
    rivals = ("clusterd", "bare", "pm2-fork", "supervisord")
    full = {"repetitions": 5, "cases": {1: 2_000_000, 8: 250_000}}
    smoke = {"repetitions": 2, "cases": {1: 100_000, 8: 20_000}}
    chart = "lines"

    def measure(self, kind):
        for children, lines in self.size["cases"].items():
            with self.lab.opened(kind) as rival:
                self._measure_case(rival, children, lines)

    def _measure_case(self, rival, children: int, lines: int):
        reports = Reports(rival.folder)
        app = App("lines", "b-lines", (reports.path, lines, LINE_BYTES), children, logged=True)
        rival.open()
        bare = rival.key == "bare"
        before = (0, 0) if bare else self._look(rival.supervisors())
        with self.lab.ordered(rival.start, app):
            began = reports.take(children, BEGINS)[0].when_ns
            ended = self._wait_for_bytes(rival, app, children * lines * LINE_BYTES)
        after = self._look(self._copiers(rival) if bare else rival.supervisors())
        lost = children * lines - sum(map(self._lines_in_order, rival.log_files(app)))
        if lost == children * lines:
            raise RuntimeError("no line came")
        case = f"{children} programs" if children > 1 else "1 program"
        self.add(rival.key, case, "lines", children * lines / ((ended - began) / 1e9) / 1000, "thousand/s")
        self.add(rival.key, case, "lost lines", lost, "")
        gigabytes = children * lines * LINE_BYTES / 1e9
        self.add(rival.key, case, "CPU of the copy", (after[1] - before[1]) / gigabytes, "ms/GB")
        if not bare:
            self.add(rival.key, case, "memory growth", after[0] - before[0], "KiB")
        reports.close()

    @staticmethod
    def _look(pids: list[int]) -> tuple:
        return usage.pss_kib(pids), usage.cpu_ms(pids)

    @staticmethod
    def _copiers(rival) -> list[int]:
        return [pid for pid in rival.pids() if processes.command_line(pid) == "cat"]

    @staticmethod
    def _wait_for_bytes(rival, app: App, expected: int, deadline: float = 120) -> int:
        """The monotonic nanoseconds at which all was in the files, or nothing more had come for two seconds."""
        last_change, last_size = time.monotonic(), -1
        while True:
            size = sum(path.stat().st_size for path in rival.log_files(app) if path.exists())
            if size != last_size:
                last_change, last_size = time.monotonic(), size
            if size >= expected or time.monotonic() - last_change > 2:
                return int(last_change * 1e9)
            time.sleep(POLL_SECONDS)

    @staticmethod
    def _lines_in_order(path: Path) -> int:
        """How many of the lines 0, 1, 2 ... are there, whole and in order."""
        found = 0
        with path.open("rb") as file:
            for line in file:
                found += len(line) == LINE_BYTES and line.startswith(b"%09d." % found)
        return found
