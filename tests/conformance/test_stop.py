"""How processes are ended."""

import signal

from harness import processes
from rivals.compare import Differs, compared


def stop(rival, app: dict, name: str = "recorder") -> dict:
    rival.start(app)
    rival.wait_event("start", name)
    done = rival.run("stop", name)
    return {"result": done.result, "events": rival.events(name), "statuses": rival.statuses()}


@compared(
    differs={"events": Differs("D30", pm2=["start", "SIGINT"], clusterd=["start", "SIGTERM"])},
)
def test_the_signal_a_python_program_gets(rival):
    return stop(rival, rival.recorder())


@compared()
def test_the_signal_a_node_program_gets(rival):
    rival.app("recorder.js")
    app = {"name": "recorder", "script": "recorder.js", "args": [str(rival.work / "recorder.events")]}
    return stop(rival, app)


@compared()
def test_a_process_that_does_not_listen_to_signals(rival):
    seen = stop(rival, rival.recorder("recorder", "deaf", kill_timeout=400))
    return seen | {"events": len(seen["events"])}


@compared()
def test_a_stopped_app_again(rival):
    rival.start(rival.sleeper("web"))
    first, second = rival.run("stop", "web"), rival.run("stop", "web")
    return {"first": first.result, "second": second.result, "statuses": rival.statuses()}


@compared()
def test_what_the_list_says_of_a_stopped_app(rival):
    rival.start(rival.sleeper("web"))
    rival.run("stop", "web")
    process = rival.process("web")
    return {"pid": process.pid, "restarts": process.restarts, "memory": rival.rows()[0]["monit"]["memory"]}


def family(rival, **keys) -> dict:
    rival.app("recorder.py")
    child = rival.work / "child.events"
    body = f"./recorder.py {child} &\nexec ./recorder.py {rival.work}/recorder.events\n"
    rival.write("family.sh", body, 0o755)
    (rival.work / "recorder.py").chmod(0o755)
    rival.start({"name": "family", "script": "./family.sh", "min_uptime": 100} | keys)
    rival.wait_event("start")
    rival.wait_event("start", "child")
    pid = rival.process("family").pid
    children = processes.children(pid)
    rival.run("stop", "family")
    seen = {
        "parent": rival.events(),
        "child": rival.events("child"),
        "child lives": any(map(processes.alive, children)),
    }
    for pid in children:
        processes.send_signal(pid, signal.SIGKILL)
    return seen


@compared(
    differs={
        "child": Differs("D30", pm2=["start", "SIGINT"], clusterd=["start", "SIGTERM"]),
        "parent": Differs("D30", pm2=["start", "SIGINT"], clusterd=["start", "SIGTERM"]),
    },
)
def test_children_are_stopped_as_well(rival):
    return family(rival)


@compared(
    differs={"parent": Differs("D30", pm2=["start", "SIGINT"], clusterd=["start", "SIGTERM"])},
)
def test_children_are_spared(rival):
    return family(rival, treekill=False)


@compared()
def test_a_message_instead_of_a_signal(rival):
    rival.app("recorder.js")
    words = [str(rival.work / "recorder.events")]
    keys = {"script": "recorder.js", "args": words, "shutdown_with_message": True}
    return stop(rival, {"name": "recorder"} | keys)


@compared()
def test_delete(rival):
    rival.start(rival.recorder())
    rival.wait_event("start")
    pid = rival.process("recorder").pid
    done = rival.run("delete", "recorder")
    return {"result": done.result, "names": rival.names(), "lives": processes.alive(pid)}


@compared()
def test_one_instance_by_id(rival):
    rival.start(rival.sleeper("web", instances=2, exec_mode="fork"))
    done = rival.run("stop", rival.processes()[0].id)
    return {"result": done.result, "statuses": rival.statuses()}


@compared(
    differs={
        "result": Differs("D25", pm2="ok", clusterd="failed"),
        "statuses": Differs("D25", pm2={"web": ["online"]}, clusterd={"web": ["online", "online"]}),
    },
)
def test_deleting_one_instance_by_id(rival):
    rival.start(rival.sleeper("web", instances=2, exec_mode="fork"))
    done = rival.run("delete", rival.processes()[0].id)
    return {"result": done.result, "statuses": rival.statuses()}


@compared()
def test_kill_ends_apps_and_daemon(rival):
    rival.start(rival.sleeper("web"), rival.sleeper("mail"))
    pids = [p.pid for p in rival.processes()]
    done = rival.run("kill")
    rival.wait("the daemon to end", lambda: not rival.daemon_runs())
    return {"result": done.result, "lives": any(map(processes.alive, pids))}


@compared()
def test_signals_on_request(rival):
    rival.start(rival.recorder())
    rival.wait_event("start")
    results = []
    for name in ("SIGUSR2", "SIGHUP"):
        results.append(rival.run("sendSignal", name, "recorder").result)
        rival.wait_event(name)  # two that come at once are told in any order
    return {"results": results, "events": rival.events(), "restarts": rival.process("recorder").restarts}


@compared()
def test_signals_that_do_not_exist(rival):
    rival.start(rival.sleeper("web"))
    return {
        "no such signal": rival.run("sendSignal", "SIGNOTHING", "web").result,
        "no such app": rival.run("sendSignal", "SIGUSR2", "nobody").result,
        "statuses": rival.statuses(),
    }
