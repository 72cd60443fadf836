"""App objects (as in ecosystem files) that many tests share."""

from . import http
from .cluster import Cluster

# Durations that make a suite of many stops and reloads quick; single tests override them.
QUICK = {"min_uptime": 200, "kill_timeout": 1000, "drain_timeout": 1000, "listen_timeout": 5000}


def web(cluster: Cluster, port: int, *args, version: str = "v1", **keys) -> dict:
    """A server that finishes what it has accepted when it is told to stop."""
    words = ["--port", str(port), "--version", version, "--graceful", *map(str, args)]
    return QUICK | {"name": "web", "script": cluster.program("t-http"), "args": words} | keys


def start_serving(cluster: Cluster, app: dict, target) -> None:
    """Starts an app and waits for its first answer: one that boots slowly is online before it listens."""
    cluster.start(app, timeout=100)
    cluster.wait_for("the first answer", lambda: http.serves(target), 20)


def switchable(cluster: Cluster, port: int, *args, version: str = "v1", **keys) -> dict:
    """`web` behind a script, so that deploy() can put another program in its place."""
    deploy_web(cluster, port, *args, version=version)
    return QUICK | {"name": "web", "script": str(cluster.work / "server")} | keys


def deploy(cluster: Cluster, body: str):
    """Replaces what `server` does from the next start on."""
    cluster.script("server", body)


def deploy_web(cluster: Cluster, port: int, *args, version: str):
    words = " ".join(map(str, args))
    deploy(cluster, f"exec {cluster.program('t-http')} --port {port} --version {version} --graceful {words}")


def sleeper(name: str = "sleeper", **keys) -> dict:
    return QUICK | {"name": name, "script": "sleep", "args": ["100000"]} | keys


def failing(cluster: Cluster, code: int = 1, after_ms: int = 0, **keys) -> dict:
    return (
        QUICK
        | {"name": "failing", "script": cluster.program("t-exit"), "args": [str(code), str(after_ms)]}
        | keys
    )


def probe(cluster: Cluster, *args, **keys) -> dict:
    """An app that writes what it was given to the folder probes/, one PID.json each start."""
    words = [str(cluster.folder("probes")), *args]
    return QUICK | {"name": "probe", "script": cluster.program("t-probe"), "args": words} | keys


def printer(cluster: Cluster, *args, **keys) -> dict:
    return (
        QUICK | {"name": "printer", "script": cluster.program("t-print"), "args": list(map(str, args))} | keys
    )
