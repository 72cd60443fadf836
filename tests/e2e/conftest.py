"""Fixtures of the end-to-end suite. Run it through tests/run.sh, or with CLUSTERD_BIN set and pytest -n 4."""

import os
import signal
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.dont_write_bytecode = True

from harness import apps  # noqa: E402
from harness.binaries import Binaries, what_is_missing  # noqa: E402
from harness.cluster import CALLER, NOBODY_USER, Cluster  # noqa: E402
from harness.ports import free_port  # noqa: E402

# A shell's background job has these ignored, and everything it starts inherits that: clusterd's own handling of them
# could not be tested.
for ignored in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(ignored) is signal.SIG_IGN:
        signal.signal(ignored, signal.default_int_handler if ignored == signal.SIGINT else signal.SIG_DFL)

CLUSTERS = pytest.StashKey[list]()


def pytest_configure(config):
    if not config.option.collectonly and (missing := what_is_missing()):
        raise pytest.UsageError(missing)


def pytest_collection_modifyitems(items):
    if os.geteuid() == 0:
        return
    for item in items:
        if item.get_closest_marker("needs_root"):
            item.add_marker(pytest.mark.skip(reason="needs root: other users, namespaces or cgroups"))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if report.failed:
        for cluster in item.stash.get(CLUSTERS, []):
            report.sections.append((f"daemon.log of {cluster.home}", cluster.daemon_log()))


@pytest.fixture(scope="session")
def binaries():
    found = Binaries()
    yield found
    found.remove_copy()


@pytest.fixture
def make_cluster(request, binaries):
    """Makes clusters that are ended, and checked for leftovers, with the test."""
    made = request.node.stash.setdefault(CLUSTERS, [])

    def make(user=CALLER, **options) -> Cluster:
        made.append(Cluster(binaries, user, **options))
        return made[-1]

    yield make
    logs = "".join(f"\n--- daemon.log\n{cluster.daemon_log()}" for cluster in made)
    left = [line for cluster in made for line in cluster.close()]
    made.clear()
    assert not left, f"left running after `clusterd kill`: {left}{logs}"


@pytest.fixture
def cluster(make_cluster) -> Cluster:
    return make_cluster()


@pytest.fixture
def as_nobody(make_cluster) -> Cluster:
    """The same as `cluster` for uid 65534; for tests marked needs_root."""
    return make_cluster(NOBODY_USER)


@pytest.fixture(params=["caller", pytest.param("nobody", marks=pytest.mark.needs_root)])
def any_user_cluster(request, make_cluster) -> Cluster:
    """Once with the rights of the caller (root in CI), once unprivileged."""
    return make_cluster(CALLER if request.param == "caller" else NOBODY_USER)


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def web(cluster, port):
    """The app most tests need: a graceful static server named web, on `port`."""
    return apps.web(cluster, port)
