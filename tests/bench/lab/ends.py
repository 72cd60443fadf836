"""Waits for the ends of processes, without asking again and again: by process descriptors."""

import os
import resource
import select
import time


def allow_many_descriptors():
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class Ends:
    """Made before the order to end is given; wait() returns the monotonic nanoseconds of the last end."""

    def __init__(self, pids: list[int]):
        self._descriptors = []
        for pid in pids:
            try:
                self._descriptors.append(os.pidfd_open(pid))
            except ProcessLookupError:
                continue

    def wait(self, deadline: float = 300, count: int | None = None) -> int:
        """Of all, or of any `count` of them."""
        poller, end = select.poll(), time.monotonic() + deadline
        for descriptor in self._descriptors:
            poller.register(descriptor, select.POLLIN)
        left = len(self._descriptors) if count is None else count
        last = time.monotonic_ns()
        while left > 0:
            ready = poller.poll(max(0, end - time.monotonic()) * 1000)
            if not ready:
                raise RuntimeError(f"{left} processes did not end within {deadline:.0f} s")
            last = time.monotonic_ns()
            for descriptor, _ in ready:
                poller.unregister(descriptor)
                left -= 1
        self.close()
        return last

    def close(self):
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors = []
