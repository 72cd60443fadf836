"""How an ecosystem file is written."""

import json

from harness import processes
from rivals.compare import Differs, compared

SLEEP = "script: 'sleep', args: ['1000']"


def start_text(rival, text: str, name: str = "ecosystem.json", *words):
    rival.write(name, text)
    return rival.run("start", name, *words)


def outcome(rival, text: str, name: str = "ecosystem.json", *words) -> dict:
    done = start_text(rival, text, name, *words)
    return {"result": done.result, "statuses": rival.statuses()}


@compared()
def test_an_array(rival):
    return outcome(rival, json.dumps([rival.sleeper("web"), rival.sleeper("mail")]))


@compared()
def test_a_single_app(rival):
    return outcome(rival, json.dumps(rival.sleeper("web")))


@compared()
def test_the_key_pm2(rival):
    return outcome(rival, json.dumps({"pm2": [rival.sleeper("web")]}))


@compared()
def test_an_object_for_the_only_app(rival):
    return outcome(rival, json.dumps({"apps": rival.sleeper("web")}))


@compared()
def test_comments_and_trailing_commas(rival):
    return outcome(
        rival, '{\n// web\n"apps": [{"name": "web", /* it */ "script": "sleep", "args": ["1000"],},],\n}\n'
    )


@compared()
def test_a_deploy_section(rival):
    return outcome(
        rival, json.dumps({"apps": [rival.sleeper("web")], "deploy": {"production": {"host": "h"}}})
    )


@compared()
def test_a_mistake_of_syntax(rival):
    return outcome(rival, '{"apps": [{"name": "web" "script": "sleep"}]}')


@compared(
    differs={
        "result": Differs("D22", pm2="ok", clusterd="failed"),
        "statuses": Differs("D22", pm2={"web": ["online"]}, clusterd={}),
    },
)
def test_a_program_in_the_file(rival):
    return outcome(rival, '{"apps": [{"name": ["we", "b"].join(""), "script": "sleep", "args": ["1000"]}]}')


@compared(
    differs={
        "result": Differs("D21", pm2="ok", clusterd="failed"),
        "statuses": Differs("D21", pm2={"web": ["online"]}, clusterd={}),
    },
)
def test_an_unknown_key(rival):
    return outcome(rival, json.dumps({"apps": [rival.sleeper("web", instnaces=3)]}))


@compared()
def test_a_value_of_the_wrong_type(rival):
    return outcome(rival, json.dumps({"apps": [rival.sleeper("web", kill_timeout="soon")]}))


@compared()
def test_no_script(rival):
    return outcome(rival, json.dumps({"apps": [{"name": "web"}]}))


@compared(
    differs={"statuses": Differs("D12", pm2={}, clusterd={"web": ["errored"]})},
)
def test_a_script_that_is_not_there(rival):
    return outcome(rival, json.dumps({"apps": [{"name": "web", "script": "./nothing"}]}))


@compared(
    differs={
        "statuses": Differs("D12", pm2={"web": ["online"]}, clusterd={"bad": ["errored"], "web": ["online"]})
    },
)
def test_a_broken_app_beside_a_good_one(rival):
    return outcome(
        rival, json.dumps({"apps": [rival.sleeper("web"), {"name": "bad", "script": "./nothing"}]})
    )


@compared()
def test_no_name(rival):
    rival.app("beacon.js")
    return outcome(rival, json.dumps({"apps": [{"script": "./beacon.js"}]}))


@compared()
def test_a_script_with_blanks(rival):
    return outcome(rival, json.dumps({"apps": [{"name": "line", "script": "sleep 1000"}]}))


@compared()
def test_camel_case(rival):
    rival.app("recorder.py")
    app = {
        "name": "recorder",
        "script": "./recorder.py",
        "args": [str(rival.work / "recorder.events"), "deaf"],
    }
    seen = outcome(
        rival, json.dumps({"apps": [app | {"killTimeout": 400, "outFile": "my.out", "waitReady": False}]})
    )
    rival.wait_event("start")
    rival.run("stop", "recorder")
    return seen | {"file": (rival.work / "my.out").exists()}


@compared()
def test_other_words_for_keys(rival):
    rival.app("recorder.py")
    app = {"name": "recorder", "exec": "./recorder.py", "args": [str(rival.work / "recorder.events")]}
    keys = {
        "interpreter": "python3",
        "output": "a.out",
        "err_file": "a.err",
        "combine_logs": True,
        "cron": "0 0 * * *",
    }
    return outcome(rival, json.dumps({"apps": [app | keys]})) | {"file": (rival.work / "a.out").exists()}


@compared()
def test_words_for_script(rival):
    apps = [{"name": word, word: "sleep", "args": ["1000"]} for word in ("script", "exec", "cmd", "command")]
    return outcome(rival, json.dumps({"apps": apps}))


