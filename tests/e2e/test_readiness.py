"""Protects: an instance is online when it has shown what `ready` asks for, and not before; late is a failure."""

import json
import os
import shutil
import signal
import socket
import time

import pytest

from harness import apps, http

NOTIFY = """
import os, socket, sys, time
def notify(*lines):
    address = os.environ['NOTIFY_SOCKET'].replace('@', '\\0', 1)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        s.sendto('\\n'.join(lines).encode(), address)
"""


def python(name: str, body: str, **keys) -> dict:
    return apps.QUICK | {"name": name, "script": "/usr/bin/python3", "args": ["-c", body]} | keys


def gate(cluster, name="gate"):
    """A file the app waits for, so that a test decides when it goes on."""
    path = cluster.work / name
    return path, f"while not os.path.exists({str(path)!r}): time.sleep(0.01)\n"


def start_in_background(cluster, *apps_):
    process = cluster.popen("start", cluster.ecosystem(*apps_))
    cluster.wait_for("the launch", lambda: cluster.pids(apps_[0]["name"]))
    return process


def finish(process, status=0):
    out, err = process.communicate(timeout=30)
    assert process.returncode == status, (out, err)
    return err


def stays_launching(cluster, name: str):
    """Longer than min_uptime, in which an app that says nothing would have become online."""
    born = cluster.view(name)["started_at_ms"]
    cluster.wait_for("min_uptime to pass", lambda: time.time() * 1000 > born + 2 * apps.QUICK["min_uptime"])
    assert cluster.view(name)["status"] == "launching"


def test_notify_waits_for_the_word(cluster):
    path, wait = gate(cluster)
    body = NOTIFY + wait + "notify('STATUS=warming up')\nnotify('READY=1')\ntime.sleep(1000)"
    start = start_in_background(cluster, python("app", body, ready="notify"))
    stays_launching(cluster, "app")
    path.touch()
    finish(start)
    assert cluster.view("app")["status_text"] == "warming up"
    assert "warming up" in cluster.run("describe", "app").out


def test_listening_is_not_said_by_ready_and_not_by_survival(cluster, port):
    path, wait = gate(cluster)
    body = (
        NOTIFY
        + "notify('READY=1')\n"
        + wait
        + f"s = socket.socket(); s.bind(('127.0.0.1', {port})); s.listen()\ntime.sleep(1000)"
    )
    start = start_in_background(cluster, python("app", body, ready="listening"))
    stays_launching(cluster, "app")
    path.touch()
    finish(start)


def test_a_line_on_the_readiness_descriptor(cluster, port):
    path, wait = gate(cluster)
    body = (
        "import os, time\nfd = int(os.environ['READY_FD'])\nassert fd == 4, fd\nos.write(fd, b'almost')\n"
        + wait
        + "os.write(fd, b'\\n'); os.close(fd)\ntime.sleep(1000)"
    )
    start = start_in_background(cluster, python("app", body, ready="fd", listen=[f"127.0.0.1:{port}"]))
    stays_launching(cluster, "app")
    path.touch()
    finish(start)


def test_closing_the_readiness_descriptor_without_a_line_is_not_readiness(cluster):
    body = "import os, time\nos.close(int(os.environ['READY_FD']))\ntime.sleep(1000)"
    done = cluster.start(python("app", body, ready="fd", listen_timeout=700, max_restarts=0), check=None)
    assert done.status != 0 and "READY_FD" in done.err, done


def test_a_delay_is_waited_for(cluster):
    done = cluster.start(apps.sleeper(ready="delay:900ms"))
    assert done.seconds >= 0.9


SERVER = """
import http.server, os, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        good = os.path.exists(sys.argv[1])
        self.send_response(200 if good else 503); self.send_header('Content-Length', '0'); self.end_headers()
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(('127.0.0.1', int(os.environ['PORT'])), Handler).serve_forever()
"""


