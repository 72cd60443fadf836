"""Protects: an app restarts when its files change, once, whatever the editor does, and says which file it was."""

import os
import shlex
import subprocess

import pytest

from harness import apps


@pytest.fixture
def tree(cluster):
    return cluster.folder("tree")


def watched(tree, **keys) -> dict:
    return apps.sleeper("app", cwd=str(tree), watch=True, watch_delay=100) | keys


def start(cluster, *specs: dict):
    cluster.start(*specs)
    wait_watched(cluster)


def watch_state(cluster, name: str = "app") -> dict:
    return cluster.run("describe", "--json", name).json()["apps"][0]["watch"]


def wait_watched(cluster, name: str = "app"):
    cluster.wait_for("the tree to be read", lambda: watch_state(cluster, name)["complete"], 60)


def restarts_after(cluster, change, name: str = "app", deadline: float = 30):
    """Makes the change and waits for the one restart that follows."""
    before = cluster.view(name)["restarts"]
    change()
    cluster.wait_for("a restart", lambda: cluster.views(name)[-1]["restarts"] > before, deadline)
    cluster.wait_status(name, "online", deadline=deadline)
    return cluster.view(name)["reason"]


def replace(path, text: str):
    """As most editors save: write beside, then rename."""
    partial = path.with_name(path.name + "~new")
    partial.write_text(text)
    partial.rename(path)


def test_a_saved_file_restarts_the_app_and_is_named(cluster, tree):
    (tree / "src").mkdir()
    source = tree / "src" / "server.js"
    source.write_text("1")
    start(cluster, watched(tree))
    assert restarts_after(cluster, lambda: source.write_text("2")).startswith("watch: src/server.js changed")
    assert "src/server.js" in restarts_after(cluster, lambda: replace(source, "3"))
    assert "src/server.js" in restarts_after(cluster, source.unlink)
    assert cluster.view("app")["watching"] is True


def test_folders_that_come_later_are_watched(cluster, tree):
    start(cluster, watched(tree))
    restarts_after(cluster, lambda: (tree / "new" / "deep").mkdir(parents=True))
    wait_watched(cluster)
    assert "new/deep/x" in restarts_after(cluster, lambda: (tree / "new" / "deep" / "x").write_text("1"))


def test_five_hundred_files_are_one_restart(cluster, tree):
    start(cluster, watched(tree, watch_delay=1000))

    def check_out():
        for i in range(500):
            (tree / f"file-{i}").write_text("x")

    assert "more changes" in restarts_after(cluster, check_out)
    restarts_after(cluster, lambda: (tree / "last").write_text("x"))
    assert cluster.view("app")["restarts"] == 2


def test_what_is_ignored_restarts_nothing(cluster, tree):
    for folder in ("node_modules/x", ".git", "tmp"):
        (tree / folder).mkdir(parents=True)
    log = tree / "app.log"
    spec = watched(tree, ignore_watch=["tmp", "**/*.swp"], out_file=str(log), error_file=str(log))
    start(cluster, spec | {"script": "sh", "args": ["-c", "while :; do echo line; sleep 0.1; done"]})
    for path in ("node_modules/x/index.js", ".git/HEAD", "tmp/upload", "src.swp"):
        (tree / path).write_text("x")
    cluster.wait_for("the app to write", lambda: log.exists() and log.read_text().count("line") > 3)
    assert restarts_after(cluster, lambda: (tree / "seen").write_text("x")) == "watch: seen changed"
    assert cluster.view("app")["restarts"] == 1


def test_a_failed_app_is_started_by_the_fix_and_a_stopped_one_is_not(cluster, tree):
    script = tree / "run"
    script.write_text("#!/bin/sh\nexit 1\n")
    script.chmod(0o755)
    spec = apps.QUICK | {"name": "app", "script": str(script), "cwd": str(tree), "watch": True, "max_restarts": 0}
    cluster.start(spec, check=None)
    cluster.wait_status("app", "errored")
    wait_watched(cluster)
    script.write_text("#!/bin/sh\nexec sleep 1000\n")
    cluster.wait_status("app", "online", deadline=30)
    cluster.run("stop", "app")
    cluster.start(watched(tree) | {"name": "witness"})
    wait_watched(cluster, "witness")
    restarts_after(cluster, lambda: script.write_text("#!/bin/sh\nexec sleep 999\n"), "witness")
    assert cluster.statuses("app") == ["stopped"]


