import time

from lab.ends import Ends
from lab.reports import Reports
from rivals.rival import App

from .bench import Bench


class Scale(Bench):
    key = "scale"
    title = "Scale up and down"
    text = """An app of one idle process is scaled to many and back, until the last one executes its first
line and until the last one has ended. The bare kernel starts that many and ends them."""
    rivals = ("clusterd", "bare", "pm2-fork")
    full = {"repetitions": 5, "count": 50}
    smoke = {"repetitions": 2, "count": 10}
    chart = "up"

    def measure(self, kind):
        with self.lab.opened(kind) as rival:
            reports = Reports(rival.folder)
            count = self.size["count"]
            bare = kind.key == "bare"
            app = App("idle", "b-idle", (reports.path,), count - 1 if bare else 1)
            rival.open()
            pids = []
            if not bare:
                rival.start(app)
                pids = [report.pid for report in reports.take(1)]
            began = time.monotonic_ns()
            with self.lab.ordered(rival.start, app) if bare else self.lab.ordered(rival.scale, app, count):
                running = reports.take(count - 1)
            self.add(kind.key, f"1 to {count} to 1", "up", (running[-1].when_ns - began) / 1e6, "ms")
            time.sleep(1.2)  # the new ones have settled
            ends = Ends(pids + [report.pid for report in running])
            began = time.monotonic_ns()
            with self.lab.ordered(rival.stop, app) if bare else self.lab.ordered(rival.scale, app, 1):
                ended = ends.wait(count=count - 1)
            self.add(kind.key, f"1 to {count} to 1", "down", (ended - began) / 1e6, "ms")
            reports.close()