def server(cluster, port: int, **keys) -> dict:
    """Answers 200 while the file `good` is there, 503 else."""
    good = str(cluster.work / "good")
    return python("web", SERVER, **({"args": ["-c", SERVER, good], "env": {"PORT": str(port)}} | keys))


@pytest.mark.parametrize("mode", ["cluster", "fork"])
def test_http_waits_for_a_good_answer(cluster, port, mode):
    app = server(cluster, port, ready="http://127.0.0.1:${PORT}/ready", exec_mode=mode)
    start = start_in_background(cluster, app)
    cluster.wait_for("an answer", lambda: can_connect(port))
    stays_launching(cluster, "web")
    (cluster.work / "good").touch()
    finish(start)


def can_connect(port: int) -> bool:
    try:
        http.connect(port).close()
        return True
    except OSError:
        return False


def test_http_that_never_is_good_names_the_last_answer(cluster, port):
    app = server(cluster, port, ready=f"http://:{port}/ready", listen_timeout=1000, max_restarts=0)
    done = cluster.start(app, check=None)
    assert done.status != 0 and "answered 503" in done.err, done


def test_a_new_instance_is_not_ready_by_the_answer_of_the_old_one(cluster, port):
    (cluster.work / "good").touch()
    cluster.start(server(cluster, port, ready=f"http://:{port}/"))
    old = cluster.pid("web")
    broken = python("web", "import time; time.sleep(1000)", env={"PORT": str(port)}, ready=f"http://:{port}/")
    done = cluster.start(broken | {"listen_timeout": 1000}, check=None)
    assert done.status != 0 and "other instances of the app" in done.err, done
    assert cluster.pids("web")[0] == old and can_connect(port)


def test_tcp_to_an_address_of_its_own(cluster, port):
    path, wait = gate(cluster)
    body = (
        "import os, socket, time\n"
        + wait
        + f"s = socket.socket(); s.bind(('127.0.0.1', {port})); s.listen()\ntime.sleep(1000)"
    )
    app = python("app", body, ready={"check": f"tcp://127.0.0.1:{port}", "interval": 50}, exec_mode="fork")
    start = start_in_background(cluster, app)
    stays_launching(cluster, "app")
    path.touch()
    finish(start)


def test_tcp_alone_finds_the_address_that_was_bound(cluster, port):
    cluster.start(apps.web(cluster, port, "--boot", "400", ready="tcp"))
    assert http.get(port)


def test_tcp_that_hangs_is_given_up_in_time(cluster, port):
    with socket.create_server(("127.0.0.1", 0)) as mute:
        target = "http://127.0.0.1:%d/" % mute.getsockname()[1]
        ready = {"check": target, "timeout": 300}
        done = cluster.start(apps.sleeper(ready=ready, listen_timeout=1000, max_restarts=0), check=None)
    assert done.status != 0 and "did not answer within 0.3 s" in done.err, done


@pytest.mark.needs_root
def test_exec_runs_as_the_apps_user_with_its_environment(cluster):
    out = cluster.folder("out")
    out.chmod(0o777)
    probe = cluster.script(
        "probe.sh", f'echo "$(id -u) $NODE_APP_INSTANCE $MINE $(pwd) ${{NOTIFY_SOCKET-none}}" > {out}/told; test -e {out}/go'
    )
    app = apps.sleeper(ready=f"exec:{probe} x", uid="nobody", env={"MINE": "yes"}, cwd="/")
    start = start_in_background(cluster, app)
    cluster.wait_for("a first try", lambda: (out / "told").exists() and (out / "told").read_text())
    stays_launching(cluster, "sleeper")
    assert (out / "told").read_text() == "65534 0 yes / none\n"
    (out / "go").touch()
    finish(start)


def test_exec_that_hangs_is_ended_and_one_that_is_missing_is_named(cluster):
    ready = {"check": f"exec:sh -c 'sleep 4711; {cluster.root}'", "timeout": 200}
    done = cluster.start(apps.sleeper(ready=ready, listen_timeout=900, max_restarts=0), check=None)
    assert done.status != 0 and "did not end within 0.2 s" in done.err, done
    done = cluster.start(
        apps.sleeper("other", ready="exec:/no/such/probe", listen_timeout=500, max_restarts=0), check=None
    )
    assert done.status != 0 and "/no/such/probe" in done.err, done


