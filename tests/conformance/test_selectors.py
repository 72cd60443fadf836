"""What a target may be."""

from rivals.compare import Differs, compared


def three(rival):
    rival.start(
        rival.sleeper("web"),
        rival.sleeper("worker", namespace="jobs"),
        rival.sleeper("mail", namespace="jobs"),
    )


def after(rival, *words, **options):
    three(rival)
    done = rival.run(*words, **options)
    return {"result": done.result, "statuses": rival.statuses()}


@compared()
def test_a_name(rival):
    return after(rival, "stop", "web")


@compared()
def test_several_names(rival):
    return after(rival, "stop", "web", "mail")


@compared()
def test_all(rival):
    return after(rival, "stop", "all")


@compared()
def test_a_namespace(rival):
    return after(rival, "stop", "jobs")


@compared()
def test_a_regular_expression(rival):
    return after(rival, "stop", "/^w/")


@compared()
def test_a_regular_expression_that_nothing_matches(rival):
    return after(rival, "stop", "/^x/")


@compared()
def test_ids(rival):
    three(rival)
    ids = [rival.process("worker").id, rival.process("mail").id]
    done = rival.run("delete", *ids)
    return {"result": done.result, "statuses": rival.statuses()}


@compared()
def test_an_unknown_name(rival):
    three(rival)
    verbs = ("stop", "restart", "reload", "delete", "describe", "reset", "env")
    return {verb: rival.run(verb, "nobody").result for verb in verbs} | {"statuses": rival.statuses()}


@compared(
    differs={
        "statuses": Differs(
            "D20",
            pm2={"mail": ["online"], "web": ["stopped"], "worker": ["online"]},
            clusterd={"mail": ["online"], "web": ["online"], "worker": ["online"]},
        )
    },
)
def test_a_known_name_before_an_unknown_one(rival):
    return after(rival, "stop", "web", "nobody")


@compared()
def test_an_unknown_name_before_a_known_one(rival):
    return after(rival, "stop", "nobody", "web")


@compared()
def test_an_app_that_is_named_like_an_id(rival):
    rival.start(rival.sleeper("7"), rival.sleeper("web"))
    done = rival.run("stop", "7")
    return {"result": done.result, "statuses": rival.statuses()}


@compared()
def test_the_apps_of_a_file(rival):
    three(rival)
    name = rival.file(rival.sleeper("web"), rival.sleeper("mail", namespace="jobs"), name="two.json")
    stopped = rival.run("stop", name)
    after_stop = rival.statuses()
    restarted = rival.run("restart", name)
    after_restart = rival.statuses()
    deleted = rival.run("delete", name)
    return {
        "stop": stopped.result,
        "after stop": after_stop,
        "restart": restarted.result,
        "after restart": after_restart,
        "delete": deleted.result,
        "after delete": rival.names(),
    }


@compared(
    differs={
        "result": Differs("D18", pm2="ok", clusterd="failed"),
        "statuses": Differs("D18", pm2=["stopped", "stopped"], clusterd=["online", "online"]),
    },
)
def test_a_name_in_two_namespaces(rival):
    rival.start(rival.sleeper("web", namespace="a"), rival.sleeper("web", namespace="b"))
    done = rival.run("stop", "web")
    return {"result": done.result, "statuses": sorted(sum(rival.statuses().values(), []))}


@compared()
def test_no_target(rival):
    return {verb: rival.run(verb).result for verb in ("stop", "restart", "reload", "delete", "describe")}
