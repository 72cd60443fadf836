"""What `start` takes, and how apps come to their name, arguments and folder."""

from rivals.compare import Differs, compared

PROBE = ("start", "--name", "probe")


def program(rival) -> str:
    return rival.probe()["script"]


def folder(rival) -> str:
    return rival.probe()["args"][0]


@compared()
def test_a_script_in_the_folder(rival):
    rival.app("recorder.py")
    done = rival.run("start", "recorder.py", "--", rival.work / "recorder.events")
    rival.wait_event("start")
    return {"result": done.result, "statuses": rival.statuses()}


@compared()
def test_words_after_the_dashes(rival):
    done = rival.run(*PROBE, program(rival), "--", folder(rival), "--", "-x", "two words", "$HOME", "*", "")
    return {"result": done.result, "argv": rival.probed()[0]["argv"]}


@compared()
def test_a_program_on_the_path(rival):
    done = rival.run("start", "sleep", "--", "1000")
    return {"result": done.result, "statuses": rival.statuses()}


@compared()
def test_a_name_and_a_namespace(rival):
    done = rival.run("start", "sleep", "-n", "first", "--namespace", "jobs", "--", "1000")
    process = rival.process("first")
    return {"result": done.result, "name": process.name, "namespace": process.record["namespace"]}


@compared()
def test_the_folder(rival):
    (rival.work / "other").mkdir()
    rival.run(*PROBE, "--cwd", "other", program(rival), "--", folder(rival))
    return {"cwd": rival.probed()[0]["cwd"]}


@compared()
def test_the_folder_of_the_shell(rival):
    (rival.work / "other").mkdir()
    rival.run(*PROBE, program(rival), "--", folder(rival), cwd=rival.work / "other")
    return {"cwd": rival.probed()[0]["cwd"]}


@compared(differs={"cwd": Differs("D13", pm2="WORK", clusterd="WORK/conf")})
def test_the_folder_of_a_file_elsewhere(rival):
    (rival.work / "conf").mkdir()
    rival.file(rival.probe(), name="conf/ecosystem.json")
    done = rival.run("start", "conf/ecosystem.json")
    return {"result": done.result, "cwd": rival.probed()[0]["cwd"]}


@compared()
def test_a_file_that_is_not_there(rival):
    done = rival.run("start", "./no-such-file")
    return {"result": done.result, "names": rival.names()}


@compared()
def test_a_json_file_that_is_not_there(rival):
    done = rival.run("start", "none.json")
    return {"result": done.result, "names": rival.names()}


@compared(
    differs={
        "restarts": Differs("D2", pm2=1, clusterd=0),
    },
)
def test_the_same_program_again(rival):
    rival.run("start", "sleep", "--", "1000")
    again = rival.run("start", "sleep", "--", "1000")
    return {
        "result": again.result,
        "processes": len(rival.processes()),
        "restarts": rival.processes()[0].restarts,
    }


@compared(
    differs={
        "result": Differs("D3", pm2="ok", clusterd="failed"),
        "processes": Differs("D3", pm2=2, clusterd=1),
    },
)
def test_another_program_of_the_same_name(rival):
    rival.run("start", "sleep", "--name", "web", "--", "1000")
    rival.app("recorder.py")
    again = rival.run("start", "recorder.py", "--name", "web", "--", rival.work / "recorder.events")
    return {"result": again.result, "processes": len(rival.processes("web"))}


@compared(
    differs={
        "result": Differs("D3", pm2="ok", clusterd="failed"),
        "processes": Differs("D3", pm2=2, clusterd=1),
    },
)
def test_the_same_program_again_by_force(rival):
    rival.write("one.sh", "exec sleep 1000\n", 0o755)
    rival.run("start", "one.sh")
    again = rival.run("start", "one.sh", "-f")
    return {"result": again.result, "processes": len(rival.processes())}


