#!/usr/bin/env python3
"""recorder.py FILE [deaf]: appends a line for its start and for each signal; SIGINT and SIGTERM end it unless deaf."""

import os
import signal
import sys

path, deaf = sys.argv[1], "deaf" in sys.argv[2:]


def write(line):
    with open(path, "a") as file:
        file.write(line + "\n")


def received(number, _frame):
    write(signal.Signals(number).name)
    if number in (signal.SIGINT, signal.SIGTERM) and not deaf:
        os._exit(0)


for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGQUIT):
    signal.signal(number, received)
write("start")
while True:
    signal.pause()
