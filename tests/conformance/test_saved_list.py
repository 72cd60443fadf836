"""save, kill, resurrect."""

from rivals.compare import Differs, compared


def again(rival):
    rival.run("kill")
    rival.wait("the daemon to end", lambda: not rival.daemon_runs())
    return rival.run("resurrect")


@compared()
def test_save_and_resurrect(rival):
    rival.start(
        rival.sleeper("web", instances=2, exec_mode="fork"), rival.sleeper("resting"), rival.sleeper("mail")
    )
    rival.run("stop", "resting")
    saved = rival.run("save")
    done = again(rival)
    rival.wait("all", lambda: len(rival.processes()) == 4)
    return {"save": saved.result, "resurrect": done.result, "statuses": rival.statuses()}


@compared()
def test_settings_come_back(rival):
    rival.start(rival.probe("word", env={"A": "file"}, namespace="jobs"), env={"B": "shell"})
    rival.run("save")
    again(rival)
    probe = rival.probed()[0]
    process = rival.process("probe")
    variables = {name: probe["variables"].get(name) for name in ("A", "B")}
    return variables | {"argv": probe["argv"], "cwd": probe["cwd"], "namespace": process.record["namespace"]}


@compared()
def test_counters_after_resurrect(rival):
    rival.start(rival.sleeper("web"))
    rival.run("restart", "web")
    rival.run("save")
    again(rival)
    rival.wait_status("web", "online")
    return {"restarts": rival.process("web").restarts}


@compared()
def test_resurrect_beside_running_apps(rival):
    rival.start(rival.sleeper("web"), rival.sleeper("mail"))
    rival.run("save")
    rival.run("delete", "mail")
    pid = rival.process("web").pid
    done = rival.run("resurrect")
    return {"result": done.result, "statuses": rival.statuses(), "same": rival.process("web").pid == pid}


@compared(
    differs={"result": Differs("D46", pm2="ok", clusterd="failed")},
)
def test_resurrect_of_nothing(rival):
    return {"result": rival.run("resurrect").result}


@compared(
    differs={"result": Differs("D45", pm2="ok", clusterd="failed")},
)
def test_saving_an_empty_list(rival):
    rival.start(rival.sleeper("web"))
    rival.run("save")
    rival.run("delete", "web")
    done = rival.run("save")
    again(rival)
    return {"result": done.result, "names": rival.names()}


@compared()
def test_saving_an_empty_list_by_force(rival):
    rival.start(rival.sleeper("web"))
    rival.run("save")
    rival.run("delete", "web")
    done = rival.run("save", "--force")
    again(rival)
    return {"result": done.result, "names": rival.names()}


@compared()
def test_dump_is_save(rival):
    rival.start(rival.sleeper("web"))
    done = rival.run("dump")
    again(rival)
    rival.wait_status("web", "online")
    return {"result": done.result}


@compared(
    differs={"modes": Differs("D47", pm2=["0o644"], clusterd=["0o600"])},
)
def test_who_may_read_the_saved_list(rival):
    rival.start(rival.sleeper("web"))
    rival.run("save")
    return {"modes": sorted({oct(path.stat().st_mode & 0o777) for path in rival.home.glob("dump.*")})}


@compared()
def test_cleardump(rival):
    rival.start(rival.sleeper("web"))
    rival.run("save")
    done = rival.run("cleardump")
    rival.run("delete", "web")
    rival.run("resurrect")
    return {"result": done.result, "names": rival.names()}


@compared(
    differs={"names": Differs("D48", pm2=["mail", "web"], clusterd=["web"])},
)
def test_an_order_to_end_and_the_saved_list(rival):
    rival.start(rival.sleeper("web"))
    rival.run("save")
    rival.start(rival.sleeper("mail"))
    rival.end_daemon()
    rival.run("resurrect")
    rival.wait_status("web", "online")
    return {"names": rival.names()}
