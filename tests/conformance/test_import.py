"""`clusterd import pm2` of a real PM2, running and saved: what is started from the file is what PM2 had."""

import http.client
import json
import socket
import threading

import pytest
from rivals.package import pm2_program


@pytest.fixture
def both(rivals):
    """PM2 with a cluster, a program with an environment of its own and one that is stopped; and clusterd."""
    pm2, clusterd = rivals
    pm2.start(
        pm2.probe("--level", "3", name="probe", env={"COLOUR": "deep blue"}, max_memory_restart="300M"),
        pm2.sleeper("pair", exec_mode="fork", instances=2),
        pm2.sleeper("resting"),
    )
    pm2.run("stop", "resting")
    yield pm2, clusterd


def import_list(pm2, clusterd, *words):
    # `pm2` as users have it: by its name, on PATH.
    (clusterd.work / "pm2").unlink(missing_ok=True)
    (clusterd.work / "pm2").symlink_to(pm2_program())
    path = f"{clusterd.work}:{clusterd.environment({})['PATH']}"
    return clusterd.run("import", "pm2", *words, env={"PM2_HOME": str(pm2.home), "PATH": path})


@pytest.mark.parametrize("source", ["the running PM2", "the dump"])
def test_an_imported_list_starts_as_it_was(both, source):
    pm2, clusterd = both
    words = []
    if source == "the dump":
        pm2.run("save", "--force")
        words = ["--file", pm2.home / "dump.pm2"]
    done = import_list(pm2, clusterd, *words)
    assert done.status == 0 and (source in done.err or "dump.pm2" in done.err), done
    assert (clusterd.work / "ecosystem.json").stat().st_mode & 0o777 == 0o600
    assert clusterd.run("start", "ecosystem.json").status == 0
    theirs = {p.name: p.record for p in pm2.processes()}
    ours = {p.name: p.record for p in clusterd.processes()}
    assert set(ours) == set(theirs) == {"probe", "pair", "resting"}
    assert clusterd.statuses() == {"probe": ["online"], "pair": ["online", "online"], "resting": ["stopped"]}
    for key in ("args", "pm_cwd", "max_memory_restart"):
        assert ours["probe"].get(key) == theirs["probe"].get(key), key
    written = pm2.work / f"probes/{clusterd.process('probe').pid}.json"
    clusterd.wait("the probe", written.exists)
    assert json.loads(written.read_text())["variables"]["COLOUR"] == "deep blue"


def test_a_file_that_is_there_is_not_overwritten(both):
    pm2, clusterd = both
    clusterd.write("ecosystem.json", "precious")
    assert import_list(pm2, clusterd).status == 6
    assert (clusterd.work / "ecosystem.json").read_text() == "precious"
    assert import_list(pm2, clusterd, "--force").status == 0
    apps = json.loads((clusterd.work / "ecosystem.json").read_text())["apps"]
    assert [app["name"] for app in apps] == ["probe", "pair", "resting"]


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Asking(threading.Thread):
    """Asks a port again and again, each time on a new connection; keeps what failed after the first answer."""

    def __init__(self, port: int):
        super().__init__(daemon=True)
        self.port, self.failures, self.answers, self.stopping = port, [], 0, threading.Event()

    def run(self):
        while not self.stopping.is_set():
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
                connection.request("GET", "/", headers={"Connection": "close"})
                assert connection.getresponse().read()
                self.answers += 1
            except (OSError, http.client.HTTPException) as error:
                if self.answers:
                    self.failures.append(repr(error))

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        self.join(20)


WEB = """
const http = require('http');
const server = http.createServer((request, answer) => answer.end('pid ' + process.pid));
server.listen(+process.argv[2], '127.0.0.1');
process.on('SIGINT', () => server.close(() => process.exit(0)));
"""


def test_apps_move_over_while_they_serve(rivals):
    pm2, clusterd = rivals
    pm2.write("web.js", WEB)
    ports = {"clustered": free_port(), "forked": free_port()}
    pm2.start(
        {"name": "clustered", "script": "web.js", "args": [str(ports["clustered"])], "instances": 2},
        {"name": "forked", "script": "web.js", "args": [str(ports["forked"])], "exec_mode": "fork"},
        pm2.sleeper("pair", exec_mode="fork", instances=2),
        pm2.sleeper("resting"),
    )
    pm2.run("stop", "resting")
    with Asking(ports["clustered"]) as first, Asking(ports["forked"]) as second:
        pm2.wait("answers before", lambda: first.answers > 10 and second.answers > 10)
        done = import_list(pm2, clusterd, "--start")
        assert done.status == 0, done
        before = first.answers, second.answers
        pm2.wait("answers after", lambda: first.answers > before[0] + 10 and second.answers > before[1] + 10)
    assert second.failures == []
    # PM2's daemon accepts for its workers: what it has just given to one that ends is lost, as in `pm2 delete`.
    assert len(first.failures) <= 2 and not any("refused" in text for text in first.failures)
    assert pm2.names() == []
    assert clusterd.statuses() == {
        "clustered": ["online", "online"],
        "forked": ["online"],
        "pair": ["online", "online"],
        "resting": ["stopped"],
    }


def test_an_app_that_does_not_come_up_stays_with_pm2(rivals):
    pm2, clusterd = rivals
    port = free_port()
    pm2.write("web.js", WEB)
    pm2.start({"name": "web", "script": "web.js", "args": [str(port)], "exec_mode": "fork"})
    with Asking(port) as asking:
        pm2.wait("answers before", lambda: asking.answers > 10)
        pm2.write("web.js", "process.exit(3)")
        done = import_list(pm2, clusterd, "--start")
        assert done.status != 0 and "web" in done.err, done
        assert pm2.statuses() == {"web": ["online"]} and clusterd.statuses() == {}
    assert asking.failures == []
