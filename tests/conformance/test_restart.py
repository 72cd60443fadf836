"""What restart, crash and reload do to processes and counters."""

from rivals.compare import Differs, compared

SLOW_TO_DIE = "sleep 0.3; exit 3\n"


def crasher(rival, body: str, **keys) -> dict:
    rival.write("crash.sh", f"echo start >> {rival.work}/crash.events\n{body}\n", 0o755)
    return {"name": "crash", "script": "./crash.sh", "min_uptime": 100} | keys


def restart_again(rival, *words) -> dict:
    old = rival.process("recorder").pid
    done = rival.run(*words)
    rival.wait_event("start", count=2)
    process = rival.process("recorder")
    return {
        "result": done.result,
        "restarts": process.restarts,
        "same": process.pid == old,
        "status": process.status,
    }


@compared(
    differs={
        "events": Differs("D30", pm2=["start", "SIGINT", "start"], clusterd=["start", "SIGTERM", "start"])
    },
)
def test_restart(rival):
    rival.start(rival.recorder())
    rival.wait_event("start")
    return restart_again(rival, "restart", "recorder") | {"events": rival.events()}


@compared()
def test_restart_of_a_stopped_app(rival):
    rival.start(rival.recorder())
    rival.wait_event("start")
    rival.run("stop", "recorder")
    return restart_again(rival, "restart", "recorder")


@compared()
def test_reload(rival):
    rival.start(rival.recorder())
    rival.wait_event("start")
    return restart_again(rival, "reload", "recorder")


@compared()
def test_reload_of_a_stopped_app(rival):
    rival.start(rival.recorder())
    rival.wait_event("start")
    rival.run("stop", "recorder")
    return restart_again(rival, "reload", "recorder")


@compared()
def test_restart_of_all(rival):
    rival.start(rival.recorder(), rival.sleeper("web"))
    rival.wait_event("start")
    rival.run("stop", "web")
    done = rival.run("restart", "all")
    rival.wait_event("start", count=2)
    return {"result": done.result, "statuses": rival.statuses()}


@compared()
def test_the_counter_and_reset(rival):
    rival.start(rival.sleeper("web"))
    rival.run("restart", "web")
    rival.run("restart", "web")
    counted = rival.process("web").restarts
    done = rival.run("reset", "web")
    return {"counted": counted, "result": done.result, "after": rival.process("web").restarts}


@compared()
def test_the_counter_after_stop_and_start(rival):
    rival.start(rival.sleeper("web"))
    rival.run("restart", "web")
    rival.run("stop", "web")
    rival.run("start", "web")
    return {"restarts": rival.process("web").restarts}


@compared()
def test_a_crash(rival):
    rival.start(rival.recorder())
    rival.wait_event("start")
    pid = rival.process("recorder").pid
    rival.run("sendSignal", "SIGKILL", "recorder")
    rival.wait_event("start", count=2)
    process = rival.wait_status("recorder", "online")[0]
    return {"restarts": process.restarts, "same": process.pid == pid}


@compared()
def test_an_app_that_ends_well_is_started_again(rival):
    rival.start(crasher(rival, "sleep 0.3; exit 0"))
    rival.wait_event("start", "crash", 2)
    rival.wait("the counter", lambda: rival.process("crash").restarts >= 1)
    return {}


@compared()
def test_no_automatic_restart(rival):
    rival.start(crasher(rival, SLOW_TO_DIE, autorestart=False))
    rival.wait("the end", lambda: rival.process("crash").status in ("stopped", "errored"))
    process = rival.process("crash")
    return {"status": process.status, "restarts": process.restarts, "starts": len(rival.events("crash"))}


@compared()
def test_exit_codes_that_stop(rival):
    rival.start(crasher(rival, SLOW_TO_DIE, stop_exit_codes=[3]))
    rival.wait_status("crash", "stopped")
    return {"starts": len(rival.events("crash")), "restarts": rival.process("crash").restarts}


@compared()
def test_exit_codes_that_do_not_stop(rival):
    rival.start(crasher(rival, SLOW_TO_DIE, stop_exit_codes=[4]))
    rival.wait_event("start", "crash", 2)
    return {}


@compared()
def test_giving_up(rival):
    rival.start(crasher(rival, "exit 1", max_restarts=3, min_uptime=1000))
    process = rival.wait_status("crash", "errored")[0]
    rival.wait("the pid to go", lambda: rival.process("crash").pid == 0)
    return {"starts": len(rival.events("crash")), "restarts": process.restarts}


