"""Installs the PM2 that package-lock.json names, below build/: npm checks its integrity and the lock names no host."""

import fcntl
import shutil
import subprocess
from pathlib import Path

SUITE = Path(__file__).resolve().parents[1]
FOLDER = SUITE.parents[1] / "build/conformance"
LISTS = ("package.json", "package-lock.json")
INSTALL_SECONDS = 600


def pm2_program() -> Path:
    return FOLDER / "node_modules/pm2/bin/pm2"


def is_installed() -> bool:
    """What is there came of these very lists: npm copies none of them, so the copy is written last."""
    same = all((FOLDER / name).exists() for name in LISTS) and all(
        (FOLDER / name).read_bytes() == (SUITE / name).read_bytes() for name in LISTS
    )
    return same and pm2_program().exists() and (FOLDER / "complete").exists()


def install() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with open(FOLDER / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if is_installed():
            return
        (FOLDER / "complete").unlink(missing_ok=True)
        for name in LISTS:
            shutil.copy(SUITE / name, FOLDER / name)
        words = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
        subprocess.run(words, cwd=FOLDER, check=True, timeout=INSTALL_SECONDS)
        (FOLDER / "complete").touch()
