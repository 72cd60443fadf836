import time

from lab.reports import Reports
from rivals.rival import App

from .bench import Bench


class Restart(Bench):
    key = "restart"
    title = "Restart of many"
    text = """`restart` of an app with so many idle processes, until the last successor executes its first
line."""
    rivals = ("clusterd", "bare", "pm2-fork", "supervisord")
    full = {"repetitions": 5, "count": 50}
    smoke = {"repetitions": 2, "count": 10}
    chart = "restart"

    def measure(self, kind):
        with self.lab.opened(kind) as rival:
            reports = Reports(rival.folder)
            count = self.size["count"]
            app = App("idle", "b-idle", (reports.path,), count)
            rival.open()
            rival.start(app)
            reports.take(count)
            time.sleep(1.2)  # all of them have settled
            began = time.monotonic_ns()
            with self.lab.ordered(rival.restart, app):
                running = reports.take(count)
            self.add(kind.key, f"{count} processes", "restart", (running[-1].when_ns - began) / 1e6, "ms")
            reports.close()
