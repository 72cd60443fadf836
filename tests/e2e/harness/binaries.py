"""Where the programs under test and the test programs are.

CLUSTERD_BIN names the folder of clusterd, clusterd-daemon and clusterd-exec (default: the release build).
When another user cannot reach that folder (a checkout below /root), a copy that everybody can read is made.
"""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
NOBODY = 65534


def _configured() -> tuple[Path, Path]:
    bin_dir = Path(os.environ.get("CLUSTERD_BIN", REPOSITORY / "build/release/bin")).resolve()
    programs = Path(os.environ.get("CLUSTERD_TEST_PROGRAMS", bin_dir.parent / "tests/programs")).resolve()
    return bin_dir, programs


def _reachable_by_others(path: Path) -> bool:
    return all(part.stat().st_mode & 0o001 for part in [path, *path.parents])


def what_is_missing() -> str:
    """A sentence if the programs are not built, else nothing."""
    bin_dir, programs = _configured()
    missing = [path for path in (bin_dir / "clusterd", programs / "t-http") if not path.exists()]
    return f"not built: {missing[0]} (CLUSTERD_BIN names the folder of clusterd)" if missing else ""


class Binaries:
    """Paths of everything that is executed; made once per test process."""

    def __init__(self):
        self.bin, self.programs = _configured()
        self._copy = None
        if os.geteuid() == 0 and not (_reachable_by_others(self.bin) and _reachable_by_others(self.programs)):
            self._use_readable_copy()

    def _use_readable_copy(self):
        self._copy = Path(tempfile.mkdtemp(prefix="clusterd-e2e-bin-"))
        self._copy.chmod(0o755)
        for name, source in (("bin", self.bin), ("programs", self.programs)):
            shutil.copytree(
                source,
                self._copy / name,
                ignore=lambda folder, names: [
                    n for n in names if not os.access(os.path.join(folder, n), os.X_OK)
                ],
            )
        self.bin, self.programs = self._copy / "bin", self._copy / "programs"

    @property
    def clusterd(self) -> str:
        return str(self.bin / "clusterd")

    def program(self, name: str) -> str:
        return str(self.programs / name)

    def version(self) -> str:
        return subprocess.run(
            [self.clusterd, "version"], capture_output=True, text=True, timeout=10
        ).stdout.strip()

    def remove_copy(self):
        if self._copy:
            shutil.rmtree(self._copy, ignore_errors=True)
