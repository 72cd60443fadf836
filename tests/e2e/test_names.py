"""Protects: what a command says, prints and exits with, and which names and targets mean what."""

import subprocess

import pytest

from harness import apps


FAILING = {
    "unknown verb": (("frobnicate",), 2),
    "unknown option": (("list", "--frobnicate"), 2),
    "missing target": (("stop",), 2),
    "missing count": (("scale", "sleeper"), 2),
    "bad count": (("scale", "sleeper", "many"), 2),
    "unknown app to stop": (("stop", "nope"), 4),
    "unknown app to restart": (("restart", "nope"), 4),
    "unknown app to reload": (("reload", "nope"), 4),
    "unknown app to delete": (("delete", "nope"), 4),
    "unknown app to describe": (("describe", "nope"), 4),
    "unknown app to scale": (("scale", "nope", "2"), 4),
    "unknown app for logs": (("logs", "nope", "--nostream"), 4),
    "unknown app for env": (("env", "999"), 4),
    "unknown app for reset": (("reset", "nope"), 4),
    "unknown app for flush": (("flush", "nope"), 4),
    "unknown app for signal": (("sendSignal", "SIGUSR1", "nope"), 4),
    "unknown app for send": (("send", "nope", "line"), 4),
    "unknown app to attach to": (("attach", "nope"), 4),
    "no process to adopt": (("adopt", "nope"), 2),
    "unknown id": (("stop", "99999"), 4),
    "unknown program": (("start", "no-such-program-anywhere"), 4),
    "unknown file": (("start", "./no-such-file"), 4),
    "bad pattern": (("stop", "/(/"), None),
    "bad lines": (("logs", "--lines", "few"), 2),
    "bad setting": (("start", "sleep", "--name", "x", "-i", "0.5"), None),
    "bad kill timeout": (("start", "sleep", "--name", "x", "-k", "soon"), None),
}


@pytest.mark.parametrize("what", FAILING)
def test_a_failing_command_has_the_documented_status_and_a_sentence(cluster, what):
    words, status = FAILING[what]
    cluster.start(apps.sleeper())
    pid = cluster.pid("sleeper")
    done = cluster.run(*words, check=status)
    assert done.status != 0 and done.err.strip() and done.out == "", done
    assert cluster.pid("sleeper") == pid


def test_one_unknown_target_among_several_touches_nothing_and_is_named(cluster):
    cluster.start(apps.sleeper("web"), apps.sleeper("api"))
    done = cluster.run("stop", "web", "aip", check=4)
    assert "aip" in done.err and "api" in done.err, done
    assert cluster.statuses("web") == ["online"]


def test_nothing_to_do_is_no_error(cluster):
    cluster.run("list")
    cluster.run("stop", "all")
    cluster.run("delete", "all")
    cluster.start(apps.sleeper())
    cluster.run("stop", "sleeper")
    cluster.run("stop", "sleeper")
    cluster.run("start", "sleeper")
    cluster.run("start", "sleeper")


def test_partial_failure_is_a_failure_that_names_the_app(cluster):
    done = cluster.start(apps.sleeper("fine"), apps.failing(cluster, 4, name="broken"), check=1)
    assert "broken" in done.err, done
    assert cluster.statuses("fine") == ["online"]


def test_a_second_program_of_the_same_base_name_is_refused(cluster):
    for folder in ("foo", "bar"):
        cluster.script(f"{folder}/server", "exec sleep 100000")
    cluster.run("start", cluster.work / "foo/server")
    pid = cluster.pid("server")
    done = cluster.run("start", cluster.work / "bar/server", check=6)
    assert "--name" in done.err, done
    assert cluster.pids("server") == [pid]
    cluster.run("start", cluster.work / "bar/server", "--name", "other")


def test_one_name_in_two_namespaces_is_two_apps(cluster):
    for space in ("staging", "production"):
        cluster.start(apps.sleeper("web", namespace=space))
    assert len(cluster.pids("web")) == 2
    done = cluster.run("stop", "web", check=None)
    assert done.status != 0 and "staging/web" in done.err and "production/web" in done.err, done
    cluster.run("stop", "staging/web")
    assert {v["namespace"]: v["status"] for v in cluster.views("web")} == {
        "staging": "stopped",
        "production": "online",
    }


@pytest.mark.parametrize("name", ["1-n-only", "01", "1e3", "späti", "🚀", "web.v2", "a b"])
def test_unusual_names_are_names(cluster, name):
    done = cluster.start(apps.sleeper(name), check=None)
    if done.status == 3:
        assert "name" in done.err  # refused in words is fine, misread is not
        return
    assert done.status == 0, done
    cluster.run("stop", name)
    assert cluster.statuses(name) == ["stopped"]
    cluster.run("delete", name)
    assert cluster.instances() == []


