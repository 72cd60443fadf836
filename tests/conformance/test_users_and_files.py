"""Who an app runs as, and the files that are written about it."""

import os
from pathlib import Path

import pytest
from rivals.compare import Differs, compared

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: other users")

NOBODY = 65534


def as_nobody(rival, user, **keys) -> dict:
    (rival.work / "probes").mkdir()
    (rival.work / "probes").chmod(0o777)
    done = rival.start(rival.probe(uid=user, **keys))
    probe = rival.probed()[0]
    names = ("HOME", "USER", "LOGNAME")
    return {"result": done.result, "uid": probe["uid"]} | {
        name: probe["variables"].get(name) for name in names
    }


@compared(
    differs={
        "USER": Differs("D52", pm2=None, clusterd="nobody"),
        "LOGNAME": Differs("D52", pm2=None, clusterd="nobody"),
    }
)
def test_a_user_by_number(rival):
    return as_nobody(rival, NOBODY)


@compared(
    differs={
        "USER": Differs("D52", pm2=None, clusterd="nobody"),
        "LOGNAME": Differs("D52", pm2=None, clusterd="nobody"),
    }
)
def test_a_user_by_name(rival):
    return as_nobody(rival, "nobody")


@compared()
def test_the_groups_of_a_user(rival):
    as_nobody(rival, "nobody")
    status = Path(f"/proc/{rival.process('probe').pid}/status").read_text()
    lines = {
        line.split(":")[0]: line.split()[1:]
        for line in status.splitlines()
        if line.startswith(("Gid", "Groups"))
    }
    return {
        "group": lines["Gid"][0],
        "supplementary": [group for group in lines["Groups"] if group != str(NOBODY)],
    }


@compared()
def test_a_user_that_is_not_there(rival):
    done = rival.start(rival.sleeper("web", uid="no-such-user"))
    return {"result": done.result, "runs": any(process.status == "online" for process in rival.processes())}


@compared()
def test_the_default_pid_file(rival):
    rival.start(rival.sleeper("web"))
    files = {path.name: path.read_text().strip() for path in (rival.home / "pids").glob("*")}
    return {"names": sorted(files), "right": list(files.values()) == [str(rival.process("web").pid)]}


@compared(differs={"names": Differs("D53", pm2=["my-0.pid"], clusterd=["my.pid"])})
def test_a_pid_file_by_name(rival):
    rival.start(rival.sleeper("web", pid_file=str(rival.work / "my.pid")))
    files = {path.name: path.read_text().strip() for path in rival.work.glob("my*")}
    return {"names": sorted(files), "right": list(files.values()) == [str(rival.process("web").pid)]}


@compared()
def test_the_pid_file_of_a_stopped_app(rival):
    rival.start(rival.sleeper("web"))
    rival.run("stop", "web")
    return {"files": sorted(path.name for path in (rival.home / "pids").glob("*"))}


@compared(differs={"modes": Differs("D54", pm2=["0o644"], clusterd=["0o600"])})
def test_who_may_read_log_files(rival):
    rival.start(rival.sleeper("web"))
    rival.wait("a file", lambda: rival.log_files())
    return {"modes": sorted({oct(path.stat().st_mode & 0o777) for path in (rival.home / "logs").glob("*")})}
