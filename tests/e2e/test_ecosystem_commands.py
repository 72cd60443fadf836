"""Protects: the small commands PM2's users have in their scripts."""

import json
import subprocess

import pytest

from harness import apps


def test_prettylist_is_jlist_indented_and_slist_is_json(cluster):
    cluster.start(apps.sleeper())
    pretty = cluster.run("prettylist").out
    assert json.loads(pretty)[0]["name"] == "sleeper" and pretty.count("\n") > 10
    assert cluster.run("slist").json()["cpus"] >= 1


def test_list_sorts_and_has_a_plain_form(cluster):
    cluster.start(apps.sleeper("a", instances=2), apps.sleeper("b"))
    ids = [view["id"] for view in cluster.run("list", "--json", "--sort", "id:desc").json()]
    assert ids == [2, 1, 0]
    assert "+--- b" in cluster.run("list", "-m").out.splitlines()
    assert "did you mean 'memory'?" in cluster.run("list", "--sort", "memorry", check=2).err


def test_cleardump_empties_the_saved_list_and_keeps_the_one_before(cluster):
    cluster.start(apps.sleeper())
    cluster.run("save")
    cluster.run("cleardump")
    assert cluster.statuses("sleeper") == ["online"]
    assert json.loads((cluster.home / "dump.json").read_text())["apps"] == []
    assert len(json.loads((cluster.home / "dump.json.bak").read_text())["apps"]) == 1


def test_reload_logs_opens_moved_files_anew(cluster):
    cluster.start(apps.printer(cluster, "--text", "x"))
    path = cluster.log_path("printer")
    cluster.wait_for("output", lambda: path.exists() and path.read_text() == "x")
    path.rename(path.with_suffix(".old"))
    cluster.run("reloadLogs")
    assert path.exists() and path.read_text() == ""


def test_report_has_what_is_needed_and_no_secret(cluster):
    app = apps.sleeper(
        script=cluster.program("t-probe"),
        args=[str(cluster.folder("probes")), "--password", "hunter2", "--api-token=hunter3", "http://u:hunter4@h/"],
        env={"SECRET": "hunter5"},
    )
    cluster.start(app)
    text = cluster.run("report").out
    assert "hunter" not in text, text
    for part in ("clusterd ", "daemon ", "## Machine", "## Checks", "## Settings", "sleeper", "daemon.log"):
        assert part in text, text
    cluster.run("kill")
    assert "daemon: none" in cluster.run("report").out


def test_completion_is_a_script_the_shell_takes(cluster):
    script = cluster.run("completion", "bash").out
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)
    ask = script + 'COMP_WORDS=(clusterd rel); COMP_CWORD=1; _clusterd; printf "%s\\n" "${COMPREPLY[@]}"'
    answer = subprocess.run(["bash", "-c", ask], text=True, check=True, capture_output=True).stdout
    assert answer.split() == ["reload", "reloadLogs"]
    assert "#compdef clusterd" in cluster.run("completion", "zsh").out
    assert "complete -c clusterd" in cluster.run("completion", "fish").out
    assert cluster.run("completion", "apps").out == ""
    cluster.start(apps.sleeper("two words"))
    assert cluster.run("completion", "apps").out == "two words\n"
    assert cluster.run("completion", "csh", check=2).err


@pytest.mark.parametrize("words", [["init"], ["ecosystem", "simple"]])
def test_init_writes_a_file_that_can_be_started_and_never_over_one(cluster, words):
    cluster.run(*words)
    text = (cluster.work / "ecosystem.json").read_text()
    cluster.run(*words, check=6)
    assert (cluster.work / "ecosystem.json").read_text() == text
    cluster.script("server", "exec sleep 100000")
    cluster.run("start")
    assert set(cluster.statuses("web")) == {"online"}


FOREIGN = ["link", "plus", "monitor", "install", "module:update", "set", "deploy", "trigger", "publish"]


@pytest.mark.parametrize("verb", FOREIGN)
def test_a_verb_only_pm2_has_is_one_sentence(cluster, verb):
    done = cluster.run(verb, "a", "b", check=2)
    assert done.out == "" and done.err.startswith(f"error: {verb}: ") and done.err.count("\n") == 1, done
    assert not cluster.home.exists()


def test_flags_only_pm2_has_are_ignored_with_a_word(cluster):
    done = cluster.run("start", cluster.script("p", "exec sleep 100000"), "--no-vizion", "--no-pmx")
    assert "ignored" in done.err and cluster.statuses("p") == ["online"]


def test_a_shell_line_is_started_by_a_shell_and_said(cluster):
    done = cluster.run("start", "sleep 100000")
    assert "with a shell" in done.err
    assert cluster.statuses("sleep 100000") == ["online"]
    assert cluster.run("start", "nosuchprogram --flag", check=4).err


def test_an_env_file_of_the_command_line(cluster):
    cluster.write("x.env", "A=from file\n")
    cluster.run("start", cluster.script("p", "exec sleep 100000"), "--env-file", "x.env")
    assert "A=from file" in cluster.run("env", "0").out.splitlines()
    assert "gone.env" in cluster.run("start", "p", "-n", "q", "--env-file", "gone.env", check=3).err


def test_startup_prints_a_unit_systemd_takes(cluster):
    done = cluster.run("startup", "--print")
    assert "Type=notify" in done.out and f"CLUSTERD_HOME={cluster.home}" in done.out
    assert "systemctl" in done.err
    unit = cluster.write("clusterd-test.service", done.out)
    verified = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True)
    assert "clusterd-test.service:" not in verified.stderr, verified.stderr


@pytest.mark.needs_root
def test_startup_installs_below_a_root_and_unstartup_takes_it_away(cluster):
    root = cluster.folder("image")
    cluster.run("startup", "systemd", "-u", "daemon", "--hp", "/srv/a b%c", "--root", root)
    unit = root / "etc/systemd/system/clusterd-daemon.service"
    text = unit.read_text()
    assert "\nUser=daemon\n" in text and 'Environment="CLUSTERD_HOME=/srv/a b%%c/.clusterd"' in text
    assert (root / "etc/systemd/system/multi-user.target.wants/clusterd-daemon.service").is_symlink()
    cluster.run("unstartup", "-u", "daemon", "--root", root)
    assert not unit.exists()
    unit.write_text("[Service]\n")
    cluster.run("startup", "-u", "daemon", "--root", root, check=6)
    assert unit.read_text() == "[Service]\n"


def test_startup_refuses_what_it_cannot_do(cluster):
    assert cluster.run("startup", "upstart", check=2).err
    assert cluster.run("startup", "-u", "no-such-user", "--print", check=4).err
    assert cluster.run("startup", "--service-name", "a/b", "--print", check=2).err
