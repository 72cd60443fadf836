"""Looks into /proc: who is alive, who belongs to whom, who owns a connection. Exits are tolerated."""

import os
import signal
import socket
from pathlib import Path


def alive(pid: int) -> bool:
    """A process exists and is not a zombie."""
    return state(pid) not in ("", "Z", "X")


def state(pid: int) -> str:
    """The one-letter state, "" when there is no such process."""
    fields = _stat(pid)
    return fields[0] if fields else ""


def parent(pid: int) -> int:
    fields = _stat(pid)
    return int(fields[1]) if fields else 0


def session(pid: int) -> int:
    fields = _stat(pid)
    return int(fields[3]) if fields else 0


def terminal(pid: int) -> int:
    """Device number of the controlling terminal, 0 when there is none."""
    fields = _stat(pid)
    return int(fields[4]) if fields else 0


def cpu_ticks(pid: int) -> int:
    fields = _stat(pid)
    return int(fields[11]) + int(fields[12]) if fields else 0


def _stat(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def all_pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def children(pid: int) -> list[int]:
    return [p for p in all_pids() if parent(p) == pid]


def descendants(pid: int) -> list[int]:
    """All live processes below pid, nearest first."""
    parents = {p: parent(p) for p in all_pids()}
    found, frontier = [], [pid]
    while frontier:
        frontier = [p for p, above in parents.items() if above in frontier]
        found += frontier
    return found


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def working_directory(pid: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return ""


def environment(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


def descriptors(pid: int) -> dict[int, str]:
    found = {}
    try:
        for name in os.listdir(f"/proc/{pid}/fd"):
            try:
                found[int(name)] = os.readlink(f"/proc/{pid}/fd/{name}")
            except OSError:
                pass
    except OSError:
        pass
    return found


def memory_kib(pid: int) -> int:
    """Resident anonymous memory: what a leak grows."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1])
    return 0


def mentioning(token: str) -> list[int]:
    """Live processes with `token` in environment, command line or working directory, this one not counted."""
    wanted = token.encode()
    return [
        pid
        for pid in all_pids()
        if pid != os.getpid()
        and alive(pid)
        and (
            wanted in environment(pid)
            or token in command_line(pid)
            or working_directory(pid).startswith(token)
        )
    ]


def send_signal(pid: int, number: int) -> bool:
    try:
        os.kill(pid, number)
        return True
    except ProcessLookupError:
        return False


def kill_tree_of(pids: list[int]) -> None:
    for pid in pids:
        send_signal(pid, signal.SIGKILL)


def _hex_port(text: str) -> int:
    return int(text.rpartition(":")[2], 16)


def server_inode(client: socket.socket) -> int:
    """Inode of the accepted socket at the other end of a loopback connection; 0 while there is none."""
    own_port, peer_port = client.getsockname()[1], client.getpeername()[1]
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            fields = line.split()
            if _hex_port(fields[1]) == peer_port and _hex_port(fields[2]) == own_port:
                return int(fields[9])
    return 0


def owner_of_inode(inode: int, candidates: list[int]) -> int:
    """The candidate process that holds the socket, 0 if none does."""
    wanted = f"socket:[{inode}]"
    return next((pid for pid in candidates if wanted in descriptors(pid).values()), 0)
