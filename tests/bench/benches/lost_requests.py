import os
import signal
import time

from harness.waiting import wait_for

from lab import usage
from lab.clients import FAILURES, Load
from rivals.rival import App

from .bench import Bench

INSTANCES = 4
# Below what two CPUs can do beside the operations, so that a failure is one of the supervisor.
NEW_CONNECTIONS = {"connections": 8, "each": 1, "rate": 300, "timeout": 15}
KEPT_CONNECTIONS = {"connections": 8, "each": 10, "rate": 300, "timeout": 15}
# Each process lives about so long before its turn: most supervisors give up on one that crashes within a second.
LIFE_SECONDS = 2.0


def _age(pid: int) -> float:
    """Seconds since its start; of one that is gone nothing."""
    started = usage.started_ticks(pid)
    return time.clock_gettime(time.CLOCK_BOOTTIME) - started / usage.TICKS_PER_SECOND if started else 0.0


class LostRequests(Bench):
    key = "lost-requests"
    title = "Failed requests in reloads and crashes"
    text = """Four instances (with PM2's fork mode one, a second one could not bind the port) under load:
eight clients with a connection for each request, eight that make ten requests on each, 600 requests a
second in all. *reload*: ten reloads in a row; *kill*: fifty times the oldest instance gets SIGKILL, two a
second (one in two seconds if there is only one). A *plain* server dies of its stop signal at once; a
*graceful* one finishes what it has. Failed is a request that was refused, reset, or ended without an
answer, or *hung*: none within 15 s. *raced* are requests on a kept connection which the server closed in
that moment; they may be repeated, and are not counted as failed. A request that a killed process had in
hand is lost with everybody."""
    rivals = ("clusterd", "pm2-fork", "pm2-cluster")
    full = {"repetitions": 1, "reloads": 10, "kills": 50, "programs": ("b-server", "server.js")}
    smoke = {"repetitions": 1, "reloads": 2, "kills": 5, "programs": ("b-server",)}
    chart = "failed"

    def measure(self, kind):
        for program in self.size["programs"]:
            if (kind.key == "pm2-cluster") != program.endswith(".js") and kind.key != "clusterd":
                continue
            for graceful in (False, True):
                for operation in ("reload", "kill"):
                    self._measure_case(kind, program, graceful, operation)

    def _measure_case(self, kind, program: str, graceful: bool, operation: str):
        case = f"{operation}, {'Node' if program.endswith('.js') else 'C'}, {'graceful' if graceful else 'plain'}"
        self.lab.say(f"{self.key}: {kind.key}, {case}")
        with self.lab.opened(kind) as rival:
            port = self.lab.free_port()
            count = 1 if kind.key == "pm2-fork" else INSTANCES
            app = App("web", program, count=count, port=port, graceful=graceful)
            rival.open()
            rival.start(app)
            self.lab.wait_serving(rival, app)
            loads = [Load(self.lab, port, **NEW_CONNECTIONS), Load(self.lab, port, **KEPT_CONNECTIONS)]
            time.sleep(0.5)
            began = time.monotonic()
            getattr(self, f"_{operation}")(rival, app)
            seconds = time.monotonic() - began
            time.sleep(0.5)
            self._add_counts(kind.key, case, [load.finish() for load in loads], seconds)

    def _reload(self, rival, app: App):
        for _ in range(self.size["reloads"]):
            rival.reload(app)

    def _kill(self, rival, app: App):
        killed = set()
        for _ in range(self.size["kills"]):
            victims = wait_for("a live instance", lambda: sorted(set(rival.pids()) - killed, key=_age), 30)
            victim = victims[-1]
            killed.add(victim)
            os.kill(victim, signal.SIGKILL)
            time.sleep(LIFE_SECONDS / app.count)

    def _add_counts(self, key: str, case: str, results: list[dict], seconds: float):
        self.add(key, case, "failed", sum(result[name] for result in results for name in FAILURES), "")
        for metric, name in (("hung", "hung"), ("raced", "raced"), ("asked", "requests")):
            self.add(key, case, metric, sum(result[name] for result in results), "")
        self.add(key, case, "duration", seconds, "s")
