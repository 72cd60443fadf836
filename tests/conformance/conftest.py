"""Fixtures of the conformance suite: the same scenario for PM2 and for clusterd, in homes of their own.

Run it through tests/run.sh, or with CLUSTERD_BIN set: pytest tests/conformance -c tests/conformance/pytest.ini -n 2
"""

import signal
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parent / "e2e")]

from harness.binaries import Binaries, what_is_missing  # noqa: E402
from rivals import package  # noqa: E402
from rivals.clusterd import Clusterd  # noqa: E402
from rivals.pm2 import Pm2  # noqa: E402

# A shell's background job has these ignored, and everything it starts inherits that.
for ignored in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(ignored) is signal.SIG_IGN:
        signal.signal(ignored, signal.default_int_handler if ignored == signal.SIGINT else signal.SIG_DFL)


def pytest_configure(config):
    if config.option.collectonly:
        return
    if missing := what_is_missing():
        raise pytest.UsageError(missing)
    package.install()


@pytest.fixture(scope="session")
def daemons():
    """One daemon of each for all scenarios of this test process."""
    binaries = Binaries()
    made = [Pm2(binaries.programs), Clusterd(binaries.programs, binaries.clusterd)]
    yield made
    left = [line for rival in made for line in rival.close()]
    binaries.remove_copy()
    assert not left, f"left running after `kill`: {left}"


@pytest.fixture
def rivals(daemons):
    for rival in daemons:
        rival.begin()
    yield daemons
    left = {rival.name: rival.end() for rival in daemons}
    assert not left["clusterd"], f"left running after `delete all`: {left['clusterd']}"
