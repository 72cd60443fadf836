"""Protects: a file says what runs; what is wrong in it is shown with its place, and nothing starts half."""

import pytest

from harness import apps, probes
from harness.waiting import hold_for

SLEEPER = '{"name": "a", "script": "sleep", "args": ["100000"]}'

MALFORMED = {
    "missing comma": '{"apps": [\n{"name": "a"\n"script": "sleep"}]}',
    "truncated": '{"apps": [{"name": "a", "script":',
    "empty": "",
    "not json": "apps:\n  - name: a\n",
    "duplicate key": '{"name": "a", "name": "b", "script": "sleep"}',
    "wrong type": '{"name": "a", "script": "sleep", "kill_timeout": []}',
    "apps not an array": '{"apps": 3}',
    "no script": '{"apps": [{"name": "a"}]}',
    "too deep": "[" * 100_000,
    "negative count": '{"name": "a", "script": "sleep", "instances": -1.5}',
    "too many": '{"name": "a", "script": "sleep", "instances": 1000000000}',
    "bad duration": '{"name": "a", "script": "sleep", "kill_timeout": "5 parsecs"}',
    "bad signal": '{"name": "a", "script": "sleep", "kill_signal": "SIGNONSENSE"}',
    "open quote": '{"name": "a", "script": "sleep", "args": "one \'two"}',
    "same name twice": f'{{"apps": [{SLEEPER}, {SLEEPER}]}}',
    "utf-16": '{"name": "a", "script": "sleep"}'.encode("utf-16"),
    "nul byte": b'{"name": "a\0b", "script": "sleep"}',
    "bad listen address": '{"name": "a", "script": "sleep", "listen": ["example.com:80"]}',
}


@pytest.mark.parametrize("what", MALFORMED)
def test_a_malformed_file_is_refused_with_its_name_and_starts_nothing(cluster, what):
    cluster.run("list")
    path = cluster.write("bad.json", MALFORMED[what])
    done = cluster.run("start", path, check=3)
    assert "bad.json" in done.err, done
    assert len(done.err) < 3000 and done.out == ""
    assert cluster.instances() == []


def test_an_error_names_line_and_field(cluster):
    path = cluster.write(
        "bad.json", '{"apps": [\n {"name": "a",\n  "script": "sleep",\n  "max_restarts": "often"}]}'
    )
    assert "bad.json:4" in (err := cluster.run("start", path, check=3).err) and "max_restarts" in err


def test_all_errors_of_a_file_are_shown_at_once(cluster):
    path = cluster.write(
        "bad.json",
        '{"apps": [{"name": "a", "script": "sleep", "kill_timeout": "x"},\n'
        '{"name": "b", "script": "sleep", "instances": "many"}]}',
    )
    err = cluster.run("start", path, check=3).err
    assert "kill_timeout" in err and "instances" in err and "bad.json:2" in err, err


def test_an_unknown_key_is_an_error_with_a_suggestion(cluster):
    path = cluster.write("bad.json", '{"name": "a", "script": "sleep", "max_restart": 3}')
    assert "max_restarts" in cluster.run("start", path, check=3).err


def test_a_key_of_pm2_that_is_not_supported_is_one_warning(cluster):
    done = cluster.start(apps.sleeper(vizion=False, pmx=True))
    assert done.err.count("vizion") == 1 and done.err.count("pmx") == 1, done
    assert cluster.statuses("sleeper") == ["online"]


@pytest.mark.parametrize(
    "text",
    [
        f"\ufeff{SLEEPER}",
        SLEEPER.replace(",", ",\r\n"),
        '// comment\n{"name": "a", /* why */ "script": "sleep", "args": ["100000",],}',
        f"[{SLEEPER}]",
        f'{{"apps": [{SLEEPER}]}}',
    ],
    ids=["bom", "crlf", "comments and trailing commas", "array", "apps"],
)
def test_the_forms_people_write_are_accepted(cluster, text):
    cluster.run("start", cluster.write("good.json", text))
    assert cluster.statuses("a") == ["online"]


def test_numbers_in_strings_and_units_are_accepted(cluster):
    cluster.start(apps.sleeper(instances="2", kill_timeout="1s", min_uptime="300", max_restarts="7"))
    views = cluster.views("sleeper")
    assert len(views) == 2 and views[0]["max_restarts"] == 7


def test_dollars_and_percents_in_values_are_literal(cluster):
    odd = {
        "A": "100%",
        "B": "$HOME",
        "C": "${HOME}",
        "D": "${UNSET}",
        "E": "$$",
        "F": "\\${X}",
        "G": "a%20b",
        "H": "~/x",
    }
    cluster.start(apps.probe(cluster, *odd.values(), env=odd))
    found = probes.of_app(cluster)
    assert {name: found["environment"][name] for name in odd} == odd
    assert found["argv"][2:] == list(odd.values())


def test_paths_in_a_file_are_relative_to_the_file(cluster):
    cluster.script("a/sub/p", "echo here; exec sleep 100000")
    path = cluster.write("a/eco.json", '{"name": "p", "script": "./p", "cwd": "sub", "out_file": "logs/o"}')
    cluster.run("start", path, cwd=cluster.folder("elsewhere"))
    assert cluster.view("p")["cwd"] == str(cluster.work / "a/sub")
    found = [cluster.work / "a/logs/o", cluster.work / "a/sub/logs/o"]
    cluster.wait_for("the log", lambda: any(path.exists() and path.read_text() == "here\n" for path in found))


def test_a_tilde_is_expanded_in_paths_only(cluster):
    cluster.start(apps.printer(cluster, "--text", "~/x", out_file="~/tilde.log"))
    cluster.wait_for("the log", lambda: (cluster.root / "tilde.log").exists())
    cluster.wait_for("the text", lambda: (cluster.root / "tilde.log").read_text() == "~/x")


