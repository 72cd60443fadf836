"""The load clients of the bench, written in C because Python would be what is measured (programs/)."""

import json
import subprocess


class FirstAnswer:
    """Asks a port from go() on until it answers; armed beforehand, so that starting the client costs nothing."""

    def __init__(self, lab, port: int, kill: int = 0):
        words = [lab.program("first-answer"), port] + (["--kill", kill] if kill else [])
        self._process = lab.scratch.popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._process.stdout.readline()

    def go(self):
        self._process.stdin.write("go\n")
        self._process.stdin.flush()

    def times_ns(self) -> tuple[int, int]:
        """Beginning (the kill, if there was one) and first answer."""
        out, _ = self._process.communicate(timeout=90)
        if self._process.returncode != 0:
            raise RuntimeError("no answer within a minute")
        return int(out.split()[0]), int(out.split()[1])


class Load:
    """Runs until its requests or seconds are over, or until finish() is called."""

    def __init__(self, lab, port: int, **options):
        words = [lab.program("load-client"), "--port", port]
        for name, value in options.items():
            words += [f"--{name}"] if value is True else [f"--{name}", value]
        self._process = lab.scratch.popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def finish(self, timeout: float = 300) -> dict:
        out, _ = self._process.communicate(timeout=timeout)
        return json.loads(out)

    def result(self, timeout: float = 300) -> dict:
        """Waits for an end that comes by itself; standard input stays open meanwhile."""
        out = self._process.stdout.read()
        self._process.communicate(timeout=timeout)
        return json.loads(out)


def load(lab, port: int, **options) -> dict:
    return Load(lab, port, **options).result()


FAILURES = ("refused", "reset", "cut", "hung", "status")


def failed(result: dict) -> int:
    """Requests without an answer; what a client may repeat (raced) is not among them."""
    return sum(result[name] for name in FAILURES)