@compared(
    differs={
        "result": Differs("D23", pm2="failed", clusterd="ok"),
        "statuses": Differs("D23", pm2={}, clusterd={"web": ["online", "online"]}),
        "autorestart": Differs("D23", pm2=None, clusterd=False),
    },
)
def test_numbers_and_flags_as_text(rival):
    keys = {"instances": "2", "autorestart": "false", "kill_timeout": "400", "exec_mode": "fork"}
    seen = outcome(rival, json.dumps({"apps": [rival.sleeper("web", **keys)]}))
    return seen | {"autorestart": rival.processes()[0].record["autorestart"] if rival.processes() else None}


@compared()
def test_arguments_as_one_text(rival):
    app = rival.probe()
    app["args"] = f"{app['args'][0]} one 'two words' \"three\" $HOME"
    rival.start(app)
    return {"argv": rival.probed()[0]["argv"]}


@compared()
def test_only_some_apps(rival):
    apps = [rival.sleeper(name) for name in ("a", "b", "c")]
    return outcome(rival, json.dumps({"apps": apps}), "ecosystem.json", "--only", "a,c")


@compared(
    differs={"result": Differs("D24", pm2="ok", clusterd="failed")},
)
def test_only_an_unknown_app(rival):
    return outcome(rival, json.dumps({"apps": [rival.sleeper("a")]}), "ecosystem.json", "--only", "z")


@compared(
    differs={"same process": Differs("D4", pm2=False, clusterd=True)},
)
def test_the_same_file_again(rival):
    rival.start(rival.sleeper("web"))
    before = rival.process("web").pid
    done = rival.start(rival.sleeper("web"))
    return {"result": done.result, "same process": rival.process("web").pid == before}


@compared()
def test_one_more_app_in_the_file(rival):
    rival.start(rival.sleeper("web"))
    done = rival.start(rival.sleeper("web"), rival.sleeper("mail"))
    return {"result": done.result, "statuses": rival.statuses()}


@compared()
def test_one_app_less_in_the_file(rival):
    rival.start(rival.sleeper("web"), rival.sleeper("mail"))
    done = rival.start(rival.sleeper("web"))
    return {"result": done.result, "statuses": rival.statuses()}


def what_runs(rival) -> str:
    if (rival.work / "other.ran").exists():
        return "the new"
    return "the old" if "100000" in processes.command_line(rival.process("web").pid) else ""


@compared(
    differs={"runs": Differs("D5", pm2=False, clusterd=True)},
)
def test_a_changed_script(rival):
    rival.start(rival.sleeper("web"))
    rival.write("other.sh", "touch other.ran; exec sleep 1000\n", 0o755)
    done = rival.start({"name": "web", "script": "./other.sh", "min_uptime": 100})
    return {"result": done.result, "runs": rival.wait("either", lambda: what_runs(rival)) == "the new"}


@compared()
def test_changed_arguments(rival):
    rival.start(rival.probe("old"))
    old = rival.process("probe").pid
    done = rival.start(rival.probe("new"))
    rival.wait("another process", lambda: rival.process("probe").pid not in (0, old))
    return {"result": done.result, "argv": rival.probed()[0]["argv"]}


@compared(
    differs={
        "result": Differs("D19", pm2="ok", clusterd="failed"),
        "statuses": Differs("D19", pm2={"web": ["online", "online"]}, clusterd={}),
    },
)
def test_two_apps_of_one_name(rival):
    return outcome(rival, json.dumps({"apps": [rival.sleeper("web"), rival.sleeper("web")]}))


@compared()
def test_a_file_on_standard_input(rival):
    done = rival.run("start", "-", stdin=json.dumps({"apps": [rival.sleeper("web")]}))
    return {"result": done.result, "statuses": rival.statuses()}


@compared()
def test_a_file_that_is_a_program(rival):
    return outcome(
        rival, f"module.exports = {{ apps: [{{ name: 'web', {SLEEP} }}] }};", "ecosystem.config.js"
    )


@compared()
def test_a_program_that_makes_several_apps(rival):
    text = f"module.exports = {{ apps: ['a', 'b'].map((name) => ({{ name, {SLEEP} }})) }};"
    return outcome(rival, text, "apps.config.cjs")


@compared(
    differs={
        "result": Differs("D60", pm2="failed", clusterd="ok"),
        "statuses": Differs("D60", pm2={}, clusterd={"web": ["online"]}),
    },
)
def test_a_module(rival):
    return outcome(rival, f"export default {{ apps: [{{ name: 'web', {SLEEP} }}] }};", "ecosystem.config.mjs")


@compared()
def test_yaml(rival):
    return outcome(rival, "apps:\n  - name: web\n    script: sleep\n    args: ['1000']\n", "process.yml")


@compared()
def test_another_ending_of_yaml(rival):
    return outcome(rival, "apps:\n- script: sleep\n  args: '1000'\n  env:\n    A: 1\n", "process.yaml")


@compared()
def test_no_target_and_a_program_in_the_folder(rival):
    rival.write("ecosystem.config.js", f"module.exports = [{{ name: 'web', {SLEEP} }}];")
    done = rival.run("start")
    return {"result": done.result, "names": rival.names()}
