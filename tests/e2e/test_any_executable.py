"""Protects: every executable runs unmodified, N times behind its port; what cannot run says why."""

import os
import re
import shutil
import signal

import pytest

from harness import apps, http, probes, processes
from harness.waiting import hold_for, wait_for

SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def tool(name: str) -> str:
    """The distribution's program, not one of a version manager in the caller's home."""
    path = shutil.which(name, path=SYSTEM_PATH) or shutil.which(name)
    assert path, f"{name} is not installed (packaging/apt-packages-test.txt)"
    return path


def node(cluster, port):
    cluster.write(
        "server.js",
        "const http = require('http');\n"
        f"http.createServer((q, a) => a.end(process.pid + ' node\\n')).listen({port});\n",
    )
    return {"script": "server.js", "env": {"PATH": SYSTEM_PATH}}


def python(cluster, port):
    return {"script": tool("python3"), "args": ["-m", "http.server", str(port), "--bind", "127.0.0.1"]}


def nginx(cluster, port):
    prefix = cluster.folder("nginx")
    conf = cluster.write(
        "nginx.conf",
        f"""
        daemon off; worker_processes 1; pid nginx.pid; error_log stderr;
        events {{ worker_connections 64; }}
        http {{
          access_log off; client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
          uwsgi_temp_path uwsgi; scgi_temp_path scgi;
          server {{ listen {port}; location / {{ return 200 "$pid nginx\\n"; }} }}
        }}""",
    )
    return {
        "script": tool("nginx"),
        "args": ["-p", str(prefix), "-e", "stderr", "-c", str(conf)],
        "kill_signal": "SIGQUIT",
    }


def static_c(cluster, port):
    return {"script": cluster.program("t-http"), "args": ["--port", str(port)]}


def shell(cluster, port):
    command = f"cd /tmp; {cluster.program('t-http')} --port {port}; echo ended"
    return {"script": "sh", "args": ["-c", command]}


def npm(cluster, port):
    cluster.write("package.json", '{"name":"shop","version":"1.0.0","scripts":{"start":"node server.js"}}')
    node(cluster, port)
    return {"script": tool("npm"), "args": "start", "env": {"PATH": SYSTEM_PATH}, "listen_timeout": 30_000}


PROGRAMS = [node, python, nginx, static_c, shell, npm]


def family(pid: int) -> list[int]:
    return [pid, *processes.descendants(pid)]


def assert_each_instance_serves(port: int, instances: list[int]):
    """Asks until a process of each instance has accepted and answered a connection."""
    answered = set()

    def all_answered():
        # Anew each time: npm is there long before the server that it starts.
        families = [family(pid) for pid in instances]
        answered.add(http.answering_pid(port, [pid for members in families for pid in members]))
        return all(answered & set(members) for members in families)

    wait_for("an answer of each instance", all_answered, 40)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_unmodified_program_serves_one_port_from_four_instances(any_user_cluster, port, program):
    cluster = any_user_cluster
    app = apps.QUICK | {"listen_timeout": 20_000, "name": "web", "instances": 4} | program(cluster, port)
    apps.start_serving(cluster, app, port)
    before = cluster.pids("web")
    assert len(set(before)) == 4
    assert_each_instance_serves(port, before)

    cluster.run("reload", "web", timeout=100)
    after = cluster.pids("web")
    assert len(set(after)) == 4 and not set(before) & set(after)
    assert_each_instance_serves(port, after)
    cluster.run("stop", "web")
    assert not any(map(processes.alive, before + after))


def test_many_connections_are_answered_by_all_four_instances(cluster, port):
    cluster.start(apps.web(cluster, port, "--work", "3", instances=4))
    assert len(http.distinct_answers(port, 4)) == 4


