"""count.py FILE...: adds up JUnit reports into one closing line; fails if a report is missing or has a failure.

A suite of Catch2 is one test for ctest. What it counted itself ("All tests passed (120 assertions in 17 test
cases)") is in its output, so single test cases are counted where they are known.
"""

import re
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

PASSED_SUITE = re.compile(r"All tests passed \([\d,]+ assertions? in (\d+) test cases?\)")
FAILED_SUITE = re.compile(r"test cases:\s*(\d+)(?: \|\s*(\d+) passed)?(?: \|\s*(\d+) failed)?")


def counts_of_case(case) -> tuple[int, int, int]:
    """(passed, failed, skipped) of one entry."""
    if case.find("skipped") is not None:
        return 0, 0, 1
    failed = case.find("failure") is not None or case.find("error") is not None
    output = case.findtext("system-out") or ""
    if not failed and (match := PASSED_SUITE.search(output)):
        return int(match[1]), 0, 0
    if failed and (match := FAILED_SUITE.search(output)):
        return int(match[2] or 0), max(1, int(match[3] or 0)), 0
    return (0, 1, 0) if failed else (1, 0, 0)


def main(paths: list[str]) -> int:
    total = [0, 0, 0]
    for path in paths:
        if not Path(path).exists():
            print(f"count.py: {path} is missing: that suite did not run", file=sys.stderr)
            return 1
        cases = list(xml.parse(path).getroot().iter("testcase"))
        sums = [sum(column) for column in zip(*map(counts_of_case, cases), strict=True)] or [0, 0, 0]
        print(f"{Path(path).stem}: {sums[0]} passed, {sums[1]} failed, {sums[2]} skipped")
        if not cases:
            print(f"count.py: {path} has no test", file=sys.stderr)
            return 1
        total = [a + b for a, b in zip(total, sums, strict=True)]
    print(f"TOTAL: {total[0]} passed, {total[1]} failed, {total[2]} skipped")
    return 1 if total[1] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
