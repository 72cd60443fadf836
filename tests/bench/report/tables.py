"""Markdown tables of samples."""

from lab.samples import Samples
from rivals import BY_KEY

from .budgets import Verdict
from .numbers import short, times

# Of a metric that is a count of what went wrong a ratio says nothing.
COUNTS = ("failed", "hung", "raced", "asked", "lost lines", "most on one", "least on one", "by least_conn", "duration")


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |\n"


def _table(head: list[str], rows: list[list[str]], numbers_from: int) -> str:
    rule = ["---"] * numbers_from + ["---:"] * (len(head) - numbers_from)
    return _row(head) + _row(rule) + "".join(map(_row, rows))


def bench_table(samples: Samples, bench: str, noun: str) -> str:
    """A row for each case and metric, a column for each rival, ratios behind."""
    keys = [key for key in BY_KEY if key in samples.rivals(bench)]
    others = [key for key in keys if key.startswith("pm2")]
    head = [noun or "case", "metric", *(BY_KEY[key].title for key in keys)]
    if "bare" in keys:
        head.append("to bare kernel")
    head += [f"to {BY_KEY[key].title}" for key in others]
    rows = []
    for case, metric, unit in samples.lines(bench):
        cells = [case, f"{metric}, {unit}" if unit else metric]
        cells += [short(samples.median(bench, key, case, metric)) for key in keys]
        for key in (["bare"] if "bare" in keys else []) + others:
            ratio = None if metric in COUNTS else samples.ratio(bench, case, metric, "clusterd", key)
            cells.append(times(ratio))
        rows.append(cells)
    return _table(head, rows, 2)


def skipped_lines(samples: Samples, bench: str) -> str:
    """One sentence for each rival that is not in the table."""
    found = [entry for entry in samples.skipped if entry["bench"] == bench]
    return "".join(f"Without {BY_KEY[entry['rival']].title}: {entry['reason']}\n" for entry in found)


def budget_table(verdicts: list[Verdict]) -> str:
    words = {True: "yes", False: "**no**", None: "not measured"}
    rows = [[verdict.what, verdict.limit, verdict.measured, words[verdict.met]] for verdict in verdicts]
    return _table(["what", "budget", "measured", "met"], rows, 2)


def fact_table(facts: dict[str, str]) -> str:
    return _table(["machine", ""], [[name, value] for name, value in facts.items()], 2)
