import time

from lab.clients import load

from .standing import ByProgram

INSTANCES, CONNECTIONS = 8, 24


class Spread(ByProgram):
    key = "spread"
    title = "Spread of kept connections"
    text = """24 clients connect at the same moment, ask once and keep their connection; eight instances. An
even spread is three each. The bare kernel: `SO_REUSEPORT` for the server in C, one inherited socket for
Node."""
    rivals = ("clusterd", "bare", "pm2-cluster", "node-cluster")
    full = {"repetitions": 7, "programs": ("b-server", "server.js")}
    smoke = {"repetitions": 3, "programs": ("b-server",)}
    chart = "most on one"

    def set_up(self, rival, case):
        app = self.serve_case(rival, case, INSTANCES)
        if rival.key == "clusterd":
            self.add("clusterd", case, "by least_conn", int(rival.balance(app) == "least_conn"), "")
        return app

    def ask(self, rival, case, app):
        result = load(self.lab, app.port, connections=CONNECTIONS, hold=True)
        counts = sorted(result["answers"].values(), reverse=True)
        counts += [0] * (INSTANCES - len(counts))
        self.add(rival.key, case, "most on one", counts[0], "")
        self.add(rival.key, case, "least on one", counts[-1], "")
        time.sleep(0.5)  # the servers close their ends