@pytest.mark.parametrize("ready", [{"wait_ready": True}, {"ready": "exec:false"}])
def test_late_is_a_failure_and_the_old_one_serves_on(cluster, port, ready):
    cluster.start(apps.web(cluster, port))
    pid = cluster.pid("web")
    done = cluster.start(apps.web(cluster, port, version="v2", **(ready | {"listen_timeout": 700})), check=None)
    assert done.status != 0 and "not ready within 0.7 s" in done.err, done
    assert cluster.pids("web")[0] == pid and http.get(port).split()[1] == "v1"


def test_one_that_waits_for_ready_holds_up_nobody(cluster):
    start = start_in_background(cluster, apps.sleeper(wait_ready=True, listen_timeout=60_000))
    for words in (["list"], ["logs", "--lines", "1", "--nostream", "sleeper"]):
        assert cluster.run(*words, check=None).seconds < 3
    assert cluster.start(apps.sleeper("other")).seconds < 5
    assert cluster.run("stop", "sleeper").seconds < 5
    assert "stopped" in finish(start, 1)


@pytest.mark.parametrize("delay_ms", [0, 10, 100])
def test_one_that_ends_before_it_is_ready_is_never_online(cluster, delay_ms):
    done = cluster.start(
        apps.failing(cluster, 3, delay_ms, wait_ready=True, max_restarts=2, exp_backoff_restart_delay=10),
        check=None,
    )
    assert done.status != 0
    view = cluster.wait_status("failing", "errored")[0]
    assert view["pid"] is None and view["exit"] == {"code": 3}
    assert "failing.0 online" not in cluster.daemon_log()


# What else is said by sd_notify


def test_a_watchdog_that_is_fed_lives_and_one_that_is_not_is_replaced(cluster):
    body = NOTIFY + (
        "assert os.environ['WATCHDOG_PID'] == str(os.getpid())\n"
        "assert os.environ['WATCHDOG_USEC'] == '500000'\n"
        "notify('READY=1')\n"
        "while not os.path.exists('hang'):\n    notify('WATCHDOG=1'); time.sleep(0.05)\n"
        "time.sleep(1000)"
    )
    cluster.start(python("dog", body, watchdog=500, wait_ready=True, cwd=str(cluster.work)))
    pid = cluster.pid("dog")
    born = cluster.view("dog")["started_at_ms"]
    cluster.wait_for("several intervals", lambda: time.time() * 1000 > born + 1500)
    assert cluster.pid("dog") == pid
    (cluster.work / "hang").touch()
    cluster.wait_for("its end", lambda: pid not in cluster.pids("dog"))
    cluster.wait_for("the reason", lambda: "watchdog: no WATCHDOG=1 for 0.5 s" in cluster.view("dog")["reason"])
    assert "watchdog: no WATCHDOG=1 for 0.5 s" in cluster.daemon_log()
    (cluster.work / "hang").unlink()
    cluster.wait_status("dog", "online")


def test_watchdog_usec_sets_another_interval(cluster):
    body = NOTIFY + "notify('READY=1', 'WATCHDOG_USEC=300000')\ntime.sleep(1000)"
    cluster.start(python("dog", body, wait_ready=True))
    cluster.wait_for("its end", lambda: "for 0.3 s" in cluster.view("dog")["reason"])


def test_extending_the_timeout_makes_a_slow_start_a_good_one(cluster):
    path, wait = gate(cluster)
    body = NOTIFY + "notify('EXTEND_TIMEOUT_USEC=20000000')\n" + wait + "notify('READY=1')\ntime.sleep(1000)"
    start = start_in_background(cluster, python("slow", body, wait_ready=True, listen_timeout=600))
    born = cluster.view("slow")["started_at_ms"]
    cluster.wait_for("listen_timeout to pass", lambda: time.time() * 1000 > born + 1200)
    path.touch()
    finish(start)
    assert cluster.view("slow")["restarts"] == 0


