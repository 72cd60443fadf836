"""What processes cost, summed up over the processes of a supervisor, from /proc."""

import os
from pathlib import Path

from harness import processes

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def _field_kib(path: Path, name: str) -> int:
    for line in path.read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1])
    return 0


def rss_kib(pids: list[int]) -> int:
    return sum(_field_kib(Path(f"/proc/{pid}/smaps_rollup"), "Rss:") for pid in pids)


def pss_kib(pids: list[int]) -> int:
    """Proportional: what several processes share is counted once."""
    return sum(_field_kib(Path(f"/proc/{pid}/smaps_rollup"), "Pss:") for pid in pids)


def descriptors(pids: list[int]) -> int:
    return sum(len(os.listdir(f"/proc/{pid}/fd")) for pid in pids)


def cpu_ms(pids: list[int]) -> float:
    """Exact, of all threads: the scheduler's own count in nanoseconds."""
    total = 0
    for pid in pids:
        for task in Path(f"/proc/{pid}/task").iterdir():
            total += int((task / "schedstat").read_text().split()[0])
    return total / 1e6


def started_ticks(pid: int) -> int:
    """Since the boot; 0 if there is no such process."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[19])
    except OSError:
        return 0


def cpu_ticks(pids: list[int]) -> int:
    return sum(processes.cpu_ticks(pid) for pid in pids)


def wakeups(pids: list[int]) -> int:
    """How often a thread went to sleep, which is how often it had been woken."""
    total = 0
    for pid in pids:
        for task in Path(f"/proc/{pid}/task").iterdir():
            total += _field_kib(task / "status", "voluntary_ctxt_switches:")
    return total
