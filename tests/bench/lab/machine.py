"""The facts of this machine without which numbers say nothing."""

import os
import platform
import subprocess
import time
from pathlib import Path


def _first_line(words: list) -> str:
    try:
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=20)
    except OSError:
        return "not there"
    return (done.stdout or done.stderr).strip().partition("\n")[0]


def _cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _system() -> str:
    for line in Path("/etc/os-release").read_text().splitlines():
        if line.startswith("PRETTY_NAME="):
            return line.partition("=")[2].strip('"')
    return platform.system()


def facts(clusterd: Path) -> dict[str, str]:
    memory_kib = int(Path("/proc/meminfo").read_text().split()[1])
    return {
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "processor": f"{_cpu_model()}, {len(os.sched_getaffinity(0))} CPUs",
        "memory": f"{memory_kib / 1048576:.0f} GiB",
        "system": f"{_system()}, Linux {platform.release()}",
        "user": "root" if os.geteuid() == 0 else "unprivileged",
        "load before the run": f"{os.getloadavg()[0]:.1f}",
        "clusterd": _first_line([clusterd, "--version"]),
        "Node": _first_line(["node", "--version"]),
    }
