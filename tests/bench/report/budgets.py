"""Budgets: what clusterd promises about its cost, checked against samples.

Most compare with a rival or the bare kernel and hold on a quiet machine only. Those that are `exact` are counts that
no noise excuses; the smoke run fails by them.
"""

from collections.abc import Callable
from dataclasses import dataclass

from lab.samples import Samples
from rivals import BY_KEY

from .numbers import short, times


@dataclass(frozen=True)
class Verdict:
    what: str
    limit: str
    measured: str
    met: bool | None  # None: not measured
    exact: bool = False


def _ratio(samples: Samples, what: str, key: tuple, to: str, most: float) -> Verdict:
    """clusterd's value is at most so many times that of another one."""
    ratio, title = samples.ratio(*key, "clusterd", to), BY_KEY[to].title
    if most >= 1:
        limit, measured = f"at most {short(most)}× {title}", times(ratio)
    else:
        limit, measured = f"at most 1/{round(1 / most)} of {title}", f"1/{1 / ratio:.1f}" if ratio else "–"
    return Verdict(what, limit, measured, None if ratio is None else ratio <= most)


def _at_least(samples: Samples, what: str, key: tuple, to: str, least: float) -> Verdict:
    ratio = samples.ratio(*key, "clusterd", to)
    return Verdict(what, f"at least {least}× {BY_KEY[to].title}", times(ratio), None if ratio is None else ratio >= least)


def _zero(samples: Samples, what: str, bench: str, metric: str, cases: Callable[[str], bool]) -> Verdict:
    """The sum over all repetitions and matching cases is nothing."""
    found = [
        value
        for case in dict.fromkeys(case for case, name, _ in samples.lines(bench) if name == metric and cases(case))
        for value in samples.values(bench, "clusterd", case, metric)
    ]
    return Verdict(what, "0", short(sum(found)) if found else "–", sum(found) == 0 if found else None, exact=True)


def _memory_per_child(samples: Samples) -> Verdict:
    counts = sorted({int(case) for case, metric, _ in samples.lines("children") if metric == "PSS"})
    what, limit = "memory of the daemon for each further child", "at most 20 KiB"
    if len(counts) < 2:
        return Verdict(what, limit, "–", None)
    few, many = (100, 500) if {100, 500} <= set(counts) else (counts[0], counts[-1])
    low, high = (samples.median("children", "clusterd", str(count), "PSS") for count in (few, many))
    each = (high - low) / (many - few)
    return Verdict(f"{what}, {few} to {many}", limit, f"{each:.1f} KiB", each <= 20)


def _cold_start(samples: Samples) -> Verdict:
    own = samples.median("cold-start", "clusterd", "one server", "first answer")
    bare = samples.median("cold-start", "bare", "one server", "first answer")
    what = "nothing runs, to the first answer: above the program started by hand"
    if own is None or bare is None:
        return Verdict(what, "at most 10 ms", "–", None)
    return Verdict(what, "at most 10 ms", f"{own - bare:.1f} ms", own - bare <= 10)


def _spread(samples: Samples) -> list[Verdict]:
    """Exact only where the kernel balances; a random choice cannot promise it."""
    found = []
    for case in dict.fromkeys(case for case, _, _ in samples.lines("spread")):
        if not samples.median("spread", "clusterd", case, "by least_conn"):
            continue
        most = max(samples.values("spread", "clusterd", case, "most on one"))
        least = min(samples.values("spread", "clusterd", case, "least on one"))
        what = f"24 kept connections over 8 instances, {case}"
        found.append(Verdict(what, "3 each", f"{least:.0f} to {most:.0f}", most == least == 3, exact=True))
    return found


def verdicts(samples: Samples) -> list[Verdict]:
    idle = samples.lines("idle")[0][0] if samples.lines("idle") else ""
    return [
        _ratio(samples, "memory (PSS), 100 children", ("children", "100", "PSS"), "pm2-fork", 1 / 10),
        _ratio(samples, "memory (PSS), 500 children", ("children", "500", "PSS"), "pm2-fork", 1 / 10),
        _memory_per_child(samples),
        _ratio(samples, "`list` with 100 apps", ("commands", "100", "list"), "pm2-fork", 1 / 30),
        _ratio(
            samples,
            "nothing runs, to the first answer",
            ("cold-start", "one server", "first answer"),
            "pm2-fork",
            1 / 20,
        ),
        _cold_start(samples),
        _ratio(samples, "start of 500 processes", ("children", "500", "start"), "pm2-fork", 1 / 6),
        _ratio(samples, "start of 500 processes", ("children", "500", "start"), "bare", 2),
        _ratio(samples, "crash to successor", ("crash", "SIGKILL", "program runs"), "pm2-fork", 1 / 3),
        _ratio(samples, "crash to successor", ("crash", "SIGKILL", "program runs"), "bare", 2),
        _at_least(samples, "short connections, server in C", ("connections", "C", "connections"), "bare", 0.98),
        *_spread(samples),
        _at_least(samples, "log path, 1 program", ("logs", "1 program", "lines"), "bare", 0.9),
        _at_least(samples, "log path, 8 programs", ("logs", "8 programs", "lines"), "bare", 0.9),
        _zero(samples, "lost lines", "logs", "lost lines", lambda case: True),
        _zero(samples, f"CPU ticks, idle, {idle}", "idle", "ticks", lambda case: True),
        _zero(samples, f"wake-ups, idle, {idle}", "idle", "wake-ups", lambda case: True),
        _zero(samples, "failed requests in reloads", "lost-requests", "failed", lambda case: case.startswith("reload")),
        _zero(samples, "clients left hanging", "lost-requests", "hung", lambda case: True),
    ]
