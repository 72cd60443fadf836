"""What t-probe wrote."""

import json

from .cluster import Cluster


def count(cluster: Cluster) -> int:
    return len(list(cluster.folder("probes").glob("*.json")))


def read(cluster: Cluster, pid: int) -> dict:
    path = cluster.folder("probes") / f"{pid}.json"
    cluster.wait_for(f"the probe of process {pid}", path.exists)
    found = json.loads(path.read_text())
    found["environment"] = dict(entry.partition("=")[::2] for entry in found["env"])
    return found


def of_app(cluster: Cluster, name: str = "probe") -> dict:
    """The probe of the only instance that runs now."""
    return read(cluster, cluster.pid(name))


def wait_for_start(cluster: Cluster, number: int, deadline: float = 10.0) -> dict:
    """The newest probe, once there are `number` of them."""
    folder = cluster.folder("probes")
    cluster.wait_for(f"start number {number}", lambda: count(cluster) >= number, deadline)
    newest = max(folder.glob("*.json"), key=lambda path: path.stat().st_mtime_ns)
    return read(cluster, int(newest.stem))
