"""Protects: an instance that the kernel's out-of-memory killer ended is told apart from one that somebody killed."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

LIMIT_BYTES = 150 << 20


def own_memory_folder() -> Path | None:
    """Of this process, where a limit can be set for a folder of ours: cgroup v1, or v2 with the controller."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if "memory" in controllers.split(","):
            return Path("/sys/fs/cgroup/memory" + path)
        folder = Path("/sys/fs/cgroup" + path)
        control = folder / "cgroup.subtree_control"
        if not controllers and control.exists() and "memory" in control.read_text().split():
            return folder
    return None


@pytest.fixture
def limited():
    parent = own_memory_folder()
    folder = parent and parent / f"clusterd-e2e-{os.getpid()}"
    try:
        folder.mkdir()
    except (OSError, AttributeError):
        pytest.skip("no memory cgroup can be made here")
    for name in ("memory.limit_in_bytes", "memory.max"):
        if (folder / name).exists():
            (folder / name).write_text(str(LIMIT_BYTES))
    for name in ("memory.swap.max",):
        if (folder / name).exists():
            (folder / name).write_text("0")
    yield folder
    deadline = time.monotonic() + 20
    while (folder / "cgroup.procs").read_text() and time.monotonic() < deadline:
        time.sleep(0.05)
    folder.rmdir()


def test_out_of_memory_is_named(limited, cluster):
    hog = "import sys\nsys.stderr.write('eating\\n'); sys.stderr.flush()\nx=[]\nwhile True: x.append(bytearray(b'x' * (1 << 20)))"
    app = {"name": "hog", "script": sys.executable, "args": ["-c", hog], "restart_delay": 60000, "min_uptime": 200}
    file = cluster.ecosystem(app)
    join = f'echo $$ > {limited}/cgroup.procs; exec "$0" start "$1" --no-wait'
    subprocess.run(
        ["sh", "-c", join, cluster.binaries.clusterd, str(file)],
        env=cluster.environment(),
        cwd=cluster.work,
        check=True,
        capture_output=True,
        timeout=60,
    )
    death = cluster.wait_for("the death", lambda: cluster.run("why", "hog", "--json").json(), 60)[0]
    cluster.run("kill")
    assert death["exit"]["signal"] == "SIGKILL" and death["by"] == "memory", death
    assert "out-of-memory killer" in death["cause"] and death["stderr"] == "eating\n"
