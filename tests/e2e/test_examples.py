"""The clients in docs/examples that docs/protocol.md points to: they do what the page says, and stay short."""

import re
import shutil
import subprocess
import sys

import pytest
from harness.binaries import REPOSITORY

EXAMPLES = REPOSITORY / "docs/examples"
CLIENTS = {"client.py": sys.executable, "client.mjs": "node"}
LONGEST = 50


@pytest.fixture(params=CLIENTS)
def client(request, cluster):
    program = shutil.which(CLIENTS[request.param])
    assert program, f"{CLIENTS[request.param]} is not installed"

    def run(*words) -> subprocess.CompletedProcess:
        words = [program, EXAMPLES / request.param, *words]
        options = {"cwd": cluster.work, "env": cluster.environment(), "timeout": 45}
        return subprocess.run(list(map(str, words)), capture_output=True, text=True, **options)

    return run


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_is_short(name):
    assert len((EXAMPLES / name).read_text().splitlines()) <= LONGEST


def test_it_starts_lists_and_follows_a_reload(cluster, client):
    cluster.run("list")  # starts the daemon
    cluster.script("worker.sh", "exec sleep 100000")
    started = client("start", "worker.sh")
    assert started.returncode == 0, started.stderr
    assert re.fullmatch(r"started\n0 worker online \d+\n", started.stdout), started.stdout
    old = cluster.pid("worker")

    reloaded = client("reload", "worker")
    assert reloaded.returncode == 0, reloaded.stderr
    *events, count, listed = reloaded.stdout.splitlines()
    assert count == "1" and any("worker" in event for event in events), reloaded.stdout
    assert listed == f"0 worker online {cluster.pid('worker')}" and cluster.pid("worker") != old

    assert client("list").stdout.splitlines() == [listed]


def test_it_says_why_something_failed(cluster, client):
    cluster.run("list")
    failed = client("reload", "nobody")
    assert failed.returncode != 0
    assert "nobody" in failed.stderr
