import time

from lab.clients import FirstAnswer
from rivals.rival import App

from .bench import Bench


class ColdStart(Bench):
    key = "cold-start"
    title = "Cold start to first answer"
    text = """Nothing runs, not even a supervisor. From the order to start a small HTTP server (C, its start
costs nothing) to its first answer; a client asks every 200 µs. *bare kernel* is the program started by a
fork."""
    rivals = ("clusterd", "bare", "pm2-fork", "supervisord", "runit", "s6")
    full = {"repetitions": 15}
    smoke = {"repetitions": 3}
    chart = "first answer"

    def measure(self, kind):
        with self.lab.opened(kind) as rival:
            app = App("web", "b-server", port=self.lab.free_port())
            client = FirstAnswer(self.lab, app.port)
            began = time.monotonic_ns()
            client.go()
            rival.start_cold(app)
            _, answered = client.times_ns()
            self.add(kind.key, "one server", "first answer", (answered - began) / 1e6, "ms")
