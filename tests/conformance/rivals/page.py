"""The table of differences of docs/from-pm2.md: `| D12 | what | PM2 | clusterd | why |`, one row each."""

import re
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).resolve().parents[3] / "docs/from-pm2.md"
ROW = re.compile(r"^\| *(D\d+) *\|(.*)\|\s*$")


@dataclass(frozen=True)
class Row:
    id: str
    what: str
    pm2: str
    clusterd: str
    why: str


def rows(text: str | None = None) -> list[Row]:
    found = []
    for line in (PAGE.read_text() if text is None else text).splitlines():
        if match := ROW.match(line):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", match[2])]
            assert len(cells) == 4, f"a row of five cells is expected: {line}"
            found.append(Row(match[1], *cells))
    return found
