"""Protects: `balance` and `list` show the connections an app really has, and say so where nobody counts them."""

import contextlib

import pytest

from harness import apps, http

INSTANCES = 4


@contextlib.contextmanager
def held(port: int, count: int):
    """Open connections on which nothing is said."""
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(http.connect(port)) for _ in range(count)]


def balance_of(cluster, name="web") -> dict:
    return cluster.run("balance", name, "--json").json()[0]


def open_of(cluster) -> list[int]:
    return [one["connections"]["open"] for one in balance_of(cluster)["instances"]]


def conn_column(cluster) -> list[str]:
    header, *rows = cluster.run("list").out.splitlines()
    column = header.split().index("conn")
    return [row.split()[column] for row in rows if "web" in row]


@pytest.mark.parametrize("balance", ["auto", "shared"])
def test_open_connections_are_shown_and_gone_when_they_end(cluster, port, balance):
    cluster.start(apps.web(cluster, port, instances=INSTANCES, balance=balance))
    with held(port, 12):
        cluster.wait_for("12 open connections", lambda: sum(open_of(cluster)) == 12)
        assert sum(map(int, conn_column(cluster))) == 12
        shown = cluster.run("balance", "web").out
        assert "#" in shown and "max/mean" in shown.splitlines()[-1], shown
        described = cluster.run("describe", "web").out
        assert described.count(" open") == INSTANCES, described
    cluster.wait_for("no open connection", lambda: sum(open_of(cluster)) == 0)


def test_least_conn_spreads_open_connections_evenly(cluster, port):
    cluster.start(apps.web(cluster, port, instances=INSTANCES))
    if balance_of(cluster)["balance"] != "least_conn":
        pytest.skip("this machine does not allow least_conn: " + balance_of(cluster)["balance_reason"])
    with held(port, 3 * INSTANCES):
        cluster.wait_for("an even spread", lambda: open_of(cluster) == [3] * INSTANCES)
        assert balance_of(cluster)["max_over_mean"]["open"] == 1
    totals = [one["connections"]["total"] for one in balance_of(cluster)["instances"]]
    assert min(totals) >= 3, totals


@pytest.mark.needs_root
def test_without_privileges_nobody_counts_totals_and_it_says_why(as_nobody, port):
    as_nobody.start(apps.web(as_nobody, port, instances=2))
    shown = balance_of(as_nobody)
    assert (shown["balance"], shown["max_over_mean"]["total"]) == ("random", None)
    last = as_nobody.run("balance", "web").out.splitlines()[-1]
    assert "CAP_BPF" in last and "only the in-kernel balancer counts totals" in last


@pytest.mark.parametrize(
    "app, why",
    [
        ({}, "has bound no TCP port"),
        ({"exec_mode": "fork"}, "leaves the sockets to the program"),
        ({"listen": ["unix:@clusterd-test-balance"]}, "Unix sockets cannot be counted"),
    ],
    ids=["no port", "fork", "unix"],
)
def test_where_nothing_is_counted_it_says_why(cluster, app, why):
    cluster.start(apps.sleeper(**app))
    assert why in cluster.run("balance", "sleeper").out
    cluster.run("stop", "sleeper")
    assert "no instance is running" in cluster.run("balance", "sleeper").out
