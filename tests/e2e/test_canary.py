"""A new version beside the old one, for a part of the connections."""

import json

from harness import apps, http, processes
from harness.load import Load


def start_web(cluster, port: int, **keys):
    cluster.start(apps.web(cluster, port, instances=3, **keys))
    return set(map(str, cluster.pids("web")))


def answers(port: int, count: int) -> list[str]:
    return [http.get(port).split()[0] for _ in range(count)]


def canary_of(cluster) -> dict | None:
    return json.loads(cluster.run("describe", "web", "--json").out)["apps"][0].get("canary")


def test_a_canary_gets_its_part_and_promote_lets_the_others_follow(cluster, port):
    old = start_web(cluster, port)
    with Load(port, rate=100) as load:
        done = cluster.run("reload", "web", "--canary", "50%")
        assert "promote" in done.err
        assert canary_of(cluster)["share"] == 0.5
        new = set(map(str, cluster.pids("web"))) - old
        assert len(new) == 1
        seen = answers(port, 200)
        assert 60 <= sum(pid in new for pid in seen) <= 140  # 100 expected, +- 5.6 sigma
        assert set(seen) <= old | new

        cluster.run("promote", "web")
        after = set(map(str, cluster.pids("web")))
        assert len(after) == 3 and not after & old and new.isdisjoint(after)
        assert canary_of(cluster) is None
    assert not load.tally.failures and sum(load.tally.ok.values()) > 20, load.tally


def test_abort_leaves_the_old_ones_untouched(cluster, port):
    old = start_web(cluster, port)
    with Load(port, rate=100) as load:
        cluster.run("reload", "web", "--canary", "10%")
        canary = next(iter(set(map(str, cluster.pids("web"))) - old))
        cluster.run("abort", "web")
        assert set(map(str, cluster.pids("web"))) == old
        assert not processes.alive(int(canary))
    assert not load.tally.failures and sum(load.tally.ok.values()) > 20, load.tally


def test_a_canary_that_fails_is_taken_away_and_said(cluster, port):
    marker = cluster.write("broken", "")
    marker.unlink()
    script = cluster.write(
        "server.sh", f'#!/bin/sh\n[ -e {marker} ] && {{ echo no database; exit 3; }}\nexec {cluster.program("t-http")} --port {port}\n'
    )
    script.chmod(0o755)
    cluster.start(apps.QUICK | {"name": "web", "script": str(script), "instances": 2})
    old = set(cluster.pids("web"))
    marker.write_text("")
    done = cluster.run("reload", "web", "--canary", "10%", check=1)
    assert "exited with code 3" in done.err
    assert set(cluster.pids("web")) == old
    assert canary_of(cluster) is None


def test_what_cannot_have_a_canary_is_told_why(cluster, port):
    start_web(cluster, port)
    assert "such as 10%" in cluster.run("reload", "web", "--canary", "10", check=2).err
    assert "has no canary" in cluster.run("promote", "web", check=2).err
    cluster.run("reload", "web", "--canary", "10%")
    assert "has a canary already" in cluster.run("reload", "web", "--canary", "10%", check=None).err
    cluster.run("stop", "web")
    assert canary_of(cluster) is None
