"""Which program runs a script."""

from rivals.compare import Differs, compared

SHELL = "echo ran > shell.ran; exec sleep 1000\n"


def ran(rival, name: str) -> bool:
    rival.wait("the script to run", (rival.work / name).exists)
    return True


def interpreter(rival, name: str) -> str:
    return rival.process(name).record["exec_interpreter"].rpartition("/")[2]


@compared()
def test_a_shell_script_by_its_extension(rival):
    rival.write("app.sh", SHELL)
    done = rival.run("start", "app.sh")
    return {"result": done.result, "ran": ran(rival, "shell.ran"), "interpreter": interpreter(rival, "app")}


@compared(differs={"interpreter": Differs("D15", pm2="python", clusterd="python3")})
def test_a_python_script_by_its_extension(rival):
    rival.app("recorder.py")
    rival.run("start", "recorder.py", "--", "recorder.events")
    return {"events": rival.wait_event("start"), "interpreter": interpreter(rival, "recorder")}


@compared()
def test_a_node_script_by_its_extension(rival):
    rival.app("beacon.js")
    done = rival.run("start", "beacon.js")
    return {
        "result": done.result,
        "ran": ran(rival, "beacon.ran"),
        "interpreter": interpreter(rival, "beacon"),
    }


@compared()
def test_a_perl_script_by_its_extension(rival):
    rival.write("app.pl", 'open(F, ">perl.ran"); close(F); sleep 1000;\n')
    done = rival.run("start", "app.pl")
    return {"result": done.result, "ran": ran(rival, "perl.ran"), "interpreter": interpreter(rival, "app")}


@compared()
def test_a_binary(rival):
    done = rival.run("start", rival.programs / "t-epoll")
    return {"result": done.result, "interpreter": interpreter(rival, "t-epoll")}


@compared(differs={"interpreter": Differs("D16", pm2="node", clusterd="none")})
def test_a_shell_script_without_extension(rival):
    rival.write("app", "#!/bin/sh\n" + SHELL, 0o755)
    done = rival.run("start", "./app")
    return {"result": done.result, "interpreter": interpreter(rival, "app")}


@compared()
def test_a_shell_script_without_extension_run_by_itself(rival):
    rival.write("app", "#!/bin/sh\n" + SHELL, 0o755)
    done = rival.run("start", "./app", "--interpreter", "none")
    return {"result": done.result, "ran": ran(rival, "shell.ran"), "interpreter": interpreter(rival, "app")}


@compared()
def test_an_interpreter_by_name(rival):
    rival.write("app.txt", SHELL)
    done = rival.run("start", "app.txt", "--interpreter", "bash")
    return {"result": done.result, "ran": ran(rival, "shell.ran"), "interpreter": interpreter(rival, "app")}


@compared()
def test_arguments_of_the_interpreter(rival):
    rival.app("beacon.js")
    rival.run("start", "beacon.js", "--node-args", "--max-old-space-size=64 --no-warnings", "--", "a", "b")
    ran(rival, "beacon.ran")
    return {"said": (rival.work / "beacon.ran").read_text()}


@compared()
def test_arguments_of_the_interpreter_in_a_file(rival):
    rival.app("beacon.js")
    keys = {"node_args": ["--no-warnings"], "args": "one 'two words' three"}
    rival.start({"name": "beacon", "script": "beacon.js"} | keys)
    ran(rival, "beacon.ran")
    return {"said": (rival.work / "beacon.ran").read_text()}


@compared()
def test_python_writes_at_once(rival):
    rival.write("talk.py", "import time\nprint('spoken')\ntime.sleep(1000)\n")
    rival.run("start", "talk.py")
    rival.wait("the line", lambda: "spoken\n" in rival.log("talk-out.log"))
    return {"log": rival.log("talk-out.log")}
