"""`clusterd import pm2` of a real PM2, running and saved: what is started from the file is what PM2 had."""

import json

import pytest
from rivals.package import pm2_program


@pytest.fixture
def both(rivals):
    """PM2 with a cluster, a program with an environment of its own and one that is stopped; and clusterd."""
    pm2, clusterd = rivals
    pm2.start(
        pm2.probe("--level", "3", name="probe", env={"COLOUR": "deep blue"}, max_memory_restart="300M"),
        pm2.sleeper("pair", exec_mode="fork", instances=2),
        pm2.sleeper("resting"),
    )
    pm2.run("stop", "resting")
    yield pm2, clusterd


def import_list(pm2, clusterd, *words):
    # `pm2` as users have it: by its name, on PATH.
    (clusterd.work / "pm2").unlink(missing_ok=True)
    (clusterd.work / "pm2").symlink_to(pm2_program())
    path = f"{clusterd.work}:{clusterd.environment({})['PATH']}"
    return clusterd.run("import", "pm2", *words, env={"PM2_HOME": str(pm2.home), "PATH": path})


@pytest.mark.parametrize("source", ["the running PM2", "the dump"])
def test_an_imported_list_starts_as_it_was(both, source):
    pm2, clusterd = both
    words = []
    if source == "the dump":
        pm2.run("save", "--force")
        words = ["--file", pm2.home / "dump.pm2"]
    done = import_list(pm2, clusterd, *words)
    assert done.status == 0 and (source in done.err or "dump.pm2" in done.err), done
    assert (clusterd.work / "ecosystem.json").stat().st_mode & 0o777 == 0o600
    assert clusterd.run("start", "ecosystem.json").status == 0
    theirs = {p.name: p.record for p in pm2.processes()}
    ours = {p.name: p.record for p in clusterd.processes()}
    assert set(ours) == set(theirs) == {"probe", "pair", "resting"}
    assert clusterd.statuses() == {"probe": ["online"], "pair": ["online", "online"], "resting": ["stopped"]}
    for key in ("args", "pm_cwd", "max_memory_restart"):
        assert ours["probe"].get(key) == theirs["probe"].get(key), key
    written = pm2.work / f"probes/{clusterd.process('probe').pid}.json"
    clusterd.wait("the probe", written.exists)
    assert json.loads(written.read_text())["variables"]["COLOUR"] == "deep blue"


def test_a_file_that_is_there_is_not_overwritten(both):
    pm2, clusterd = both
    clusterd.write("ecosystem.json", "precious")
    assert import_list(pm2, clusterd).status == 6
    assert (clusterd.work / "ecosystem.json").read_text() == "precious"
    assert import_list(pm2, clusterd, "--force").status == 0
    apps = json.loads((clusterd.work / "ecosystem.json").read_text())["apps"]
    assert [app["name"] for app in apps] == ["probe", "pair", "resting"]
