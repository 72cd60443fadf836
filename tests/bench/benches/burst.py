from lab.clients import failed, load

from .standing import ByCount


class Burst(ByCount):
    key = "burst"
    title = "A burst on a heavy handler"
    text = """1,000 requests, 500 clients at a time, a connection for each request; the handler is the one
above. One instance and eight."""
    rivals = ("clusterd", "bare", "pm2-cluster", "node-cluster")
    full = {"repetitions": 3, "counts": (1, 8), "requests": 1000, "connections": 500}
    smoke = {"repetitions": 1, "counts": (1, 2), "requests": 100, "connections": 50}
    chart = "mean latency"

    def ask(self, rival, case, app):
        size = {name: self.size[name] for name in ("requests", "connections")}
        result = load(self.lab, app.port, path="/work", each=1, timeout=60, **size)
        self.add(rival.key, case, "failed", failed(result), "")
        self.add(rival.key, case, "mean latency", result["latency_us"]["mean"] / 1000, "ms")
        self.add(rival.key, case, "p99", result["latency_us"]["p99"] / 1000, "ms")