BROKEN = {
    "missing": (lambda c: str(c.work / "nothing"), r"no such file|not found|does not exist"),
    "not executable": (lambda c: str(c.write("plain", "#!/bin/sh\n", 0o644)), r"permission|executable"),
    "directory": (lambda c: str(c.folder("work/folder")), r"directory|permission|regular file"),
    "no known format": (lambda c: str(c.write("text", "hello\n", 0o755)), r"#!|format"),
    "wrong machine": (
        lambda c: str(
            c.write("alien", b"\x7fELF\x02\x01\x01" + b"\0" * 9 + b"\x02\0\xf3\0" + b"\0" * 100, 0o755)
        ),
        r"processor|format",
    ),
    "interpreter missing": (
        lambda c: str(c.write("orphan", "#!/no/such/interpreter\n", 0o755)),
        r"interpreter|no such file",
    ),
    "not on PATH": (lambda c: "no-such-program-anywhere", r"not found|no such file|PATH"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_cannot_be_executed_is_errored_at_once_with_a_reason(cluster, what):
    script, reason = BROKEN[what]
    done = cluster.start(apps.QUICK | {"name": "broken", "script": script(cluster)}, check=None)
    assert done.status != 0
    assert re.search(reason, done.err, re.IGNORECASE), done
    views = cluster.views("broken")
    assert all(view["status"] == "errored" and view["restarts"] == 0 for view in views), views
    hold_for(
        "no further try",
        lambda: all(v["restarts"] == 0 and not v["pid"] for v in cluster.views("broken")),
        0.5,
    )
    assert not [pid for pid in processes.children(cluster.daemon_pid()) if processes.state(pid) == "Z"]


@pytest.mark.parametrize(
    "make",
    [
        lambda c: c.script("plain-script", f"exec {c.program('t-probe')} {c.folder('probes')}"),
        lambda c: c.write("mod.sh", f"exec {c.program('t-probe')} {c.folder('probes')}\n", 0o644),
        lambda c: c.program("t-probe"),
    ],
    ids=["shebang", "extension", "binary"],
)
def test_how_to_run_a_file_follows_from_the_file(cluster, make):
    path = make(cluster)
    cluster.start(
        apps.QUICK | {"name": "probe", "script": str(path), "args": [str(cluster.folder("probes"))]}
    )
    assert probes.of_app(cluster)["argv"][0].endswith("t-probe")


def test_start_finds_a_program_on_path_and_says_what_it_chose(cluster):
    done = cluster.run("start", "sleep", "--", "100000")
    assert "sleep" in done.err + done.out
    assert cluster.statuses("sleep") == ["online"]


def test_arguments_arrive_byte_by_byte_from_command_line_and_file(cluster):
    words = ["--t=a b", "", 'x"y', "tab\there", "$HOME", "*", "--name", "-i"]
    cluster.run("start", cluster.program("t-probe"), "--name", "cli", "--", cluster.folder("probes"), *words)
    assert probes.of_app(cluster, "cli")["argv"][2:] == words
    cluster.start(apps.probe(cluster, *words, name="array"))
    assert probes.of_app(cluster, "array")["argv"][2:] == words
    text = f"{cluster.folder('probes')} --t='a b' '' x\\\"y"
    cluster.start(apps.probe(cluster, name="string") | {"args": text})
    assert probes.of_app(cluster, "string")["argv"][2:] == ["--t=a b", "", 'x"y']


def test_arguments_that_are_not_utf8_arrive_and_keep_json_valid(cluster):
    odd = b"\xff\xfe odd"
    cluster.run(
        "start",
        cluster.program("t-probe"),
        "--name",
        "odd",
        "--",
        cluster.folder("probes"),
        os.fsdecode(odd),
        env={"ODD": os.fsdecode(odd)},
    )
    found = probes.of_app(cluster, "odd")
    assert found["argv"][2].encode("latin-1") == odd
    assert found["environment"]["ODD"].encode("latin-1") == odd
    cluster.run("jlist").json()


def test_variables_with_the_names_of_settings_change_no_setting(cluster):
    given = {
        "name": "evil",
        "args": "--x",
        "env": "q",
        "version": "9",
        "status": "online",
        "instances": "7",
        "cwd": "/",
    }
    cluster.run("start", cluster.program("t-probe"), "--", cluster.folder("probes"), env=given)
    found = probes.of_app(cluster, "t-probe")
    assert {name: found["environment"].get(name) for name in given} == given
    assert found["cwd"] == str(cluster.work)


@pytest.mark.parametrize("way", ["relative", "absolute", "file"])
def test_a_program_path_with_blanks_and_cyrillic_letters_works(cluster, way):
    folder = cluster.folder("work/a b")
    path = shutil.copy(cluster.program("t-probe"), folder / "тест prog")
    if way == "file":
        cluster.start(apps.probe(cluster, name="blank") | {"script": str(path)})
    else:
        word = "./тест prog" if way == "relative" else path
        cluster.run("start", word, "--name", "blank", "--", cluster.folder("probes"), cwd=folder)
    assert probes.of_app(cluster, "blank")["argv"][0].endswith("тест prog".encode().decode("latin-1"))


def test_a_large_environment_is_passed_and_a_too_large_one_is_explained(cluster):
    cluster.start(apps.probe(cluster, env={"LARGE": "x" * 120 * 1024}))
    assert len(probes.of_app(cluster)["environment"]["LARGE"]) == 120 * 1024
    done = cluster.start(apps.sleeper("huge", env={"HUGE": "x" * 200 * 1024}), check=None)
    assert done.status != 0 and "too large" in done.err, done
    assert cluster.statuses("probe") == ["online"]
    assert all(status == "errored" for status in cluster.statuses("huge"))


def test_a_release_link_is_followed_anew_at_each_start(cluster):
    for release in ("r1", "r2"):
        cluster.script(f"{release}/app", f"echo {release}; exec sleep 100000")
    current = cluster.work / "current"
    current.symlink_to("r1")
    cluster.run("start", "./app", cwd=current, env={"PWD": str(current)})
    cluster.wait_for("r1", lambda: cluster.log("app") == "r1\n")
    current.unlink()
    current.symlink_to("r2")
    cluster.run("restart", "app")
    cluster.wait_for("r2 after restart", lambda: cluster.log("app") == "r1\nr2\n")
    cluster.run("reload", "app")
    cluster.wait_for("r2 after reload", lambda: cluster.log("app") == "r1\nr2\nr2\n")
    assert cluster.view("app")["cwd"] == str(current)


def test_an_app_whose_directory_is_gone_says_so_and_harms_no_other(cluster):
    gone = cluster.folder("gone")
    cluster.start(apps.sleeper("homeless", cwd=str(gone)), cwd=gone)
    gone.rmdir()
    done = cluster.run("restart", "homeless", check=None)
    assert done.status != 0 and str(gone) in done.err + cluster.view("homeless")["reason"], done
    cluster.start(apps.sleeper("other"))
