"""cron, watch and memory limits."""

import time

from rivals.compare import Differs, compared


def ticking(rival, name: str = "recorder") -> dict:
    """Restarted every other second; starts quickly, so that no restart comes before it has said so."""
    rival.write(f"{name}.sh", f"echo start >> {rival.work}/{name}.events\nexec sleep 1000\n", 0o755)
    return {"name": name, "script": f"./{name}.sh", "cron_restart": "*/2 * * * * *", "min_uptime": 100}


@compared()
def test_cron_restarts(rival):
    done = rival.start(ticking(rival))
    rival.wait_event("start", count=3)
    # One counts when it ends the old process, the other when the new one has taken over; until then it shows both.
    rival.wait("both to be counted", lambda: max(p.restarts for p in rival.processes("recorder")) >= 2)
    return {"result": done.result}


@compared(
    differs={"comes back": Differs("D50", pm2=True, clusterd=False)},
)
def test_cron_and_a_stopped_app(rival):
    rival.start(ticking(rival), ticking(rival, "clock"))
    rival.run("stop", "recorder")
    seen = rival.events().count("start")
    clock = rival.events("clock").count("start")

    def came_back() -> bool:
        return rival.events().count("start") > seen

    # On a busy machine a tick of one app may be late beside that of the other.
    rival.wait("a comeback, or five ticks", lambda: came_back() or rival.events("clock").count("start") >= clock + 5)
    return {"comes back": came_back()}


@compared()
def test_a_cron_pattern_that_makes_no_sense(rival):
    done = rival.start(rival.sleeper("web", cron_restart="every day"))
    return {"result": done.result, "names": rival.names()}


@compared()
def test_cron_options(rival):
    results = [
        rival.run("start", "sleep", "--name", f"app{number}", option, "0 4 * * *", "--", "1000").result
        for number, option in enumerate(("-c", "--cron", "--cron-restart"))
    ]
    patterns = [process.record.get("cron_restart") for process in rival.processes()]
    return {"results": results, "patterns": patterns}


def watched(rival, **keys) -> dict:
    (rival.work / "src/deep").mkdir(parents=True)
    (rival.work / "skipped").mkdir()
    app = rival.recorder() | {"cwd": str(rival.work / "src"), "script": str(rival.work / "recorder.py")}
    return app | {"watch": True} | keys


def touch_until_restart(rival, path) -> bool:
    """A watcher needs a moment to begin, and a program one to start: the file is changed every two seconds."""
    changed = 0.0

    def restarted():
        nonlocal changed
        if time.monotonic() - changed > 2:
            changed = time.monotonic()
            path.write_text(str(changed))
        return rival.events().count("start") >= 2

    return rival.wait("a restart", restarted)


@compared()
def test_a_changed_file(rival):
    rival.start(watched(rival))
    rival.wait_event("start")
    return {"restarted": touch_until_restart(rival, rival.work / "src/deep/file.txt")}


@compared()
def test_a_list_of_folders(rival):
    rival.start(watched(rival, watch=["deep"]))
    rival.wait_event("start")
    return {"restarted": touch_until_restart(rival, rival.work / "src/deep/file.txt")}


@compared()
def test_an_ignored_folder(rival):
    (rival.work / "src/ignored").mkdir(parents=True)
    (rival.work / "src/deep").mkdir()
    app = rival.recorder() | {"cwd": str(rival.work / "src"), "script": str(rival.work / "recorder.py")}
    rival.start(app | {"watch": True, "ignore_watch": ["ignored"]})
    rival.wait_event("start")
    touch_until_restart(rival, rival.work / "src/deep/file.txt")
    rival.wait_status("recorder", "online")
    starts = rival.events().count("start")
    for number in range(20):
        (rival.work / f"src/ignored/{number}").write_text("x")
    old = rival.events().count("start")
    return {"restarted by it": old > starts}


@compared(differs={"after stop": Differs("D59", pm2=False, clusterd=True)})
def test_whether_it_is_watched_is_shown(rival):
    rival.start(watched(rival))
    shown = bool(rival.process("recorder").record["watch"])
    rival.run("stop", "recorder")
    return {"shown": shown, "after stop": bool(rival.process("recorder").record["watch"])}


@compared()
def test_watch_by_option(rival):
    (rival.work / "src").mkdir()
    done = rival.run("start", "sleep", "--watch", "--cwd", rival.work / "src", "--", "1000")
    return {"result": done.result, "watch": bool(rival.processes()[0].record["watch"])}


@compared()
def test_memory_limits_that_are_understood(rival):
    values = (104857600, "100M", "1G", "2048K")
    apps = [rival.sleeper(f"app{number}", max_memory_restart=value) for number, value in enumerate(values)]
    done = rival.start(*apps)
    limits = [process.record.get("max_memory_restart") for process in rival.processes()]
    return {"result": done.result, "limits": limits}


@compared()
def test_memory_limits_that_are_not_understood(rival):
    done = rival.start(rival.sleeper("web", max_memory_restart="much"))
    return {"result": done.result, "names": rival.names()}


@compared(
    differs={
        "result": Differs("D51", pm2="failed", clusterd="ok"),
        "names": Differs("D51", pm2=[], clusterd=["web"]),
    },
)
def test_a_memory_limit_in_small_letters(rival):
    done = rival.start(rival.sleeper("web", max_memory_restart="100m"))
    return {"result": done.result, "names": rival.names()}


@compared()
def test_a_memory_limit_by_option(rival):
    done = rival.run("start", "sleep", "--max-memory-restart", "100M", "--", "1000")
    return {"result": done.result, "limit": rival.processes()[0].record.get("max_memory_restart")}