def test_only_named_apps_of_a_file_are_started(cluster):
    path = cluster.ecosystem(*(apps.sleeper(name) for name in ("web", "api", "job")))
    cluster.run("start", path, "--only", "web,api")
    assert sorted(view["name"] for view in cluster.instances()) == ["api", "web"]
    assert cluster.run("start", path, "--only", "nope", check=None).status != 0


def environment(cluster, name="probe") -> dict:
    return probes.of_app(cluster, name)["environment"]


def test_profile_wins_over_file_and_file_over_shell(cluster):
    cluster.run("list", env={"LEAK": "daemon", "A": "daemon", "B": "daemon", "C": "daemon"})
    app = apps.probe(cluster, env={"A": "file", "B": "file"}, env_production={"A": "profile"})
    cluster.start(
        app, words=["--env", "production"], env={"A": "shell", "B": "shell", "C": "shell", "D": "shell"}
    )
    found = environment(cluster)
    assert (found["A"], found["B"], found["C"], found["D"]) == ("profile", "file", "shell", "shell")
    assert "LEAK" not in found


def test_a_changed_file_is_applied_including_the_chosen_profile(cluster):
    app = apps.probe(cluster, env={"A": "1", "B": "1"}, env_production={"A": "2"})
    cluster.start(app, words=["--env", "production"])
    cluster.start(app | {"env": {"A": "1", "B": "new"}})
    found = environment(cluster)
    assert (found["A"], found["B"]) == ("2", "new")


def test_the_shell_is_taken_over_only_with_update_env(cluster):
    cluster.start(apps.probe(cluster), env={"PORT": "1"})
    cluster.run("stop", "probe")
    for words, expected in (
        (["start", "probe"], "1"),
        (["restart", "probe"], "1"),
        (["reload", "probe"], "1"),
        (["restart", "probe", "--update-env"], "2"),
        (["reload", "probe"], "2"),
    ):
        cluster.run(*words, env={"PORT": "2"})
        assert environment(cluster)["PORT"] == expected, words


CHANGES = {
    "args": lambda app: {"args": [app["args"][0], "changed"]},
    "cwd": lambda app: {"cwd": "/"},
    "env": lambda app: {"env": {"CHANGED": "yes"}},
    "instance_var": lambda app: {"instance_var": "OTHER"},
    "listen": lambda app: {"listen": ["127.0.0.1:0"]},
}


@pytest.mark.parametrize("key", CHANGES)
def test_each_changed_field_of_a_file_reaches_the_process_and_unchanged_apps_stay(cluster, key):
    app, other = apps.probe(cluster), apps.sleeper()
    cluster.start(app, other)
    before, untouched = probes.of_app(cluster), cluster.pid("sleeper")
    done = cluster.start(app | CHANGES[key](app), other)
    after = probes.of_app(cluster)
    assert after["pid"] != before["pid"]
    assert any(before[field] != after[field] for field in ("argv", "cwd", "env", "fds"))
    assert cluster.pid("sleeper") == untouched
    assert "probe" in done.out + done.err


def test_starting_the_same_file_twice_changes_nothing(cluster):
    app = apps.sleeper(instances=2)
    cluster.start(app)
    before = cluster.pids("sleeper")
    cluster.start(app)
    assert cluster.pids("sleeper") == before


def test_a_changed_number_of_instances_keeps_those_that_run(cluster):
    cluster.start(apps.sleeper(instances=2))
    before = set(cluster.pids("sleeper"))
    cluster.start(apps.sleeper(instances=4))
    assert before < set(cluster.pids("sleeper")) and len(cluster.pids("sleeper")) == 4
    cluster.start(apps.sleeper(instances=1))
    cluster.wait_for("one", lambda: len(cluster.pids("sleeper")) == 1)


def test_a_broken_file_leaves_what_runs_alone(cluster):
    path = cluster.ecosystem(apps.sleeper(), name="eco.json")
    cluster.run("start", path)
    pid = cluster.pid("sleeper")
    cluster.write("eco.json", '{"apps": [')
    cluster.run("start", path, check=3)
    assert cluster.pid("sleeper") == pid


@pytest.mark.parametrize("kind", ["folder", "large", "missing"])
def test_what_is_no_file_of_reasonable_size_is_refused_quickly(cluster, kind):
    path = cluster.work / "eco.json"
    if kind == "folder":
        path.mkdir()
    if kind == "large":
        cluster.write("eco.json", "[" + " " * 10_000_000 + "]")
    done = cluster.run("start", path, check=None)
    assert done.status in (1, 3, 4) and done.seconds < 10, done
    assert "eco.json" in done.err, done


def test_an_app_name_that_is_also_a_file_an_argument_and_a_number_confuses_nobody(cluster):
    cluster.write("web", "not a program")
    cluster.start(apps.probe(cluster, "web", "web", name="web"), apps.sleeper("1"))
    pid = cluster.pid("1")
    assert probes.of_app(cluster, "web")["argv"][2:] == ["web", "web"]
    cluster.run("restart", "1")  # the name is exact, so it wins over the id
    assert cluster.pid("1") != pid


def test_logs_of_the_default_and_of_another_namespace_do_not_mix(cluster):
    cluster.start(apps.printer(cluster, "--lines", "1", name="web"))
    cluster.start(apps.printer(cluster, "--lines", "2", name="web", namespace="staging"))
    cluster.wait_for(
        "both logs",
        lambda: cluster.log("web") == "line 1\n" and cluster.log("staging/web") == "line 1\nline 2\n",
    )
    hold_for("no mixing", lambda: cluster.log("web") == "line 1\n", 0.3)
