from lab import usage
from lab.clients import load

from .standing import ByProgram

INSTANCES = 2


class Connections(ByProgram):
    key = "connections"
    title = "Short connections"
    text = """One request on each connection, 16 clients, two instances that answer at once. What an answer
costs: CPU time of the servers and of the supervisor for each connection. Rivals take turns of a second. The
bare kernel: two processes with `SO_REUSEPORT` for the server in C, one inherited socket for Node."""
    rivals = ("clusterd", "bare", "pm2-cluster", "node-cluster")
    full = {"repetitions": 12, "seconds": 1, "programs": ("b-server", "server.js")}
    smoke = {"repetitions": 4, "seconds": 0.5, "programs": ("b-server",)}
    chart = "connections"

    def set_up(self, rival, case):
        app = self.serve_case(rival, case, INSTANCES)
        load(self.lab, app.port, connections=16, each=1, seconds=self.size["seconds"])  # warms up Node's compiler
        return app, rival.supervisors(), rival.pids()

    def ask(self, rival, case, state):
        app, supervisors, servers = state
        before = usage.cpu_ms(supervisors), usage.cpu_ms(servers), usage.cpu_ticks(supervisors)
        result = load(self.lab, app.port, connections=16, each=1, seconds=self.size["seconds"])
        own, served = usage.cpu_ms(supervisors) - before[0], usage.cpu_ms(servers) - before[1]
        self.add(rival.key, case, "connections", result["ok"] / result["seconds"], "/s")
        self.add(rival.key, case, "CPU of the servers", served * 1000 / result["ok"], "µs each")
        self.add(rival.key, case, "CPU of the supervisor", own * 1000 / result["ok"], "µs each")
        self.add(rival.key, case, "ticks of the supervisor", usage.cpu_ticks(supervisors) - before[2], "")
