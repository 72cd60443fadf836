"""Waiting for something to become true, with a deadline; the only place of the suite that sleeps."""

import time

POLL_SECONDS = 0.015


class DeadlinePassed(AssertionError):
    pass


def wait_for(what: str, predicate, deadline: float = 10.0, context=lambda: ""):
    """Polls until predicate() is true, returns its value; else fails with `what` and the last value."""
    end = time.monotonic() + deadline
    while True:
        value = predicate()
        if value:
            return value
        if time.monotonic() >= end:
            raise DeadlinePassed(f"not within {deadline} s: {what}; last value: {value!r}\n{context()}")
        time.sleep(POLL_SECONDS)


def hold_for(what: str, predicate, seconds: float):
    """Polls for the whole time and fails at the first moment predicate() is false."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = predicate()
        assert value, f"did not hold: {what}; value: {value!r}"
        time.sleep(POLL_SECONDS)
