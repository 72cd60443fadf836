"""What is printed, for people and for scripts."""

import json
import re

from rivals.compare import Differs, compared

SCRIPTED = """status pm_uptime created_at restart_time unstable_restarts exit_code exec_mode instances namespace version
node_version pm_exec_path pm_cwd args exec_interpreter node_args pm_out_log_path pm_err_log_path pm_pid_path watch
autorestart autostart username merge_logs treekill name pm_id""".split()
COLUMNS = "id name namespace version mode pid uptime ↺ status cpu mem user watching".split()


@compared(
    differs={
        "has exit_code": Differs("D39", pm2=False, clusterd=True),
        "has watch": Differs("D39", pm2=False, clusterd=True),
    },
)
def test_the_shape_of_jlist(rival):
    rival.start(rival.sleeper("web"))
    rival.wait("a measurement", lambda: rival.rows()[0]["monit"]["memory"])
    row = json.loads(rival.run("jlist").out)[0]
    record = row["pm2_env"]
    kinds = {name: type(row.get(name)).__name__ for name in ("pid", "name", "pm_id", "monit")}
    kinds |= {f"monit.{name}": isinstance(row["monit"].get(name), (int, float)) for name in ("memory", "cpu")}
    return kinds | {f"has {name}": name in record for name in SCRIPTED}


@compared(
    differs={
        "watch": Differs("D39", pm2=None, clusterd=False),
    },
)
def test_the_values_of_jlist(rival):
    keys = {
        "namespace": "jobs",
        "autorestart": False,
        "args": ["1000", "2000"],
        "instances": 1,
        "exec_mode": "fork",
    }
    rival.start(rival.sleeper("web", **keys))
    record = json.loads(rival.run("jlist").out)[0]["pm2_env"]
    same = (
        "status",
        "namespace",
        "pm_cwd",
        "args",
        "pm_exec_path",
        "autorestart",
        "exec_mode",
        "restart_time",
    )
    same += ("unstable_restarts", "watch", "treekill", "username", "instances", "exec_interpreter")
    times = {name: record[name] > 1_600_000_000_000 for name in ("pm_uptime", "created_at")}
    return {name: record.get(name) for name in same} | times


@compared(
    differs={"shown": Differs("D38", pm2=True, clusterd=False)},
)
def test_secrets_in_jlist(rival):
    rival.start(rival.sleeper("web", env={"PASSWORD": "s3cret"}))
    return {"shown": "s3cret" in rival.run("jlist").out}


@compared()
def test_jlist_of_nothing(rival):
    done = rival.run("jlist")
    return {"result": done.result, "out": json.loads(done.out)}


@compared()
def test_ids_of_a_name(rival):
    rival.start(rival.sleeper("web", instances=2, exec_mode="fork"))
    numbers = [p.id for p in rival.processes()]
    done = rival.run("id", "web")
    unknown = rival.run("id", "nobody")
    same = json.loads(done.out) == numbers
    return {
        "same": same,
        "result": done.result,
        "unknown": unknown.out.strip(),
        "unknown result": unknown.result,
    }


@compared()
def test_pids_of_a_name(rival):
    rival.start(rival.sleeper("web", instances=2, exec_mode="fork"))
    done = rival.run("pid", "web")
    unknown = rival.run("pid", "nobody")
    return {
        "same": sorted(map(int, done.out.split())) == sorted(p.pid for p in rival.processes()),
        "result": done.result,
        "unknown": unknown.out.strip(),
        "unknown result": unknown.result,
    }


@compared()
def test_pids_of_all(rival):
    rival.start(rival.sleeper("web"), rival.sleeper("mail"))
    done = rival.run("pid")
    return {"same": sorted(map(int, done.out.split())) == sorted(p.pid for p in rival.processes())}


@compared(
    differs={"out": Differs("D40", pm2="0", clusterd="")},
)
def test_the_pid_of_a_stopped_app(rival):
    rival.start(rival.sleeper("web"))
    rival.run("stop", "web")
    done = rival.run("pid", "web")
    return {"out": done.out.strip(), "result": done.result}


@compared(
    differs={
        "columns": Differs("D14", pm2=COLUMNS, clusterd=[*COLUMNS[:11], "conn", *COLUMNS[11:]]),
    }
)
def test_columns_of_the_list(rival):
    rival.start(rival.sleeper("web"))
    done = rival.run("list")
    header = next(line for line in done.out.splitlines() if "name" in line and "status" in line)
    return {"columns": [word for word in re.split(r"[│\s]+", header) if word]}


@compared()
def test_other_words_for_list(rival):
    rival.start(rival.sleeper("web"))
    verbs = ("list", "ls", "l", "ps", "status")
    return {verb: (done.result, "web" in done.out) for verb in verbs if (done := rival.run(verb))}


@compared()
def test_other_words_for_describe(rival):
    rival.start(rival.sleeper("web"))
    verbs = ("describe", "show", "info", "desc")
    return {verb: (done.result, "web" in done.out) for verb in verbs if (done := rival.run(verb, "web"))}


@compared()
def test_what_describe_names(rival):
    rival.start(rival.sleeper("web"))
    said = rival.run("describe", "web").out
    words = ("status", "restarts", "uptime", "script path", "script args", "error log path", "out log path")
    words += (
        "pid path",
        "interpreter",
        "exec cwd",
        "exec mode",
        "namespace",
        "created at",
        "unstable restarts",
    )
    return {word: word in said for word in words}


@compared()
def test_ping(rival):
    done = rival.run("ping")
    return {"result": done.result, "pong": "pong" in done.out}


@compared()
def test_prettylist(rival):
    rival.start(rival.sleeper("web"))
    done = rival.run("prettylist")
    return {"result": done.result, "has the name": "web" in done.out}


@compared()
def test_the_small_list(rival):
    rival.start(rival.sleeper("web"))
    done = rival.run("list", "-m")
    return {
        "result": done.result,
        "name": "+--- web" in done.out,
        "status": bool(re.search("status *: online", done.out)),
    }


@compared()
def test_a_sorted_list(rival):
    rival.start(rival.sleeper("b"), rival.sleeper("a"), rival.sleeper("c"))
    orders = {}
    for key in ("name", "name:desc", "id"):
        lines = rival.run("list", "--sort", key).out.splitlines()
        rows = [re.split(r"[│\s]+", line.strip("│ ")) for line in lines]
        orders[key] = [word for row in rows for word in row[:3] if word in ("a", "b", "c")]
    return orders
