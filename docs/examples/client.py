#!/usr/bin/env python3
"""A client of docs/protocol.md: client.py list | client.py start PROGRAM [ARG...] | client.py reload NAME"""

import itertools
import json
import os
import socket
import sys
from pathlib import Path

HOME = Path(os.environ.get("CLUSTERD_HOME") or Path.home() / ".clusterd")


class Clusterd:
    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(HOME / "control.sock"))
        self.lines = self.socket.makefile("rw", encoding="utf-8", newline="\n")
        self.greeting = json.loads(self.lines.readline())
        self.ids = itertools.count(1)

    def call(self, op, on_event=lambda event: None, **args):
        request = {"id": next(self.ids), "op": op, "args": args}
        self.lines.write(json.dumps(request) + "\n")
        self.lines.flush()
        for message in map(json.loads, self.lines):
            if message.get("ok") is False:
                sys.exit(f"error: {message['error']['message']}")
            if "ok" in message:
                return message["result"]
            on_event(message)
        sys.exit("error: the daemon closed the connection")


daemon, (verb, *words) = Clusterd(), sys.argv[1:] or ["list"]
if verb == "start":
    program = os.path.abspath(words[0])
    app = {"name": Path(program).stem, "script": program, "args": words[1:], "cwd": os.getcwd()}
    print(
        daemon.call("start", apps=[app | {"inherited_env": dict(os.environ)}], mode="new")["apps"][0][
            "outcome"
        ]
    )
elif verb == "reload":
    print(daemon.call("reload", lambda event: print(event["text"], flush=True), targets=words)["count"])
for instance in daemon.call("list")["instances"]:
    print(instance["id"], instance["name"], instance["status"], instance["pid"])
