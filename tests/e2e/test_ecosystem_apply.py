"""Protects: an ecosystem file that is applied makes the world equal to it, and touches nothing else."""

import json
from pathlib import Path

from harness import apps, probes


def facts(cluster) -> dict:
    """Name -> pids."""
    found: dict[str, list] = {}
    for view in cluster.instances():
        found.setdefault(view["name"], []).append(view["pid"])
    return found


def test_only_what_changed_is_rolled_and_only_a_number_is_scaled(cluster):
    changed, counted, same = apps.sleeper("changed"), apps.sleeper("counted", instances=2), apps.sleeper("same")
    path = cluster.ecosystem(changed, counted, same, name="eco.json")
    cluster.run("start", path)
    before = facts(cluster)
    cluster.ecosystem(changed | {"args": ["200000"]}, counted | {"instances": 3}, same, name="eco.json")
    done = cluster.run("start", path)
    assert "changed: reloaded" in done.err and "counted: scaled" in done.err, done
    assert "same: is running already" in done.err, done
    after = facts(cluster)
    assert after["changed"] != before["changed"]
    assert len(after["counted"]) == 3 and set(before["counted"]) < set(after["counted"])
    assert after["same"] == before["same"]


def test_a_variable_that_left_the_file_leaves_the_app(cluster):
    app = apps.probe(cluster, env={"STAYS": "1", "GOES": "1"})
    cluster.start(app)
    cluster.start(app | {"env": {"STAYS": "2"}})
    environment = probes.of_app(cluster)["environment"]
    assert environment["STAYS"] == "2" and "GOES" not in environment


def test_a_changed_env_file_rolls_the_app(cluster):
    cluster.write("x.env", "A=1\n")
    path = cluster.ecosystem(apps.probe(cluster, env_file="x.env"), name="eco.json")
    cluster.run("start", path)
    cluster.write("x.env", "A=2\n")
    assert "reloaded" in cluster.run("start", path).err
    assert probes.of_app(cluster)["environment"]["A"] == "2"


def test_update_env_takes_the_shell_into_a_file_app(cluster):
    path = cluster.ecosystem(apps.probe(cluster))
    cluster.run("start", path, env={"FROM_SHELL": "1"})
    cluster.run("start", path, env={"FROM_SHELL": "2"})
    assert probes.of_app(cluster)["environment"]["FROM_SHELL"] == "1"
    cluster.run("start", path, "--update-env", env={"FROM_SHELL": "3"})
    assert probes.of_app(cluster)["environment"]["FROM_SHELL"] == "3"


def test_diff_says_what_start_would_do_and_does_nothing(cluster):
    path = cluster.ecosystem(
        apps.sleeper("changed", env={"PASSWORD": "hunter2", "OLD": "1"}), apps.sleeper("same"), name="eco.json"
    )
    assert "+ changed would be started" in cluster.run("diff", path).out
    cluster.run("start", path)
    before = facts(cluster)
    cluster.ecosystem(
        apps.sleeper("changed", env={"PASSWORD": "hunter3", "NEW": "1"}, kill_timeout=2000),
        apps.sleeper("same"),
        apps.sleeper("new"),
        name="eco.json",
    )
    done = cluster.run("diff", path)
    for line in (
        "~ changed would be reloaded",
        "    kill_timeout: 1000 -> 2000",
        "    env.PASSWORD changed",
        "    env.OLD removed",
        "    env.NEW added",
        "= same is as the file says",
        "+ new would be started",
    ):
        assert line in done.out.splitlines(), done
    assert "hunter" not in done.out + done.err
    assert facts(cluster) == before


