"""How many processes, which numbers, which mode."""

import os

from rivals.compare import Differs, compared

CPUS = len(os.sched_getaffinity(0))


def count(rival, **keys) -> int:
    rival.start(rival.sleeper("web", exec_mode="fork", **keys))
    return len(rival.processes("web"))


@compared()
def test_on_the_command_line(rival):
    done = rival.run("start", "sleep", "-i", "3", "--", "1000")
    return {"result": done.result, "statuses": rival.statuses()}


@compared()
def test_max_on_the_command_line(rival):
    rival.run("start", "sleep", "-i", "max", "--", "1000")
    return {"all CPUs": len(rival.processes()) == CPUS}


@compared()
def test_zero_is_all_processors(rival):
    return {"all CPUs": count(rival, instances=0) == CPUS}


@compared()
def test_a_negative_number(rival):
    return {"all CPUs but one": count(rival, instances=-1) == max(1, CPUS - 1)}


@compared()
def test_a_number_as_text(rival):
    return {"count": count(rival, instances="3")}


@compared(
    differs={
        "result": Differs("D28", pm2="ok", clusterd="failed"),
        "processes": Differs("D28", pm2=CPUS, clusterd=0),
    }
)
def test_words_that_are_no_number(rival):
    done = rival.run("start", "sleep", "-i", "many", "--", "1000")
    return {"result": done.result, "processes": len(rival.processes())}


@compared()
def test_scaling_up(rival):
    rival.start(rival.sleeper("web", instances=2, exec_mode="fork"))
    to = rival.run("scale", "web", "4")
    after = len(rival.processes())
    by = rival.run("scale", "web", "+2")
    return {"to": to.result, "after": after, "by": by.result, "count": len(rival.processes())}


@compared(
    differs={"left": Differs("D26", pm2=2, clusterd=0)},
)
def test_scaling_down(rival):
    rival.start(rival.sleeper("web", instances=3, exec_mode="fork"))
    before = [p.id for p in rival.processes()]
    done = rival.run("scale", "web", "1")
    rival.wait("one process", lambda: len(rival.processes()) == 1)
    return {"result": done.result, "left": before.index(rival.process("web").id)}


@compared(
    differs={
        "result": Differs("D27", pm2="failed", clusterd="ok"),
        "count": Differs("D27", pm2=3, clusterd=2),
    },
)
def test_scaling_by_a_negative_number(rival):
    rival.start(rival.sleeper("web", instances=3, exec_mode="fork"))
    done = rival.run("scale", "web", "-1")
    return {"result": done.result, "count": len(rival.processes())}


@compared(differs={"result": Differs("D29", pm2="failed", clusterd="ok")})
def test_scaling_to_what_is_there(rival):
    rival.start(rival.sleeper("web", instances=2, exec_mode="fork"))
    done = rival.run("scale", "web", "2")
    return {"result": done.result, "count": len(rival.processes())}


@compared()
def test_scaling_what_is_not_there(rival):
    return {"result": rival.run("scale", "nobody", "2").result}


@compared()
def test_numbers_after_scaling(rival):
    rival.start(rival.probe(instances=1, exec_mode="fork"))
    rival.run("scale", "probe", "3")
    return {"numbers": sorted(probe["variables"]["NODE_APP_INSTANCE"] for probe in rival.probed(3))}


@compared()
def test_ids_begin_with_zero_and_count_up(rival):
    # PM2 starts the apps of a file at the same time: whose ids come first is chance.
    rival.start(rival.sleeper("web", instances=2, exec_mode="fork"), rival.sleeper("mail"))
    first = sorted(p.id - min(q.id for q in rival.processes()) for p in rival.processes())
    rival.run("delete", "all")
    rival.start(rival.sleeper("again"))
    return {"first": first, "after all were deleted": rival.process("again").id}


@compared(differs={"count": Differs("D6", pm2=1, clusterd=3)})
def test_a_changed_number_in_the_file(rival):
    rival.start(rival.sleeper("web", instances=1, exec_mode="fork"))
    done = rival.start(rival.sleeper("web", instances=3, exec_mode="fork"))
    return {"result": done.result, "count": len(rival.processes())}


def mode(rival, **keys) -> str:
    rival.app("beacon.js")
    rival.start({"name": "beacon", "script": "beacon.js"} | keys)
    return rival.processes()[0].record["exec_mode"]


@compared(
    differs={"mode": Differs("D1", pm2="fork_mode", clusterd="cluster_mode")},
)
def test_the_mode_of_a_node_program(rival):
    return {"mode": mode(rival)}


@compared()
def test_the_mode_of_a_node_program_with_a_number(rival):
    return {"mode": mode(rival, instances=1)}


@compared()
def test_the_mode_that_was_asked_for(rival):
    return {"mode": mode(rival, exec_mode="fork", instances=1)}


@compared(
    differs={
        "mode": Differs("D1", pm2=["fork_mode", "fork_mode"], clusterd=["cluster_mode", "cluster_mode"])
    },
)
def test_the_mode_of_another_program(rival):
    rival.start(rival.sleeper("web", instances=2))
    return {"mode": [p.record["exec_mode"] for p in rival.processes()]}


@compared()
def test_workers_of_nodes_cluster(rival):
    rival.app("worker.js")
    rival.start({"name": "worker", "script": "worker.js", "instances": 2, "exec_mode": "cluster"})
    rival.wait("both workers", lambda: len(list(rival.work.glob("worker-*.ran"))) == 2)
    return {"said": sorted(path.read_text() for path in rival.work.glob("worker-*.ran"))}
