import subprocess
import time

from lab.reports import Reports
from rivals.rival import App

from .standing import StandingBench


class CommandLatency(StandingBench):
    key = "commands"
    title = "Latency of commands"
    text = """Wall time of `list` (supervisord: `status`) and of `ping` with so many apps of one idle
process each, into `/dev/null`. *bare kernel* is `/bin/true`: what starting any command costs."""
    rivals = ("clusterd", "bare", "pm2-fork", "supervisord")
    full = {"repetitions": 15, "counts": (1, 100, 1000)}
    smoke = {"repetitions": 3, "counts": (1, 30)}
    chart = "list"
    noun = "apps"

    def cases(self) -> list:
        return list(self.size["counts"])

    def concerns(self, kind, case) -> bool:
        return kind.key == "bare" or case <= kind.most

    def set_up(self, rival, case):
        if rival.key == "bare":
            return None
        reports = Reports(rival.folder)
        rival.open()
        rival.start(*(App(f"idle{number}", "b-idle", (reports.path,)) for number in range(case)))
        reports.take(case, deadline=300)
        reports.close()
        return None

    def ask(self, rival, case, state):
        for metric, command in (("list", rival.list_command()), ("ping", rival.ping_command())):
            began = time.monotonic_ns()
            process = rival.popen(*command, stderr=subprocess.DEVNULL)
            if process.wait(timeout=60) != 0:
                raise RuntimeError(f"{command} failed")
            self.add(rival.key, case, metric, (time.monotonic_ns() - began) / 1e6, "ms")
