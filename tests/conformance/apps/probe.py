#!/usr/bin/env python3
"""probe.py FOLDER [WORD...]: writes what it was given to FOLDER/PID.json, complete from the first moment, and waits."""

import json
import os
import signal
import sys


def ignored_signals() -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1], 16) for line in status if line.startswith("SigIgn:"))


# SIGPIPE and SIGXFSZ are ignored by Python itself.
PYTHONS_OWN = 1 << (signal.SIGPIPE - 1) | 1 << (signal.SIGXFSZ - 1)

seen = {
    "argv": sys.argv[2:],
    "cwd": os.getcwd(),
    "variables": dict(os.environ),
    "uid": os.getuid(),
    "umask": os.umask(0o022),
    "leads its session": os.getsid(0) == os.getpid(),
    "stdin": os.readlink("/proc/self/fd/0"),
    "ignored": ignored_signals() & ~PYTHONS_OWN,
}
path = os.path.join(sys.argv[1], str(os.getpid()))
with open(path + ".part", "w") as file:
    json.dump(seen, file)
os.rename(path + ".part", path + ".json")
while True:
    signal.pause()