def test_prune_deletes_what_the_same_file_no_longer_names(cluster):
    path = cluster.ecosystem(apps.sleeper("stays"), apps.sleeper("goes"), name="eco.json")
    cluster.run("start", path)
    cluster.run("start", cluster.ecosystem(apps.sleeper("elsewhere")))
    cluster.run("start", cluster.script("by-hand", "exec sleep 100000"))
    cluster.ecosystem(apps.sleeper("stays"), name="eco.json")
    cluster.run("start", path)
    assert set(facts(cluster)) == {"stays", "goes", "elsewhere", "by-hand"}
    assert "- goes would be deleted" in cluster.run("diff", path, "--prune").out
    cluster.run("start", path, "--prune")
    assert set(facts(cluster)) == {"stays", "elsewhere", "by-hand"}
    assert cluster.run("start", path, "--prune", "--only", "stays", check=2).err
    assert cluster.run("start", "by-hand", "--prune", check=2).err


def test_prune_knows_the_file_after_save_and_resurrect(cluster):
    path = cluster.ecosystem(apps.sleeper("stays"), apps.sleeper("goes"), name="eco.json")
    cluster.run("start", path)
    cluster.run("save")
    cluster.run("kill")
    cluster.run("resurrect")
    cluster.ecosystem(apps.sleeper("stays"), name="eco.json")
    cluster.run("start", path, "--prune")
    assert set(facts(cluster)) == {"stays"}


def test_start_or_reload_and_start_or_restart_replace_what_runs_unchanged(cluster):
    path = cluster.ecosystem(apps.sleeper("first"), name="eco.json")
    cluster.run("startOrReload", path)
    pids = [facts(cluster)["first"]]
    cluster.ecosystem(apps.sleeper("first"), apps.sleeper("second"), name="eco.json")
    assert "first: reloaded" in cluster.run("startOrGracefulReload", path).err
    pids.append(facts(cluster)["first"])
    assert "first: restarted" in cluster.run("startOrRestart", path).err
    pids.append(facts(cluster)["first"])
    cluster.run("reload", path)
    pids.append(facts(cluster)["first"])
    cluster.run("restart", path)
    pids.append(facts(cluster)["first"])
    assert len({tuple(found) for found in pids}) == 5
    assert cluster.statuses("second") == ["online"]


def test_restart_of_a_file_takes_over_what_changed_in_it(cluster):
    path = cluster.ecosystem(apps.probe(cluster, env={"A": "1"}), name="eco.json")
    cluster.run("start", path)
    cluster.ecosystem(apps.probe(cluster, env={"A": "2"}, instances=2), name="eco.json")
    cluster.run("restart", path)
    assert len(cluster.pids("probe")) == 2
    environments = [Path(f"/proc/{pid}/environ").read_bytes() for pid in cluster.pids("probe")]
    assert all(b"A=2" in environment.split(b"\0") for environment in environments)


def test_stop_and_delete_of_a_file_mean_its_apps(cluster):
    path = cluster.ecosystem(apps.sleeper("one"), apps.sleeper("two"), name="eco.json")
    cluster.start(apps.sleeper("other"))
    cluster.run("start", path, "--only", "one")
    done = cluster.run("stop", path)
    assert "two: not in the list" in done.err
    assert cluster.statuses("one") == ["stopped"] and cluster.statuses("other") == ["online"]
    cluster.run("delete", path)
    assert set(facts(cluster)) == {"other"}
    assert "nothing of it" in cluster.run("delete", path).err


def test_a_file_on_standard_input(cluster, tmp_path):
    text = tmp_path / "text"
    text.write_text("{apps: [{name: 'piped', script: 'sleep', args: '100000'}]} // as PM2's")
    with text.open() as stdin:
        cluster.run("start", "-", stdin=stdin)
    assert cluster.statuses("piped") == ["online"]
    with text.open() as stdin:
        cluster.run("stop", "-", stdin=stdin)
    assert cluster.statuses("piped") == ["stopped"]


