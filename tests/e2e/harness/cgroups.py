"""The cgroup v2 folder of this process, where daemons that it starts put theirs, and whether they can."""

import os
from pathlib import Path

from . import processes

PREFIX = "clusterd-connections-"
CAP_NET_ADMIN, CAP_BPF = 12, 39


def _mount_point() -> str:
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        if " - cgroup2 " in line:
            return line.split()[4]
    return ""


def own_folder() -> Path | None:
    """None where no cgroup v2 is mounted."""
    mount = _mount_point()
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        if mount and line.startswith("0::/"):
            return Path(mount + line[3:])
    return None


def _may_make_folders(folder: Path) -> bool:
    probe = folder / f"clusterd-e2e-{os.getpid()}"
    try:
        probe.mkdir()
        probe.rmdir()
    except OSError:
        return False
    return True


def _capabilities() -> int:
    status = Path("/proc/self/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("CapEff:")), 16)


def what_hinders_counting() -> str:
    """Why a daemon of ours cannot count connections in the kernel; "" if it can."""
    missing = [number for number in (CAP_NET_ADMIN, CAP_BPF) if not _capabilities() >> number & 1]
    folder = own_folder()
    if missing:
        return f"capabilities {missing} are missing"
    if folder is None:
        return "no cgroup v2 is mounted"
    return "" if _may_make_folders(folder) else f"no folder can be made in {folder}"


def left_behind() -> list[Path]:
    """Folders of daemons that are gone; those of living ones, of other tests too, are theirs."""
    folder = own_folder()
    if folder is None:
        return []
    return [
        path for path in folder.glob(PREFIX + "*") if not processes.alive(int(path.name[len(PREFIX) :]))
    ]