@compared()
def test_restart_of_an_app_that_gave_up(rival):
    rival.start(crasher(rival, "[ -f fine ] && exec sleep 1000; exit 1", max_restarts=2, min_uptime=1000))
    rival.wait_status("crash", "errored")
    rival.write("fine", "")
    done = rival.run("restart", "crash")
    rival.wait_status("crash", "online")
    return {"result": done.result}


@compared(differs={"status": Differs("D31", pm2="errored", clusterd="waiting restart")})
def test_giving_up_by_default(rival):
    rival.start(crasher(rival, "exit 1", min_uptime=1000))
    rival.wait_event("start", "crash", 4)
    rival.wait("a decision", lambda: rival.process("crash").status in ("errored", "waiting restart"))
    return {"status": rival.process("crash").status}


@compared()
def test_a_fixed_pause(rival):
    rival.start(crasher(rival, "exit 1", restart_delay=60000, min_uptime=1000))
    process = rival.wait_status("crash", "waiting restart")[0]
    return {"starts": len(rival.events("crash")), "restarts": process.restarts}


@compared(
    differs={"started again": Differs("D32", pm2=False, clusterd=True)},
)
def test_restart_during_a_pause(rival):
    rival.start(crasher(rival, "exit 1", restart_delay=60000, min_uptime=1000))
    rival.wait_status("crash", "waiting restart")
    done = rival.run("restart", "crash")
    return {"started again": len(rival.events("crash")) == 2, "result": done.result}


@compared()
def test_stop_during_a_pause(rival):
    rival.start(crasher(rival, "exit 1", restart_delay=60000, min_uptime=1000))
    rival.wait_status("crash", "waiting restart")
    done = rival.run("stop", "crash")
    return {"result": done.result, "statuses": rival.statuses()}


@compared(
    differs={
        "result": Differs("D33", pm2="ok", clusterd="failed"),
        "old ones serve": Differs("D33", pm2=False, clusterd=True),
    },
)
def test_a_reload_of_a_broken_version(rival):
    rival.app("worker.js")
    rival.start(
        {
            "name": "worker",
            "script": "worker.js",
            "instances": 2,
            "exec_mode": "cluster",
            "wait_ready": True,
            "listen_timeout": 8000,
        }
    )
    rival.wait("both workers", lambda: len(list(rival.work.glob("worker-*.ran"))) == 2)
    before = {p.pid for p in rival.processes()}
    rival.write("worker.js", "process.exit(1);\n")
    done = rival.run("reload", "worker")
    return {"result": done.result, "old ones serve": before == {p.pid for p in rival.processes()}}


@compared(
    differs={
        "result": Differs("D34", pm2="ok", clusterd="failed"),
        "online": Differs("D34", pm2=True, clusterd=False),
    },
)
def test_an_app_that_is_never_ready(rival):
    rival.app("beacon.js")
    done = rival.start({"name": "beacon", "script": "beacon.js", "wait_ready": True, "listen_timeout": 1000})
    return {"result": done.result, "online": rival.statuses()["beacon"] == ["online"]}


@compared()
def test_an_app_that_says_it_is_ready(rival):
    rival.write("ready.js", "setTimeout(() => process.send('ready'), 300); setInterval(() => {}, 1000);\n")
    done = rival.start({"name": "ready", "script": "ready.js", "wait_ready": True, "listen_timeout": 8000})
    return {"result": done.result, "statuses": rival.statuses()}


@compared(
    differs={
        "result": Differs("D55", pm2="ok", clusterd="failed"),
        "names": Differs("D55", pm2=["site"], clusterd=["web"]),
    },
)
def test_restart_with_changed_options(rival):
    rival.start(rival.sleeper("web"))
    done = rival.run("restart", "web", "--name", "site")
    return {"result": done.result, "names": rival.names()}


@compared()
def test_restart_with_another_limit(rival):
    rival.start(rival.sleeper("web"))
    done = rival.run("restart", "web", "--max-restarts", "5")
    return {"result": done.result, "max_restarts": rival.process("web").record.get("max_restarts")}


@compared()
def test_restart_of_one_instance(rival):
    rival.start(rival.sleeper("web", instances=2, exec_mode="fork"))
    done = rival.run("restart", rival.processes()[1].id)
    return {"result": done.result, "restarts": [p.restarts for p in rival.processes()]}
