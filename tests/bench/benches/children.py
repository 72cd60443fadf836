import time

from lab import usage
from lab.ends import Ends
from lab.reports import Reports
from rivals.rival import App

from .bench import Bench

SETTLE_SECONDS = 1.5  # until what a start leaves behind has been freed


class Children(Bench):
    key = "children"
    title = "Idle children: memory, start, stop"
    text = """A supervisor that runs gets the order to run so many idle programs; the time is until the last
of them executes its first line. Memory, proportional (PSS) and resident (RSS), and descriptors are those of
all processes of the supervisor 1.5 s later, without the programs; runit and s6 have a process for each
program. Stop is until the last one has ended. runit, s6 and the bare kernel are started together with their
programs."""
    rivals = ("clusterd", "bare", "pm2-fork", "supervisord", "runit", "s6")
    full = {"repetitions": 3, "counts": (1, 10, 100, 500, 2000)}
    smoke = {"repetitions": 1, "counts": (1, 50)}
    chart = "PSS"
    noun = "children"

    def measure(self, kind):
        for count in self.size["counts"]:
            if count <= kind.most:
                self._measure_count(kind, count)

    def _measure_count(self, kind, count: int):
        with self.lab.opened(kind) as rival:
            reports = Reports(rival.folder)
            app = App("idle", "b-idle", (reports.path,), count)
            rival.open()
            began = time.monotonic_ns()
            with self.lab.ordered(rival.start, app):
                running = reports.take(count, deadline=300)
            self.add(kind.key, count, "start", (running[-1].when_ns - began) / 1e6, "ms")
            time.sleep(SETTLE_SECONDS)
            self._look(kind.key, count, rival.supervisors())
            ends = Ends([report.pid for report in running])
            began = time.monotonic_ns()
            with self.lab.ordered(rival.stop, app):
                ended = ends.wait()
            self.add(kind.key, count, "stop", (ended - began) / 1e6, "ms")
            reports.close()

    def _look(self, key: str, count: int, supervisors: list[int]):
        self.add(key, count, "PSS", usage.pss_kib(supervisors), "KiB")
        self.add(key, count, "RSS", usage.rss_kib(supervisors), "KiB")
        self.add(key, count, "descriptors", usage.descriptors(supervisors), "")
