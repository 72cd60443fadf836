"""Which variables an app gets, and when they change."""

from rivals.compare import Differs, compared

SHELL = {"FROM_SHELL": "shell", "BOTH": "shell"}


def variables(rival, *names: str, count: int = 1) -> list:
    return [{name: probe["variables"].get(name) for name in names} for probe in rival.probed(count)]


def after_restart(rival, old: int, *names: str) -> dict:
    rival.wait("another process", lambda: rival.process("probe").pid not in (0, old))
    return variables(rival, *names)[0]


@compared()
def test_the_shell_and_the_file(rival):
    done = rival.start(rival.probe(env={"BOTH": "file", "FROM_FILE": "file"}), env=SHELL)
    return {"result": done.result, "variables": variables(rival, "FROM_SHELL", "BOTH", "FROM_FILE")}


@compared()
def test_values_that_are_not_text(rival):
    values = {
        "NUMBER": 3000,
        "FRACTION": 1.5,
        "YES": True,
        "NO": False,
        "OBJECT": {"a": [1, "b"]},
        "EMPTY": "",
    }
    rival.start(rival.probe(env=values))
    return variables(rival, *values)[0]


@compared()
def test_a_profile(rival):
    app = rival.probe(env={"A": "base", "B": "base"}, env_production={"B": "production", "C": "production"})
    done = rival.start(app, words=("--env", "production"))
    return {"result": done.result, "variables": variables(rival, "A", "B", "C")}


@compared()
def test_no_profile(rival):
    rival.start(rival.probe(env={"A": "base"}, env_production={"A": "production", "C": "production"}))
    return {"variables": variables(rival, "A", "C")}


@compared()
def test_an_unknown_profile(rival):
    done = rival.start(rival.probe(env={"A": "base"}), words=("--env", "staging"))
    return {"result": done.result, "names": rival.names()}


@compared()
def test_a_restart_keeps_the_environment(rival):
    rival.start(rival.probe(env={"FROM_FILE": "file"}), env={"FROM_SHELL": "first"})
    old = rival.process("probe").pid
    rival.run("restart", "probe", env={"FROM_SHELL": "second"})
    return {"variables": after_restart(rival, old, "FROM_SHELL", "FROM_FILE")}


@compared(
    differs={"GONE": Differs("D9", pm2="first", clusterd=None)},
)
def test_a_restart_with_the_environment_of_the_shell(rival):
    rival.start(rival.probe(env={"FROM_FILE": "file"}), env={"FROM_SHELL": "first", "GONE": "first"})
    old = rival.process("probe").pid
    done = rival.run("restart", "probe", "--update-env", env={"FROM_SHELL": "second", "NEW": "second"})
    seen = after_restart(rival, old, "FROM_SHELL", "FROM_FILE", "NEW", "GONE")
    return {"result": done.result} | seen


@compared(
    differs={"variables": Differs("D8", pm2={"BOTH": "shell"}, clusterd={"BOTH": "file"})},
)
def test_the_shell_against_the_file_after_an_update(rival):
    rival.start(rival.probe(env={"BOTH": "file"}))
    old = rival.process("probe").pid
    rival.run("restart", "probe", "--update-env", env={"BOTH": "shell"})
    return {"variables": after_restart(rival, old, "BOTH")}


@compared()
def test_a_reload_keeps_the_environment(rival):
    rival.start(rival.probe(env={"FROM_FILE": "file"}), env={"FROM_SHELL": "first"})
    old = rival.process("probe").pid
    rival.run("reload", "probe", env={"FROM_SHELL": "second"})
    return {"variables": after_restart(rival, old, "FROM_SHELL", "FROM_FILE")}


@compared()
def test_a_changed_variable_in_the_file(rival):
    rival.start(rival.probe(env={"A": "old", "B": "old"}))
    old = rival.process("probe").pid
    done = rival.start(rival.probe(env={"A": "new", "B": "old"}))
    return {"result": done.result, "variables": after_restart(rival, old, "A", "B")}