def test_extending_the_timeout_makes_a_slow_stop_a_clean_one(cluster):
    body = NOTIFY + (
        "import signal\ndef stop(*_):\n    notify('STOPPING=1', 'EXTEND_TIMEOUT_USEC=20000000')\n"
        "    time.sleep(1.5)\n    print('clean', flush=True)\n    os._exit(0)\n"
        "signal.signal(signal.SIGTERM, stop)\nnotify('READY=1')\ntime.sleep(1000)"
    )
    cluster.start(python("slow", body, wait_ready=True, kill_timeout=500))
    cluster.run("stop", "slow")
    assert cluster.log("slow") == "clean\n"


def test_an_announced_end_is_no_fault_and_has_its_limit(cluster):
    body = NOTIFY + (
        "notify('READY=1')\nwhile not os.path.exists('end'): time.sleep(0.01)\n"
        "os.unlink('end'); notify('STOPPING=1'); time.sleep(1000)"
    )
    cluster.start(python("app", body, wait_ready=True, kill_timeout=600, cwd=str(cluster.work)))
    cluster.wait_for("it to be stable", lambda: cluster.view("app")["uptime_ms"] > 2 * apps.QUICK["min_uptime"])
    pid = cluster.pid("app")
    (cluster.work / "end").touch()
    cluster.wait_for("its successor", lambda: cluster.pids("app") and cluster.pids("app") != [pid])
    cluster.wait_status("app", "online")
    assert cluster.view("app")["unstable_restarts"] == 0


def test_a_barrier_is_answered_by_closing_its_descriptor(cluster):
    body = NOTIFY + (
        "import array\nr, w = os.pipe()\n"
        "address = os.environ['NOTIFY_SOCKET'].replace('@', '\\0', 1)\n"
        "notify('READY=1')\n"
        "s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.connect(address)\n"
        "s.sendmsg([b'BARRIER=1'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [w]))])\n"
        "os.close(w)\nprint(os.read(r, 1) == b'', flush=True)\ntime.sleep(1000)"
    )
    cluster.start(python("app", body, wait_ready=True))
    cluster.wait_for("its word", lambda: cluster.log("app") == "True\n")


def test_a_main_pid_has_to_be_one_of_its_own(cluster):
    body = NOTIFY + (
        "import subprocess\nchild = subprocess.Popen(['sleep', '1000'])\n"
        "notify('READY=1', 'MAINPID=%d' % child.pid)\nprint(child.pid, flush=True)\n"
        "while not os.path.exists('lie'): time.sleep(0.01)\nnotify('MAINPID=1', 'STATUS=lied')\ntime.sleep(1000)"
    )
    cluster.start(python("app", body, wait_ready=True, cwd=str(cluster.work)))
    cluster.wait_for("its child", lambda: cluster.log("app"))
    child = int(cluster.log("app"))
    assert cluster.view("app")["main_pid"] == child
    (cluster.work / "lie").touch()
    cluster.wait_for("the lie", lambda: cluster.view("app")["status_text"] == "lied")
    assert cluster.view("app")["main_pid"] == child


@pytest.mark.needs_root
def test_what_a_stranger_says_counts_for_nothing(cluster):
    cluster.start(python("app", NOTIFY + "notify('READY=1')\ntime.sleep(1000)", wait_ready=True))
    environment = open(f"/proc/{cluster.pid('app')}/environ").read()
    address = next(e for e in environment.split("\0") if e.startswith("NOTIFY_SOCKET=")).partition("=")[2]
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.setuid(65534)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as stranger:
            stranger.sendto(b"STOPPING=1\nSTATUS=mine", address.replace("@", "\0", 1))
        os._exit(0)
    os.waitpid(child, 0)
    os.close(reader), os.close(writer)
    assert cluster.view("app")["status"] == "online" and cluster.view("app")["status_text"] is None