def test_a_release_link_that_is_switched_restarts(cluster, tree):
    for release in ("one", "two"):
        (tree / release).mkdir()
    current = tree / "current"
    current.symlink_to("one")
    start(cluster, watched(tree, watch=[str(current)]))

    def switch():
        (tree / "next").symlink_to("two")
        (tree / "next").rename(current)

    assert "current changed" in restarts_after(cluster, switch)
    wait_watched(cluster)
    restarts_after(cluster, lambda: (tree / "two" / "x").write_text("1"))


def test_an_app_that_writes_into_its_own_folder_is_slowed_down_and_named(cluster, tree):
    script = cluster.script("writer", f"date +%N > {tree}/state; exec sleep 1000")
    cluster.start(watched(tree, script=str(script), args=[], min_uptime=100))
    cluster.wait_for("the warning", lambda: "does the app write there itself" in cluster.daemon_log(), 60)
    assert "state changed" in cluster.daemon_log()


def test_a_tree_of_20000_files_is_watched_and_nobody_waits_for_it(cluster, tree):
    for folder in range(1000):
        path = tree / f"{folder % 30}" / f"{folder}"
        path.mkdir(parents=True)
        for name in range(20):
            (path / f"{name}").touch()
    cluster.start(watched(tree))
    cluster.wait_for("the tree to be read", lambda: watch_state(cluster)["complete"], 60)
    assert watch_state(cluster)["folders"] == 1031 and watch_state(cluster)["fault"] is None
    assert "29/989/7" in restarts_after(cluster, lambda: (tree / "29" / "989" / "7").write_text("x"))


def test_the_whole_system_is_not_watched(cluster):
    done = cluster.start(apps.sleeper(cwd="/", watch=True), check=None)
    assert done.status != 0 and "whole system" in done.err


@pytest.mark.needs_root
@pytest.mark.parametrize(
    "limit,name", [("user.max_inotify_watches=20", "max_user_watches"), ("user.max_inotify_instances=1", "max_user_instances")]
)
def test_a_limit_of_the_system_is_said_in_a_sentence(cluster, tree, limit, name):
    for folder in range(60):
        (tree / str(folder)).mkdir()
    key, value = limit.split("=")
    daemon = shlex.join([cluster.binaries.clusterd, "list"])
    script = f"echo {value} > /proc/sys/{key.replace('.', '/')} && exec {daemon}"
    made = subprocess.run(
        ["unshare", "-U", "-r", "sh", "-c", script], env=cluster.environment(), capture_output=True, text=True, timeout=60
    )
    if made.returncode != 0 and "unshare" in made.stderr:
        pytest.skip("no user name spaces here")
    assert made.returncode == 0, made
    cluster.start(watched(tree))
    cluster.wait_for("the fault", lambda: watch_state(cluster)["fault"], 30)
    fault = watch_state(cluster)["fault"]
    assert f"fs.inotify.{name}" in fault and "sysctl" in fault
    assert cluster.statuses("app") == ["online"]
    assert fault[:60] in cluster.daemon_log()


def test_flags_of_pm2(cluster, tree):
    cluster.run(
        "start", "sleep", "--name", "app", "--watch", "--ignore-watch", "tmp,*.log", "--watch-delay", "100", "--", "1000", cwd=tree
    )
    wait_watched(cluster)
    (tree / "x.log").write_text("")
    assert restarts_after(cluster, lambda: (tree / "x").write_text("")) == "watch: x changed"
    assert os.path.samefile(cluster.view("app")["cwd"], tree)
