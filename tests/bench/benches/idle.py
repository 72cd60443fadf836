import time
from contextlib import ExitStack

from lab import usage
from lab.reports import Reports
from rivals.rival import App

from .bench import Bench


class Idle(Bench):
    key = "idle"
    title = "An idle supervisor"
    text = """So many idle programs, nobody asks anything. CPU time, in ticks of a hundredth of a second and
exact, and how often the kernel woke a thread of the supervisor. All rivals are watched during the same
seconds."""
    rivals = ("clusterd", "bare", "pm2-fork", "supervisord", "runit", "s6")
    full = {"repetitions": 1, "count": 100, "seconds": 30, "settle": 8}
    smoke = {"repetitions": 1, "count": 20, "seconds": 5, "settle": 3}
    chart = "wake-ups"

    def run(self):
        with ExitStack() as stack:
            watched = {}
            for kind in self.available():
                rival = stack.enter_context(self.lab.opened(kind))
                if self.tolerating(kind.key, self._set_up, rival):
                    watched[kind.key] = rival.supervisors()
            self.lab.say(f"{self.key}: watching for {self.size['seconds']} s")
            time.sleep(self.size["settle"])
            before = {key: self._look(pids) for key, pids in watched.items()}
            time.sleep(self.size["seconds"])
            for key, pids in watched.items():
                self._add_difference(key, before[key], self._look(pids))

    def _set_up(self, rival):
        reports = Reports(rival.folder)
        rival.open()
        rival.start(App("idle", "b-idle", (reports.path,), self.size["count"]))
        reports.take(self.size["count"])
        reports.close()

    @staticmethod
    def _look(pids: list[int]) -> tuple:
        return usage.cpu_ticks(pids), usage.cpu_ms(pids), usage.wakeups(pids)

    def _add_difference(self, key: str, before: tuple, after: tuple):
        case = f"{self.size['count']} children, {self.size['seconds']} s"
        for (metric, unit), a, b in zip(
            (("ticks", ""), ("CPU", "ms"), ("wake-ups", "")), before, after, strict=True
        ):
            self.add(key, case, metric, b - a, unit)
