"""The decorator that makes a test of a scenario: both rivals play it at the same time, the fields are compared.

A difference has to be declared with the id of its row in docs/from-pm2.md and with what either side says, so that a
difference that changes its shape, or is gone, is found as well.
"""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from .known import missing

DECLARED: dict[str, list[str]] = {}
"""Ids of differences, each with the scenarios that show it."""


@dataclass(frozen=True)
class Differs:
    """A difference docs/from-pm2.md explains in the row `id`."""

    id: str
    pm2: object
    clusterd: object


def compared(differs: dict[str, Differs] | None = None, needs: tuple[str, ...] = (), fault: str = ""):
    """Makes a pytest test of `scenario(rival) -> {field: value}`.

    `needs`: words such as "verb:report", "option:start --time", "key:cron_restart" that this clusterd must know, or the
    scenario is skipped. `fault`: a difference that clusterd has no reason for; the test is then expected to fail.
    """
    declared = differs or {}

    def decorate(scenario):
        for difference in declared.values():
            DECLARED.setdefault(difference.id, []).append(scenario.__name__)

        def test(rivals):
            if unknown := missing(needs):
                pytest.skip(f"this clusterd does not know {unknown}")
            problems = differences(both(scenario, rivals), declared)
            assert not problems, "\n".join([*problems, *(f"--- {r.name}\n{r.story()}" for r in rivals)])

        test.__name__, test.__doc__, test.__module__ = scenario.__name__, scenario.__doc__, scenario.__module__
        return pytest.mark.xfail(strict=True, raises=AssertionError, reason=fault)(test) if fault else test

    return decorate


def both(scenario, rivals) -> list[dict]:
    with ThreadPoolExecutor(len(rivals)) as pool:
        seen = list(pool.map(lambda rival: rival.plain(scenario(rival)), rivals))
    return [json.loads(json.dumps(one)) for one in seen]


def differences(seen: list[dict], declared: dict[str, Differs]) -> list[str]:
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
            problems.append(f"{field}: {difference.id} is listed but both have {values[0]!r}")
        elif values != (difference.pm2, difference.clusterd):
            problems.append(f"{field}: {difference.id} is another one: PM2 {values[0]!r}, clusterd {values[1]!r}")
    return problems