@compared(
    differs={"variables": Differs("D7", pm2={"A": "old", "B": "old"}, clusterd={"A": "old", "B": None})},
)
def test_a_variable_removed_from_the_file(rival):
    rival.start(rival.probe(env={"A": "old", "B": "old"}))
    old = rival.process("probe").pid
    rival.start(rival.probe(env={"A": "old"}))
    return {"variables": after_restart(rival, old, "A", "B")}


@compared()
def test_the_number_of_the_instance(rival):
    rival.start(rival.probe(instances=3, exec_mode="fork"))
    return {"numbers": sorted(v["NODE_APP_INSTANCE"] for v in variables(rival, "NODE_APP_INSTANCE", count=3))}


@compared()
def test_the_number_of_the_instance_under_another_name(rival):
    rival.start(rival.probe(instances=2, exec_mode="fork", instance_var="NUMBER"))
    seen = variables(rival, "NUMBER", "NODE_APP_INSTANCE", count=2)
    return {
        "numbers": sorted(v["NUMBER"] for v in seen),
        "default": [v["NODE_APP_INSTANCE"] for v in seen],
    }


@compared()
def test_the_number_of_a_single_process(rival):
    rival.start(rival.probe())
    return {"variables": variables(rival, "NODE_APP_INSTANCE", "name")}


@compared()
def test_a_variable_that_counts(rival):
    rival.start(rival.probe(instances=3, exec_mode="fork", increment_var="PORT", env={"PORT": 3000}))
    return {"ports": sorted(v["PORT"] for v in variables(rival, "PORT", count=3))}


@compared()
def test_the_id_is_a_variable(rival):
    rival.start(rival.sleeper("other"), rival.probe())
    rival.run("delete", "other")
    return {"same": variables(rival, "pm_id")[0] == {"pm_id": str(rival.process("probe").id)}}


@compared(
    differs={
        "names": Differs("D10", pm2=["other"], clusterd=["probe"]),
        "variables": Differs(
            "D10",
            pm2=[{"name": "other", "watch": "no", "max_restarts": "1", "status": "launching"}],
            clusterd=[{"name": "other", "watch": "no", "max_restarts": "1", "status": "x"}],
        ),
    },
)
def test_an_app_with_variables_named_like_settings(rival):
    rival.start(rival.probe(env={"name": "other", "watch": "no", "max_restarts": "1", "status": "x"}))
    return {"names": rival.names(), "variables": variables(rival, "name", "watch", "max_restarts", "status")}


@compared()
def test_filtered_variables(rival):
    rival.start(rival.probe(filter_env=["SECRET"]), env={"MY_SECRET_KEY": "x", "OTHER": "y"})
    return {"variables": variables(rival, "MY_SECRET_KEY", "OTHER")}


@compared(
    differs={
        "variables": Differs(
            "D58", pm2=[{"A": "file", "OTHER": "y"}], clusterd=[{"A": "file", "OTHER": None}]
        )
    },
)
def test_all_variables_filtered(rival):
    rival.start(rival.probe(filter_env=True, env={"A": "file"}), env={"OTHER": "y"})
    return {"variables": variables(rival, "A", "OTHER")}


@compared()
def test_the_profile_in_the_name(rival):
    app = rival.probe(append_env_to_name=True, env_production={"A": "production"})
    done = rival.start(app, words=("--env", "production"))
    return {"result": done.result, "names": rival.names()}


@compared()
def test_the_port_key(rival):
    rival.start(rival.probe(port=4000))
    return {"variables": variables(rival, "PORT")}


@compared()
def test_what_env_prints(rival):
    rival.start(rival.probe(env={"A": "file"}))
    done = rival.run("env", rival.process("probe").id)
    return {
        "result": done.result,
        "has A": "A=file" in done.out.replace(": ", "="),
        "unknown id": rival.run("env", 999).result,
    }
