"""Which verbs, options and keys the clusterd under test knows."""

import functools
import json
import os
import re
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
SCHEMA = REPOSITORY / "config/ecosystem.schema.json"


def bin_folder() -> Path:
    return Path(os.environ.get("CLUSTERD_BIN", REPOSITORY / "build/release/bin")).resolve()


@functools.cache
def _help(*words: str) -> str:
    done = subprocess.run(
        [bin_folder() / "clusterd", "help", *words], capture_output=True, text=True, timeout=20
    )
    return done.stdout if done.returncode == 0 else ""


@functools.cache
def _keys() -> dict:
    return json.loads(SCHEMA.read_text())["$defs"]["app"]["properties"]


def _knows(word: str) -> bool:
    kind, _, name = word.partition(":")
    if kind == "verb":
        return bool(_help(name))
    if kind == "option":
        verb, _, option = name.partition(" ")
        return bool(re.search(rf"(^|[\s,]){re.escape(option)}([\s,=]|$)", _help(verb)))
    assert kind == "key", word
    return name in _keys() and "unsupported" not in json.dumps(_keys()[name])


def missing(needs: tuple[str, ...]) -> str:
    return ", ".join(word for word in needs if not _knows(word))