@compared()
def test_a_stopped_app_by_name_and_by_id(rival):
    rival.start(rival.sleeper("web"))
    rival.run("stop", "web")
    by_name = rival.run("start", "web")
    after_name = rival.statuses()
    rival.run("stop", "web")
    by_id = rival.run("start", rival.process("web").id)
    return {
        "by name": by_name.result,
        "after": after_name,
        "by id": by_id.result,
        "statuses": rival.statuses(),
    }


@compared(
    differs={"same process": Differs("D2", pm2=False, clusterd=True)},
)
def test_a_running_app_by_name(rival):
    rival.start(rival.sleeper("web"))
    before = rival.process("web").pid
    done = rival.run("start", "web")
    return {"result": done.result, "same process": rival.process("web").pid == before}


@compared()
def test_several_programs(rival):
    rival.write("one.sh", "exec sleep 1000\n", 0o755)
    rival.write("two.sh", "exec sleep 1000\n", 0o755)
    done = rival.run("start", "one.sh", "two.sh")
    return {"result": done.result, "names": rival.names()}


@compared()
def test_a_command_line_in_one_word(rival):
    done = rival.run("start", "sleep 1000", "--name", "line")
    return {"result": done.result, "statuses": rival.statuses()}


@compared(
    differs={
        "result": Differs("D17", pm2="failed", clusterd="ok"),
        "names": Differs("D17", pm2=[], clusterd=["web"]),
    },
)
def test_no_target_and_a_file_in_the_folder(rival):
    rival.file(rival.sleeper("web"), name="ecosystem.json")
    done = rival.run("start")
    return {"result": done.result, "names": rival.names()}


@compared()
def test_registered_only(rival):
    done = rival.run("start", "sleep", "--no-autostart", "--", "1000")
    return {"result": done.result, "statuses": rival.statuses()}


@compared()
def test_registered_only_by_key(rival):
    done = rival.start(rival.sleeper("web", autostart=False), rival.sleeper("other"))
    return {"result": done.result, "statuses": rival.statuses()}


@compared(
    differs={"result": Differs("D11", pm2="ok", clusterd="failed")},
)
def test_a_program_that_ends_at_once_with_an_error(rival):
    rival.write("broken.sh", "exit 3\n", 0o755)
    done = rival.run("start", "broken.sh", "--no-autorestart")
    return {"result": done.result}


@compared(
    differs={"names": Differs("D12", pm2=[], clusterd=["app"])},
)
def test_an_interpreter_that_is_not_there(rival):
    rival.write("app.sh", "sleep 1000\n", 0o755)
    done = rival.run("start", "app.sh", "--interpreter", "/no/such/interpreter")
    return {"result": done.result, "names": rival.names()}


@compared()
def test_options_before_the_verb(rival):
    done = rival.run("--name", "early", "start", "sleep", "--", "1000")
    return {"result": done.result, "names": rival.names()}


@compared(differs={"stdin": Differs("D41", pm2="socket", clusterd="/dev/null")})
def test_what_a_process_is_given(rival):
    rival.start(rival.probe())
    probe = rival.probed()[0]
    return {
        "leads its session": probe["leads its session"],
        "ignored": probe["ignored"],
        "umask": probe["umask"],
        "stdin": probe["stdin"].split(":")[0],
    }


@compared()
def test_a_line_for_its_standard_input(rival):
    rival.write("read.sh", 'echo ready\nwhile read -r line; do echo "got $line"; done\n', 0o755)
    rival.start({"name": "read", "script": "./read.sh", "stdin": "pipe"})
    log = rival.home / "logs/read-out.log"
    rival.wait("the app", lambda: log.exists() and "ready" in log.read_text())
    number = str(rival.process("read").id)
    sent = rival.run("send", number, "two words").result
    rival.wait("the line", lambda: "got two words" in log.read_text())
    return {"sent": sent, "nobody": rival.run("send", "99", "x").result, "log": log.read_text()}
