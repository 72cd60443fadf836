"""The connection counts of an app's instances, as the daemon gives them by the operation `list`."""

from .cluster import Cluster


def of(cluster: Cluster, name: str = "web") -> dict[int, dict]:
    """pid -> {"open", "queued", "total"}."""
    with cluster.control() as control:
        views = control.request("list")["result"]["instances"]
    return {view["pid"]: view["connections"] for view in views if view["name"] == name and view["pid"]}


def open_by_pid(cluster: Cluster, name: str = "web") -> dict[int, int]:
    return {pid: counts["open"] for pid, counts in of(cluster, name).items()}


def total(cluster: Cluster, name: str = "web") -> int:
    return sum(counts["total"] for counts in of(cluster, name).values())


def wait_open(cluster: Cluster, expected: int, name: str = "web"):
    """Connections end when the server has closed them, too: a moment after the client did."""
    cluster.wait_for(
        f"{expected} open connections",
        lambda: (now := list(open_by_pid(cluster, name).values())) and sum(now) == expected,
    )
