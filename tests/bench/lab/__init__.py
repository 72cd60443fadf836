"""What measuring needs: a scratch folder, processes, reports of programs, load, samples."""

import sys
from pathlib import Path

# Ports and /proc are looked at in the same way as by the end-to-end tests.
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "e2e"))
