import time

from lab.clients import FirstAnswer
from lab.reports import Reports
from rivals.rival import App

from .standing import StandingBench

# A process that lived shorter than a second is restarted with a pause by nearly everybody.
STABLE_SECONDS = 1.3


class Crash(StandingBench):
    key = "crash"
    title = "Crash to successor"
    text = """The only process of a server in C gets SIGKILL, each time after it has lived for more than a
second. Until the first line of its successor runs, and until the next answer. With clusterd the port stays
open all the time."""
    rivals = ("clusterd", "bare", "pm2-fork", "supervisord", "runit", "s6")
    full = {"repetitions": 20}
    smoke = {"repetitions": 3}
    chart = "program runs"

    def cases(self) -> list:
        return ["SIGKILL"]

    def set_up(self, rival, case):
        reports = Reports(rival.folder)
        app = App("web", "b-server", ("--report", reports.path), port=self.lab.free_port())
        rival.open()
        rival.start(app)
        self.lab.wait_serving(rival, app)
        return {"app": app, "reports": reports, "last": reports.take(1)[-1]}

    def ask(self, rival, case, state):
        last = state["last"]
        time.sleep(max(0.0, last.when_ns / 1e9 + STABLE_SECONDS - time.monotonic()))
        state["reports"].drop()
        client = FirstAnswer(self.lab, state["app"].port, kill=last.pid)
        client.go()
        killed, answered = client.times_ns()
        state["last"] = state["reports"].take(1)[-1]
        self.add(rival.key, case, "program runs", (state["last"].when_ns - killed) / 1e6, "ms")
        self.add(rival.key, case, "first answer", (answered - killed) / 1e6, "ms")
