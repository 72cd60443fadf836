"""The page docs/performance.md, its charts, and the same beside the samples of a run."""

from pathlib import Path

import benches
from lab.samples import Samples

from . import charts, tables
from .budgets import verdicts

HEAD = """\
# Performance

Written by `tests/bench/run.sh --page`; do not edit. All numbers of one table are from the same run on the same machine,
the rivals taking turns, and are medians. Compare them with each other: on another machine all of them are different, and
the last columns, clusterd's value divided by another one's, much less so. {note}

"""

REPEAT = """
## How to repeat it

```
tests/bench/run.sh                  # everything; half an hour
tests/bench/run.sh crash logs       # single benches
tests/bench/run.sh --page           # and write this page
tests/bench/run.sh --smoke          # what CI runs: tiny, without rivals, the exact budgets only
```

It needs a release build (`CLUSTERD_BIN`, default `build/release/bin`). Rivals are installed from Debian and npm where they
are missing; one that cannot be is left out and named. Samples, tables and charts are in `build/bench/results/`. Nothing else should
run on the machine meanwhile. Everything runs in folders of its own, on the loopback interface, and is gone afterwards.
"""


def _flow(text: str) -> str:
    return " ".join(text.split())


def _section(samples: Samples, bench, charts_below: str) -> str:
    image = f"![{bench.title}]({charts_below}{bench.key}.svg)\n\n"
    skipped = tables.skipped_lines(samples, bench.key)
    return (
        f"\n## {bench.title}\n\n{_flow(bench.text)}\n\n{image}{tables.bench_table(samples, bench.key, bench.noun)}"
        + (f"\n{skipped}" if skipped else "")
    )


def write_charts(samples: Samples, folder: Path):
    folder.mkdir(parents=True, exist_ok=True)
    for key in samples.benches():
        bench = benches.BY_KEY[key]
        (folder / f"{key}.svg").write_text(charts.chart(samples, key, bench.title, bench.chart, bench.noun))


def write_page(samples: Samples, facts: dict[str, str], path: Path, charts_folder: Path, note: str):
    """The page links its charts relative to itself."""
    write_charts(samples, charts_folder)
    relative = charts_folder.relative_to(path.parent).as_posix()
    below = "" if relative == "." else relative + "/"
    text = HEAD.format(note=_flow(note)).replace(" \n", "\n") + tables.fact_table(facts)
    text += "\n## Budgets\n\n" + tables.budget_table(verdicts(samples))
    for bench in benches.ALL:
        if bench.key in samples.benches():
            text += _section(samples, bench, below)
    path.write_text(text + REPEAT)