@pytest.mark.parametrize("name", ["all", "../escape", "..", "a/b", "", "new\nline", "x" * 300, "-x", "/re/"])
def test_names_that_would_be_dangerous_are_refused(cluster, name):
    cluster.start(apps.sleeper())
    done = cluster.start(apps.sleeper(name), check=3)
    assert "name" in done.err, done
    assert len(cluster.instances()) == 1
    assert not (cluster.home / "escape-out.log").exists() and not list(cluster.root.glob("escape*"))


def test_a_namespace_cannot_leave_the_log_folder(cluster):
    cluster.start(apps.sleeper(namespace="../../outside"), check=3)


def test_a_list_of_one_instance_is_of_that_one(cluster):
    cluster.start(apps.sleeper(instances=3))
    assert [view["slot"] for view in cluster.instances("sleeper.1")] == [1]


def test_a_number_means_the_id_unless_it_is_a_name(cluster):
    cluster.start(apps.sleeper("a"), apps.sleeper("b"))
    second = cluster.view("b")["id"]
    cluster.run("stop", str(second))
    assert cluster.statuses("a") == ["online"] and cluster.statuses("b") == ["stopped"]


@pytest.mark.parametrize(
    "words", ["list", "list --json", "--help", "logs --nostream --lines 1000", "describe sleeper"]
)
@pytest.mark.parametrize("reader", ["head -1", "true"])
def test_a_reader_that_leaves_early_is_no_drama(cluster, words, reader):
    cluster.start(apps.sleeper(instances=30), apps.printer(cluster, "--lines", "5000"))
    script = f'{{ "{cluster.binaries.clusterd}" {words}; echo "status $?" >&2; }} | {reader} >/dev/null'
    done = subprocess.run(
        ["bash", "-c", script],
        env=cluster.environment(),
        cwd=cluster.work,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.stderr.strip() in ("status 0", "status 141"), done.stderr


@pytest.mark.parametrize("words", ["list", "list --json", "jlist", "--help"])
def test_output_that_cannot_be_written_is_a_failure(cluster, words):
    cluster.run("list")
    done = subprocess.run(
        ["sh", "-c", f'"{cluster.binaries.clusterd}" {words} >/dev/full'],
        env=cluster.environment(),
        cwd=cluster.work,
        capture_output=True,
        timeout=30,
    )
    assert done.returncode != 0


def test_the_table_shows_the_columns_people_know_and_no_colours_in_a_pipe(cluster):
    cluster.start(apps.sleeper(instances=2))
    out = cluster.run("list").out
    assert "\x1b" not in out
    head = out.lower()
    for column in (
        "id",
        "name",
        "namespace",
        "mode",
        "pid",
        "uptime",
        "status",
        "cpu",
        "mem",
        "user",
        "watching",
    ):
        assert column in head, column
    assert out.count("sleeper") == 2


def test_jlist_has_the_key_names_scripts_of_pm2_read(cluster):
    cluster.start(apps.sleeper(instances=2))
    for number, entry in enumerate(cluster.run("jlist").json()):
        assert {"pid", "name", "pm_id", "monit", "pm2_env"} <= set(entry)
        assert entry["pm2_env"]["status"] == "online" and entry["pm_id"] == number
        assert {"memory", "cpu"} <= set(entry["monit"])
        assert {"pm_uptime", "restart_time", "exec_mode", "pm_exec_path"} <= set(entry["pm2_env"])


def test_every_verb_has_help_with_an_example(cluster):
    for verb in (
        "start stop restart reload delete list jlist describe logs scale sendSignal "
        "reset flush env pid id ping kill save resurrect doctor version daemon"
    ).split():
        out = cluster.run(verb, "--help").out
        assert f"clusterd {verb}" in out and out.count(f"clusterd {verb}") >= 2, out


def test_small_questions_have_plain_answers(cluster):
    cluster.start(apps.sleeper(instances=2))
    views = cluster.views("sleeper")
    assert cluster.run("pid", "sleeper").out.split() == [str(view["pid"]) for view in views]
    assert cluster.run("id", "sleeper").json() == [view["id"] for view in views]
    assert str(cluster.daemon_pid()) in cluster.run("ping").out
    assert cluster.run("doctor").out.strip()


def test_restart_counters_can_be_reset(cluster):
    cluster.start(apps.sleeper())
    cluster.run("sendSignal", "SIGKILL", "sleeper")
    cluster.wait_for("a restart", lambda: cluster.view("sleeper")["restarts"] == 1)
    cluster.run("reset", "sleeper")
    assert cluster.view("sleeper")["restarts"] == 0


def test_start_without_operand_takes_the_file_of_the_folder_and_names_in_it_are_apps(cluster):
    cluster.ecosystem(apps.sleeper("web"), apps.sleeper("api"), name="ecosystem.json")
    cluster.run("start", "api")
    assert [view["name"] for view in cluster.instances()] == ["api"]
    cluster.run("start")
    assert sorted(view["name"] for view in cluster.instances()) == ["api", "web"]
