from lab.clients import load

from .standing import ByCount


class CpuBound(ByCount):
    key = "cpu-bound"
    title = "Throughput of a CPU-bound handler"
    text = """A Node server whose handler computes PBKDF2 with 6,000 rounds in its main thread; 16 clients
with kept connections. More instances than CPUs cannot help. The bare kernel: processes that inherit one
listening socket."""
    rivals = ("clusterd", "bare", "pm2-cluster", "node-cluster")
    full = {"repetitions": 3, "counts": (1, 2, 4, 8), "seconds": 3}
    smoke = {"repetitions": 1, "counts": (1, 2), "seconds": 1}
    chart = "requests"

    def ask(self, rival, case, app):
        result = load(self.lab, app.port, connections=16, path="/work", seconds=self.size["seconds"])
        self.add(rival.key, case, "requests", result["ok"] / result["seconds"], "/s")
        self.add(rival.key, case, "p99", result["latency_us"]["p99"] / 1000, "ms")
