"""Protects: ecosystem files as people write them start the right processes.

Each folder of ecosystems/ holds a file, what it starts, and expected.json: the words behind `start`, and for each app
how many instances, with which words, variables, working directory and settings. @PORT@ in any of them is a free port,
{work} the folder.
"""

import json
import re
import shutil
from pathlib import Path

import pytest

from harness import processes
from harness.ports import free_port

FOLDERS = sorted(path for path in (Path(__file__).parent / "ecosystems").iterdir() if path.is_dir())


def unpack(cluster, folder: Path) -> dict:
    """Copies the folder into the work folder and returns what is expected, ports filled in."""
    ports = {"PORT": free_port(), "PORT2": free_port()}

    def fill(text: str) -> str:
        text = re.sub(r"@PORT\+(\d)@", lambda found: str(ports["PORT"] + int(found[1])), text)
        for name, port in ports.items():
            text = text.replace(f"@{name}@", str(port))
        return text.replace("{work}", str(cluster.work))

    for source in folder.rglob("*"):
        if source.is_file() and source.name != "expected.json":
            cluster.write(str(source.relative_to(folder)), fill(source.read_text()), source.stat().st_mode & 0o777)
    expected = json.loads(fill((folder / "expected.json").read_text()))
    for name, program in expected.get("copies", {}).items():
        target = cluster.work / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(cluster.program(program), target)
    return expected


def environment_of(pid: int) -> dict:
    entries = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
    return dict(entry.split("=", 1) for entry in entries if "=" in entry)


def words_of(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")[:-1]


def check_processes(app: dict, pids: list[int]):
    for pid in pids:
        words = app.get("words", [])
        assert words_of(pid)[-len(words) :] == words or not words, words_of(pid)
        environment = environment_of(pid)
        assert {name: environment.get(name) for name in app.get("env", {})} == app.get("env", {})
        assert not set(app.get("env_absent", [])) & set(environment)
        if "cwd" in app:
            assert str(Path(f"/proc/{pid}/cwd").resolve()) == app["cwd"]
    for name, values in app.get("env_sets", {}).items():
        assert sorted(environment_of(pid)[name] for pid in pids) == values


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_an_ecosystem_file_starts_the_right_processes(cluster, folder):
    expected = unpack(cluster, folder)
    done = cluster.run("start", *expected["start"], env=expected.get("shell"))
    for text in expected.get("said", []):
        assert text in done.err, done
    for text in expected.get("said_once", []):
        assert done.err.count(text) == 1, done
    views = cluster.instances()
    apps = {(name if "/" in name else f"default/{name}"): app for name, app in expected["apps"].items()}
    assert {f"{view['namespace']}/{view['name']}" for view in views} == set(apps), done
    for name, app in apps.items():
        mine = [view for view in views if f"{view['namespace']}/{view['name']}" == name]
        assert [view["status"] for view in mine] == [app.get("status", "online")] * app.get("count", 1), done
        pids = [view["pid"] for view in mine if view["pid"]]
        assert all(processes.alive(pid) for pid in pids)
        check_processes(app, pids)
        spec = cluster.run("describe", name, "--json").json()["apps"][0]["spec"]
        assert {key: spec.get(key) for key in app.get("settings", {})} == app.get("settings", {})
    for path in expected.get("files", []):
        cluster.wait_for(path, (cluster.work / path).exists)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_nothing_is_touched_when_the_same_file_is_started_again(cluster, folder):
    expected = unpack(cluster, folder)
    words, shell = expected["start"], expected.get("shell")
    cluster.run("start", *words, env=shell)
    before = sorted((view["id"], view["pid"]) for view in cluster.instances())
    cluster.run("start", *words, env={"ANOTHER": "shell"} | (shell or {}))
    assert sorted((view["id"], view["pid"]) for view in cluster.instances()) == before
    planned = cluster.run("diff", *words, "--json", env=shell).json()["apps"]
    assert all(app["changes"] == [] for app in planned), planned
