"""A report that tests/count.py adds up: one test for each bench, and one for each exact budget."""

import xml.etree.ElementTree as xml
from pathlib import Path

from lab.samples import Samples

from .budgets import Verdict


def _lacks(samples: Samples, bench) -> str:
    """A bench has to have numbers of clusterd and, if it is one of its rivals, of the bare kernel."""
    lacking = [key for key in ("clusterd", "bare") if key in bench.rivals and key not in samples.rivals(bench.key)]
    return f"no numbers of {', '.join(lacking)}" if lacking else ""


def outcomes(samples: Samples, ran: list, errors: dict[str, str], found: list[Verdict]) -> list[tuple[str, str]]:
    """(name, what is wrong or nothing)."""
    checks = [(bench.key, errors.get(bench.key) or _lacks(samples, bench)) for bench in ran]
    for verdict in found:
        if verdict.exact and verdict.met is not None:
            wrong = "" if verdict.met else f"budget {verdict.limit}, measured {verdict.measured}"
            checks.append((verdict.what, wrong))
    return checks


def write(path: Path, checks: list[tuple[str, str]]):
    suite = xml.Element("testsuite", name="bench", tests=str(len(checks)))
    for name, wrong in checks:
        case = xml.SubElement(suite, "testcase", classname="bench", name=name)
        if wrong:
            xml.SubElement(case, "failure", message=wrong)
    xml.ElementTree(suite).write(path, encoding="unicode")
