"""Samples: everything that was measured, as rows; medians and ratios of them.

A row is {"bench", "rival", "case", "metric", "unit", "value"}; rows of one (bench, case, metric) and rival are
repetitions, in order. Rivals take turns, so the n-th values of two rivals were measured side by side and their ratio
does not care how busy the machine was then.
"""

import json
import statistics
from pathlib import Path


class Samples:
    def __init__(self, rows: list[dict] | None = None):
        self.rows = rows or []
        self.skipped: list[dict] = []  # {"bench", "rival", "reason"}

    def add(self, bench: str, rival: str, case: str, metric: str, value: float, unit: str):
        self.rows.append(
            {"bench": bench, "rival": rival, "case": case, "metric": metric, "unit": unit, "value": round(value, 4)}
        )

    def skip(self, bench: str, rival: str, reason: str):
        self.skipped.append({"bench": bench, "rival": rival, "reason": reason})

    def values(self, bench: str, rival: str, case: str, metric: str) -> list[float]:
        return [
            row["value"]
            for row in self.rows
            if (row["bench"], row["rival"], row["case"], row["metric"]) == (bench, rival, case, metric)
        ]

    def median(self, bench: str, rival: str, case: str, metric: str) -> float | None:
        values = self.values(bench, rival, case, metric)
        return statistics.median(values) if values else None

    def ratio(self, bench: str, case: str, metric: str, rival: str, to: str) -> float | None:
        """Median of the ratios of values measured side by side."""
        pairs = zip(self.values(bench, rival, case, metric), self.values(bench, to, case, metric), strict=False)
        ratios = [a / b for a, b in pairs if b]
        return statistics.median(ratios) if ratios else None

    def lines(self, bench: str) -> list[tuple[str, str, str]]:
        """(case, metric, unit) in the order of first appearance."""
        return list(dict.fromkeys((r["case"], r["metric"], r["unit"]) for r in self.rows if r["bench"] == bench))

    def rivals(self, bench: str) -> list[str]:
        return list(dict.fromkeys(row["rival"] for row in self.rows if row["bench"] == bench))

    def benches(self) -> set[str]:
        return {row["bench"] for row in self.rows}

    def write(self, path: Path):
        path.write_text("".join(json.dumps(row) + "\n" for row in [*self.rows, *self.skipped]))

    @staticmethod
    def read(path: Path) -> "Samples":
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        samples = Samples([row for row in rows if "metric" in row])
        samples.skipped = [row for row in rows if "reason" in row]
        return samples
