"""The decorator that makes a test of a scenario: both rivals play it at the same time, the fields are compared.

A difference has to be declared with the id of its row in docs/from-pm2.md and with what either side says, so that a
difference that changes its shape, or is gone, is found as well.
"""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

DECLARED: dict[str, list[str]] = {}
"""Ids of differences, each with the scenarios that show it."""


@dataclass(frozen=True)
class Differs:
    """A difference docs/from-pm2.md explains in the row `id`."""

    id: str
    pm2: object
    clusterd: object


@dataclass(frozen=True)
class Fault:
    """A difference that clusterd has no good reason for: the test is an expected failure until it is gone."""

    pm2: object
    clusterd: object
    why: str


def compared(differs: dict[str, Differs | Fault] | None = None):
    """Makes a pytest test of `scenario(rival) -> {field: value}`."""
    declared = differs or {}
    faults = {field: one.why for field, one in declared.items() if isinstance(one, Fault)}

    def decorate(scenario):
        for difference in declared.values():
            if isinstance(difference, Differs):
                DECLARED.setdefault(difference.id, []).append(scenario.__name__)

        def test(rivals):
            problems = differences(both(scenario, rivals), declared)
            assert not problems, "\n".join([*problems, *(f"--- {r.name}\n{r.story()}" for r in rivals)])
            if faults:
                pytest.xfail("; ".join(f"{field}: {why}" for field, why in faults.items()))

        test.__name__, test.__doc__, test.__module__ = (
            scenario.__name__,
            scenario.__doc__,
            scenario.__module__,
        )
        return test

    return decorate


def both(scenario, rivals) -> list[dict]:
    with ThreadPoolExecutor(len(rivals)) as pool:
        seen = list(pool.map(lambda rival: rival.plain(scenario(rival)), rivals))
    return [json.loads(json.dumps(one)) for one in seen]


def differences(seen: list[dict], declared: dict[str, Differs | Fault]) -> list[str]:
    """A line for each field that is not as it should be."""
    pm2, clusterd = seen
    problems = [f"{field}: declared, but no such field" for field in declared if field not in pm2]
    for field in sorted(set(pm2) | set(clusterd)):
        values = (pm2.get(field), clusterd.get(field))
        difference = declared.get(field)
        if difference is None:
            if values[0] != values[1]:
                problems.append(f"{field}: not listed: PM2 {values[0]!r}, clusterd {values[1]!r}")
        elif values[0] == values[1]:
            problems.append(f"{field}: {difference} is listed but both have {values[0]!r}")
        elif values != (difference.pm2, difference.clusterd):
            problems.append(f"{field}: not {difference}: PM2 {values[0]!r}, clusterd {values[1]!r}")
    return problems