def test_settings_behind_restart_and_reload_are_taken_over(cluster):
    cluster.start(apps.sleeper())
    cluster.run("restart", "sleeper", "-i", "3", "--max-restarts", "7")
    assert cluster.statuses("sleeper") == ["online"] * 3
    assert {view["max_restarts"] for view in cluster.views("sleeper")} == {7}
    cluster.run("reload", "sleeper", "-i", "2", "--kill-timeout", "1234", "-o", "rel.log")
    spec = cluster.run("describe", "sleeper", "--json").json()["apps"][0]["spec"]
    assert (spec["kill_timeout"], spec["out_file"]) == (1234, str(cluster.work / "rel.log"))
    cluster.wait_status("sleeper", "online", 2)
    before = facts(cluster)
    assert "max_restarts" in cluster.run("restart", "sleeper", "--max-restarts", "often", check=3).err
    assert "cannot be changed" in cluster.run("restart", "sleeper", "--name", "other", check=2).err
    assert cluster.run("restart", "0", "-i", "4", check=2).err
    assert cluster.run("restart", "sleeper", "--env", "production", check=2).err
    assert facts(cluster) == before


def test_an_app_that_is_not_to_start_by_itself_is_in_the_list(cluster):
    app = apps.sleeper(autostart=False)
    assert "not started" in cluster.start(app).err
    assert cluster.statuses("sleeper") == ["stopped"]
    cluster.start(app)
    assert cluster.statuses("sleeper") == ["stopped"]
    cluster.run("start", "sleeper")
    assert cluster.statuses("sleeper") == ["online"]
    cluster.run("start", cluster.script("later", "exec sleep 100000"), "--no-autostart")
    assert cluster.statuses("later") == ["stopped"]


def test_a_configuration_that_fails_starts_nothing_and_says_why(cluster):
    cluster.run("list")
    throws = cluster.write("a.config.js", "throw new Error('no such luck');")
    done = cluster.run("start", throws, check=3)
    assert "no such luck" in done.err and "a.config.js" in done.err and done.out == ""
    nothing = cluster.write("b.config.js", "module.exports = undefined;")
    assert "exports nothing" in cluster.run("start", nothing, check=3).err
    typo = cluster.write("c.config.js", "module.exports = {apps: [{script: 'sleep', max_restart: 1}]};")
    assert "c.config.js: apps[0].max_restart: unknown key; did you mean 'max_restarts'?" in (
        cluster.run("start", typo, check=3).err
    )
    absent = {"PATH": str(cluster.folder("empty"))}
    assert "there is no `node`" in cluster.run("start", typo, check=3, env=absent).err
    assert cluster.instances() == []


def test_what_a_configuration_prints_is_no_data(cluster):
    path = cluster.write("x.config.js", "console.log('noise');\nmodule.exports = {script: 'sleep', args: '100000'};")
    done = cluster.run("start", path, "--json")
    assert json.loads(done.out)["apps"][0]["outcome"] == "started"
    assert "noise" in done.err


YAML_FAULTS = {
    "tabs": "apps:\n\t- name: a\n",
    "twice": "apps:\n  - name: a\n    script: sleep\n    name: b\n",
    "documents": "apps: []\n---\napps: []\n",
    "not a map": "- - a\n",
    "open quote": 'apps:\n  - name: "a\n',
    "unknown key": "apps:\n  - script: sleep\n    intances: 2\n",
    "bomb": "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
    "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\napps: [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n",
    "deep": "[" * 5000,
}


def test_faulty_yaml_is_refused_with_its_place(cluster):
    cluster.run("list")
    for what, text in YAML_FAULTS.items():
        done = cluster.run("start", cluster.write("bad.yaml", text), check=3)
        assert "bad.yaml" in done.err and len(done.err) < 3000, (what, done)
    assert "bad.yaml:3: apps[0].intances: unknown key; did you mean 'instances'?" in (
        cluster.run("start", cluster.write("bad.yaml", YAML_FAULTS["unknown key"]), check=3).err
    )
    assert cluster.instances() == []
