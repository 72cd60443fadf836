"""docs/from-pm2.md lists the differences the scenarios show, all of them and no others."""

import importlib
from pathlib import Path

from rivals import page
from rivals.compare import DECLARED, Differs, differences

for path in Path(__file__).parent.glob("test_*.py"):
    if path.stem != Path(__file__).stem:
        importlib.import_module(path.stem)


def test_every_difference_has_a_row_and_every_row_a_scenario():
    listed = {row.id for row in page.rows()}
    assert {
        id: scenarios for id, scenarios in DECLARED.items() if id not in listed
    } == {}, "not in docs/from-pm2.md"
    assert sorted(listed - set(DECLARED)) == [], "no scenario shows these rows of docs/from-pm2.md"


def test_rows_are_numbered_in_order_and_complete():
    rows = page.rows()
    assert [row.id for row in rows] == [f"D{number}" for number in range(1, len(rows) + 1)]
    assert [row.id for row in rows if not all((row.what, row.pm2, row.clusterd, row.why))] == []


def test_what_the_comparison_finds():
    seen = [{"a": 1, "b": 2, "c": 3, "d": 4}, {"a": 1, "b": 3, "c": 3, "d": 6}]
    declared = {"c": Differs("D1", 3, 4), "d": Differs("D2", 4, 5), "e": Differs("D3", 1, 2)}
    found = differences(seen, declared)
    assert [problem.split(":")[0] for problem in found] == ["e", "b", "c", "d"]
    assert differences(seen, {"b": Differs("D1", 2, 3), "d": Differs("D2", 4, 6)}) == []
    assert differences([{"a": 1}, {}], {}) == ["a: not listed: PM2 1, clusterd None"]
