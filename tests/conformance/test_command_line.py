"""Verbs, options and exit statuses by themselves."""

from rivals.compare import Differs, compared


@compared()
def test_no_verb(rival):
    return {"result": rival.run().result}


@compared()
def test_an_unknown_verb(rival):
    return {"result": rival.run("frobnicate").result}


@compared()
def test_an_unknown_option(rival):
    return {"result": rival.run("list", "--frobnicate").result}


@compared()
def test_the_version(rival):
    done = {option: rival.run(option) for option in ("-v", "-V", "--version")}
    return {option: (one.result, len(one.out.split()) >= 1) for option, one in done.items()}


@compared(
    differs={"help": Differs("D49", pm2="failed", clusterd="ok")},
)
def test_help(rival):
    return {option: rival.run(option).result for option in ("-h", "--help", "help")}


@compared()
def test_silence(rival):
    rival.start(rival.sleeper("web"))
    done = rival.run("restart", "web", "--silent")
    return {"result": done.result, "said": done.said}


@compared(
    differs={
        "unknown name": Differs("D42", pm2=1, clusterd=4),
        "bad setting": Differs("D42", pm2=1, clusterd=3),
        "unknown option": Differs("D42", pm2=1, clusterd=2),
    },
)
def test_statuses_of_errors(rival):
    return {
        "unknown name": rival.run("restart", "nobody").status,
        "bad setting": rival.run("start", "sleep", "-k", "soon", "--", "1").status,
        "unknown option": rival.run("list", "--frobnicate").status,
    }


@compared(
    differs={
        "starts a daemon": Differs("D43", pm2=True, clusterd=False),
        "stop all": Differs("D44", pm2="failed", clusterd="ok"),
    },
)
def test_commands_without_a_daemon(rival):
    rival.run("kill")
    rival.wait("the daemon to end", lambda: not rival.daemon_runs())
    done = rival.run("stop", "all")
    ran = rival.daemon_runs()
    return {"stop all": done.result, "starts a daemon": ran, "kill": rival.run("kill").result}


@compared()
def test_a_stop_of_a_name_without_a_daemon(rival):
    rival.run("kill")
    rival.wait("the daemon to end", lambda: not rival.daemon_runs())
    return {"result": rival.run("stop", "web").result}


@compared()
def test_list_without_a_daemon(rival):
    rival.run("kill")
    rival.wait("the daemon to end", lambda: not rival.daemon_runs())
    return {"result": rival.run("list").result}


@compared()
def test_other_words_for_delete(rival):
    rival.start(rival.sleeper("web"))
    return {"result": rival.run("del", "web").result, "names": rival.names()}


@compared()
def test_start_or_restart(rival):
    rival.start(rival.sleeper("web"))
    rival.file(rival.sleeper("web"), rival.sleeper("mail"))
    old = rival.process("web").pid
    done = rival.run("startOrRestart", "ecosystem.json")
    return {
        "result": done.result,
        "statuses": rival.statuses(),
        "same process": rival.process("web").pid == old,
    }


@compared()
def test_start_or_reload(rival):
    rival.start(rival.sleeper("web"))
    rival.file(rival.sleeper("web"), rival.sleeper("mail"))
    old = rival.process("web").pid
    seen = {}
    for verb in ("startOrReload", "startOrGracefulReload"):
        seen[verb] = rival.run(verb, "ecosystem.json").result
    return seen | {"statuses": rival.statuses(), "same process": rival.process("web").pid == old}


@compared(
    differs={"files": Differs("D56", pm2=["ecosystem.config.js"], clusterd=["ecosystem.json"])},
)
def test_init(rival):
    done = rival.run("init")
    return {"result": done.result, "files": sorted(path.name for path in rival.work.iterdir())}


@compared()
def test_report(rival):
    rival.start(rival.sleeper("web", env={"PASSWORD": "s3cret"}))
    done = rival.run("report")
    return {"result": done.result, "has the app": "web" in done.said, "shows secrets": "s3cret" in done.said}


@compared(
    differs={
        "result": Differs("D57", pm2="ok", clusterd="failed"),
        "says something": Differs("D57", pm2=True, clusterd=False),
    },
)
def test_completion(rival):
    done = rival.run("completion", env={"SHELL": "/bin/bash"})
    return {"result": done.result, "says something": bool(done.out.strip())}


@compared()
def test_slist(rival):
    return {verb: rival.run(verb).result for verb in ("slist", "sysinfos")}
