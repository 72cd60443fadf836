"""Free TCP ports that no other test process on this machine will pick at the same moment.

A port is reserved by binding an abstract Unix socket with its number; the kernel frees that with the process.
Ports come from below the range the kernel gives to outgoing connections, so a client cannot sit on one.
"""

import itertools
import os
import random
import socket

_FIRST, _LAST = 12_000, 32_000
_reservations = []
_candidates = itertools.cycle(range(_FIRST, _LAST))
for _ in range(random.Random(os.urandom(8)).randrange(_LAST - _FIRST)):
    next(_candidates)


def _reserve(port: int) -> bool:
    lock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        lock.bind(f"\0clusterd-e2e-port-{port}")
    except OSError:
        lock.close()
        return False
    _reservations.append(lock)
    return True


def _is_unused(port: int) -> bool:
    for family, address in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):
        probe = socket.socket(family, socket.SOCK_STREAM)
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError:
            return False
        finally:
            probe.close()
    return True


def free_port() -> int:
    """A port nobody uses and no other call of this function gave out."""
    for port in itertools.islice(_candidates, _LAST - _FIRST):
        if _reserve(port) and _is_unused(port):
            return port
    raise RuntimeError("no free port left")


def can_bind(port: int, host: str = "127.0.0.1") -> bool:
    """True when a program started by hand could serve on that port now."""
    probe = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        probe.bind((host, port))
        probe.listen(1)
        return True
    except OSError:
        return False
    finally:
        probe.close()
