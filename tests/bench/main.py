"""main.py [options] [BENCH...]: runs benches and writes their samples, tables and charts; see run.sh."""

import argparse
import faulthandler
import json
import signal
import sys
import time
from pathlib import Path

import benches
import rivals
from benches.bench import INDISPENSABLE
from lab import machine
from lab.ends import allow_many_descriptors
from lab.lab import Lab, Plan
from lab.samples import Samples
from report import junit, page, tables
from report.budgets import verdicts

ROOT = Path(__file__).resolve().parents[2]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests/bench/run.sh", description="Measures clusterd beside its rivals.")
    parser.add_argument("names", nargs="*", metavar="BENCH", help=" ".join(benches.BY_KEY))
    parser.add_argument("--smoke", action="store_true", help="tiny sizes, no rivals, exact budgets only")
    parser.add_argument("--tiny", action="store_true", help="the sizes of --smoke with all rivals, to try things")
    known = " ".join(rivals.BY_KEY)
    parser.add_argument("--rivals", default="", metavar="KEYS", help=f"only these, separated by commas: {known}")
    parser.add_argument("--repetitions", type=int, default=0, metavar="N", help="at most so many")
    parser.add_argument("--page", action="store_true", help="write docs/performance.md from this run")
    parser.add_argument("--note", default="", help="a sentence for the head of the page")
    parser.add_argument(
        "--from",
        dest="sources",
        type=Path,
        action="append",
        default=[],
        metavar="FOLDER",
        help="measure nothing, read that run; repeatable, for runs of different benches",
    )
    parser.add_argument("--bin", type=Path, required=True, help="folder of clusterd")
    parser.add_argument("--programs", type=Path, required=True, help="folder of the compiled programs")
    parser.add_argument("--pm2", type=Path, required=True, help="PM2's command; need not exist")
    parser.add_argument("--results", type=Path, required=True, help="folder that gets a folder for each run")
    parser.add_argument("--junit", type=Path, help="report for tests/count.py")
    words = parser.parse_args()
    unknown = [name for name in words.names if name not in benches.BY_KEY]
    unknown_rivals = [key for key in words.rivals.split(",") if key and key not in rivals.BY_KEY]
    if unknown_rivals:
        parser.error(f"no rival is named {unknown_rivals[0]}; there are: {' '.join(rivals.BY_KEY)}")
    if unknown:
        parser.error(f"no bench is named {unknown[0]}; there are: {' '.join(benches.BY_KEY)}")
    return words


def say(text: str):
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def read_runs(folders: list[Path]) -> tuple[Samples, dict[str, str]]:
    """All samples; the machine's facts are those of the first run."""
    together = Samples()
    for folder in folders:
        samples = Samples.read(folder / "samples.jsonl")
        together.rows += samples.rows
        together.skipped += samples.skipped
    return together, json.loads((folders[0] / "machine.json").read_text())


def measure(words: argparse.Namespace, chosen: list) -> tuple[Samples, dict[str, str]]:
    """Runs the benches; an error of one does not keep the others from running. After Ctrl-C: what there is."""
    size = "smoke" if words.smoke else "tiny" if words.tiny else "full"
    keys = INDISPENSABLE if words.smoke else words.rivals.split(",") if words.rivals else rivals.BY_KEY
    lab, errors = Lab(words.bin, words.programs, words.pm2, Plan(size, words.repetitions, tuple(keys)), say), {}
    try:
        for kind in chosen:
            try:
                kind(lab).run()
            except Exception as error:
                errors[kind.key] = f"{type(error).__name__}: {error}"
                say(f"{kind.key} failed: {errors[kind.key]}")
    except KeyboardInterrupt:
        errors["interrupted"] = "by Ctrl-C"
    finally:
        lab.close()
    return lab.samples, errors


def end(number, frame):
    raise SystemExit(128 + number)


def main() -> int:
    words = arguments()
    faulthandler.register(signal.SIGUSR1)
    signal.signal(signal.SIGTERM, end)
    allow_many_descriptors()
    chosen = [benches.BY_KEY[name] for name in words.names] or list(benches.ALL)
    errors: dict[str, str] = {}
    if words.sources:
        samples, facts = read_runs(words.sources)
        folder = words.sources[0]
    else:
        facts = machine.facts(words.bin / "clusterd")
        samples, errors = measure(words, chosen)
        folder = words.results / (time.strftime("%Y%m%d-%H%M%S") + ("-smoke" if words.smoke else ""))
        folder.mkdir(parents=True)
        samples.write(folder / "samples.jsonl")
        (folder / "machine.json").write_text(json.dumps(facts, indent=1))
    page.write_page(samples, facts, folder / "page.md", folder, words.note)
    if words.page and "interrupted" not in errors:
        page.write_page(samples, facts, ROOT / "docs/performance.md", ROOT / "docs/performance", words.note)
    found = verdicts(samples)
    print(tables.budget_table([verdict for verdict in found if verdict.met is not None]))
    checks = junit.outcomes(samples, [] if words.sources else chosen, errors, found)
    if words.junit:
        junit.write(words.junit, checks)
    for name, wrong in checks:
        if wrong:
            print(f"bench: {name}: {wrong}", file=sys.stderr)
    print(f"Samples, tables and charts: {folder}")
    if "interrupted" in errors:
        return 130
    return 1 if errors or (words.smoke and any(wrong for _, wrong in checks)) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
