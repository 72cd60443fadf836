"""Protects: `clusterd prove` tells a server that keeps every request from one that does not, and leaves nothing."""

import signal
import subprocess

import pytest

from harness import apps, http, processes
from harness.ports import free_port

LOST = 9
ROUNDS = ["baseline", "reload", "kill", "restart", "scale"]
SHORT = ("--duration", "400ms", "--rate", "200", "--json")

# Answers on any connection in its own thread; `answer(connection)` and what happens at SIGTERM are the test's.
SERVER = """
import os, signal, socket, sys, threading, time

server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.bind(('127.0.0.1', int(sys.argv[1])))
WHOLE = b'HTTP/1.1 200 OK\\r\\nContent-Length: 10\\r\\n\\r\\n0123456789'
CUT, REST = WHOLE[:-5], WHOLE[-5:]
served = 0
%s
def serve(connection):
    global served
    while True:
        request = b''
        while b'\\r\\n\\r\\n' not in request:
            piece = connection.recv(4096)
            if not piece:
                return connection.close()
            request += piece
        served += 1
        if not answer(connection):
            return connection.close()

server.listen(100)
while True:
    threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
"""


@pytest.fixture
def prove(cluster):
    """Runs prove, and checks that nothing of it is left."""

    def run(*words, **options):
        done = cluster.run("prove", *words, **options)
        assert_nothing_left(cluster)
        return done

    return run


def assert_nothing_left(cluster):
    assert not [path for path in cluster.root.glob("clusterd-prove-*")]
    daemons = [pid for pid in cluster.daemons() if "clusterd-prove-" in processes.command_line(pid)]
    assert not daemons


def server(cluster, answer: str, name: str = "server.py"):
    return cluster.write(name, SERVER % answer)


def rounds_of(report: dict) -> dict:
    return {entry["round"]: entry for entry in report["rounds"]}


@pytest.mark.slow
def test_a_graceful_server_keeps_every_request_in_every_round(any_user_cluster, port):
    cluster = any_user_cluster
    done = cluster.run("prove", cluster.ecosystem(apps.web(cluster, port, "--work", "5", kill_timeout=8000, drain_timeout=1000)), *SHORT)
    report = done.json()
    assert report["verdict"] == "kept" and report["lost"] == 0, report
    assert report["apps"] == ["web"] and report["addresses"] == [f"127.0.0.1:{port}"]
    assert report["private_network"] is True
    assert [entry["round"] for entry in report["rounds"]] == ROUNDS
    for entry in report["rounds"]:
        assert entry["ok"] > 50 and entry["kept"] and entry["error"] is None, entry
        assert entry["first_failure"] is None
        assert entry["events"] >= (0 if entry["round"] == "baseline" else 2), entry
    assert report["requests"] == sum(entry["requests"] for entry in report["rounds"])
    assert processes.mentioning(str(cluster.root)) == []
    assert_nothing_left(cluster)


NODE_SERVER = """
let ending = false;
const server = require('http').createServer((q, a) => {
  if (ending) a.setHeader('Connection', 'close');
  setTimeout(() => a.end('node\\n'), 5);
});
server.listen(PORT);
process.on('SIGINT', () => { ending = true; server.close(() => process.exit(0)); });
"""


def test_a_graceful_node_server_is_proved_and_the_table_says_so(cluster, prove, port):
    cluster.write("server.js", NODE_SERVER.replace("PORT", str(port)))
    done = prove("server.js", "--min-uptime", "200", "--drain-timeout", "1s", "--duration", "400ms", "--rate", "200", "--rounds", "reload")
    assert done.out.splitlines()[-1].startswith("verdict: kept every request"), done
    assert "server at " in done.err and "400ms each" in done.err, done  # what is to come is said before


def test_a_server_that_cuts_its_answers_when_told_to_stop_is_found_out(cluster, prove, port):
    script = server(
        cluster,
        """
def answer(connection):
    connection.sendall(CUT)
    time.sleep(0.05)  # SIGTERM ends the process here
    connection.sendall(REST)
    return True
""",
    )
    words = ("--min-uptime", "200", "--drain-timeout", "1s", "--rounds", "reload")
    done = prove(script, *words, *SHORT, "--", port, check=LOST)
    report = done.json()
    assert report["verdict"] == "lost" and report["lost"] > 0
    rounds = rounds_of(report)
    assert rounds["baseline"]["kept"], report
    assert rounds["reload"]["truncated"] > 0 and not rounds["reload"]["kept"], report
    first = rounds["reload"]["first_failure"]
    assert first["outcome"] in ("truncated", "reset") and "reload 1 of server" in first["event"], first
    assert first["address"] == f"127.0.0.1:{port}" and first["sent"].endswith("GET / HTTP/1.1"), first
    assert first["client"] in ("new", "keep-alive", "slow") and first["at_ms"] >= 0


def test_a_wrong_answer_after_each_start_is_found_out(cluster, prove, port):
    script = server(
        cluster,
        """
# A process that is started while another has served already is cold, and wrong at first.
cold = os.path.exists('warm')
signal.signal(signal.SIGTERM, lambda *_: (server.close(), time.sleep(0.3), os._exit(0)))
def answer(connection):
    if served > 10:
        open('warm', 'w').close()
    connection.sendall(WHOLE.replace(b'200 OK', b'500 Oh') if cold and served < 3 else WHOLE)
    return True
""",
    )
    done = prove(
        script, "--min-uptime", "200", "--drain-timeout", "1s", "--rounds", "restart", "--duration", "400ms", "--", port, check=LOST
    )
    assert "restart: first failing request: wrong status (status 500)" in done.out, done
    assert "HTTP/1.1 500 Oh" in done.out and "GET / HTTP/1.1" in done.out, done
    assert done.out.splitlines()[-1].startswith("verdict: lost "), done


def test_an_answer_that_never_comes_is_timed_out(cluster, prove, port):
    script = server(
        cluster,
        """
def answer(connection):
    if served % 20 == 0:
        time.sleep(100)
    connection.sendall(WHOLE)
    return True
""",
    )
    words = ("--rounds", "baseline", "--timeout", "300ms", "--min-uptime", "200")
    report = prove(script, *words, *SHORT, "--", port, check=LOST).json()
    assert report["rounds"][0]["timed_out"] > 0, report
    assert report["rounds"][0]["first_failure"]["received"] == "0 bytes"


def test_a_connection_closed_between_requests_is_no_loss(cluster, prove, port):
    script = server(
        cluster,
        """
def answer(connection):
    connection.sendall(WHOLE)
    return False
""",
    )
    words = ("--rounds", "baseline", "--min-uptime", "200")
    report = prove(script, *words, *SHORT, "--", port).json()
    assert report["rounds"][0]["ok"] > 50


def test_a_program_that_never_listens_is_no_server(prove):
    done = prove("sleep", "--listen-timeout", "300", "--min-uptime", "200", "--", "1000", check=1)
    assert "listens at no address" in done.err and "300ms" in done.err, done
    assert done.out == ""


def test_an_app_that_answers_nothing_as_wanted_is_not_judged(cluster, prove, port):
    app = cluster.ecosystem(apps.web(cluster, port))
    done = prove(app, "--expect", "404", *SHORT, check=1)
    assert done.json()["verdict"] == "unusable"
    assert [entry["round"] for entry in done.json()["rounds"]] == ["baseline"]


def test_a_program_that_fails_to_start_is_reported_with_its_output(cluster, prove):
    script = cluster.script("broken", "echo no such database >&2; exit 3")
    done = prove(script, "--max-restarts", "0", check=1)
    assert "no such database" in done.err, done


def test_a_running_app_is_proved_on_its_port_and_not_touched(cluster, prove, port):
    app = apps.web(cluster, port, instances=3, out_file=str(cluster.work / "web.log"))
    apps.start_serving(cluster, app, port)
    before = cluster.instances()
    logs = {path.name: path.read_bytes() for path in cluster.work.glob("web*.log")}
    assert logs
    report = prove("web", "-i", "2", "--rounds", "baseline", *SHORT).json()
    assert report["addresses"] == [f"127.0.0.1:{port}"] and report["verdict"] == "kept", report
    after = cluster.instances()
    assert [view["pid"] for view in before] == [view["pid"] for view in after]
    assert len(after) == 3 and http.serves(port)
    assert {path.name: path.read_bytes() for path in cluster.work.glob("web*.log")} == logs


def test_the_copy_of_a_running_app_has_its_environment(cluster, prove, port):
    script = server(
        cluster,
        """
def answer(connection):
    connection.sendall(WHOLE.replace(b'200', os.environ['WANTED'].encode()))
    return True
""",
    )
    app = apps.QUICK | {"name": "web", "script": str(script), "args": [str(port)], "env": {"WANTED": "222"}, "listen_timeout": 30000}
    cluster.start(app)
    report = prove("web", "--expect", "222", "--rounds", "baseline", *SHORT).json()
    assert report["verdict"] == "kept", report


def test_a_new_version_that_fails_is_told_with_its_last_output(cluster, prove, port):
    started = cluster.work / "started"
    script = cluster.script(
        "server",
        f"echo x >> {started}; [ $(wc -l < {started}) -gt 2 ] && echo no such database >&2 && exit 3\n"
        f"exec {cluster.program('t-http')} --port {port} --graceful",
    )
    words = ("--min-uptime", "200", "--drain-timeout", "1s", "--rounds", "reload", "--duration", "400ms", "--rate", "200")
    done = prove(script, *words, check=LOST)
    assert "reload 1 of server" in done.out and "no such database" in done.out, done
    assert done.out.splitlines()[-1] == "verdict: not proven, an operation failed", done


def test_only_the_ports_that_are_named_are_proved(cluster, prove, port):
    other = free_port()
    script = server(
        cluster,
        f"""
silent = socket.socket()
silent.bind(('127.0.0.1', {other}))
silent.listen(100)
def answer(connection):
    connection.sendall(WHOLE)
    return True
""",
    )
    words = ("--min-uptime", "200", "--drain-timeout", "1s", "--rounds", "baseline", *SHORT)
    report = prove(script, *words, "--ports", port, "--", port).json()
    assert report["verdict"] == "kept" and report["addresses"] == [f"127.0.0.1:{port}"]
    done = prove(script, *words, "--ports", "1", "--", port, check=4)
    assert str(other) in done.err and str(port) in done.err, done


def test_here_means_the_real_ports(cluster, prove, port):
    app = apps.web(cluster, port)
    report = prove(cluster.ecosystem(app), "--here", "--rounds", "baseline", *SHORT).json()
    assert report["verdict"] == "kept" and report["private_network"] is False
    apps.start_serving(cluster, app, port)
    done = prove(cluster.ecosystem(app), "--here", "--rounds", "baseline", *SHORT, check=1)
    assert "in use" in done.err, done


def test_unix_sockets_are_proved_beside_the_real_ones(cluster, prove):
    path = f"{cluster.work}/web.sock"
    app = apps.web(cluster, 0, "--inherit", listen=[f"unix:{path}"])
    apps.start_serving(cluster, app, path)
    report = prove(cluster.ecosystem(app), "--rounds", "kill", *SHORT).json()
    assert report["verdict"] == "kept" and report["rounds"][1]["events"] >= 2, report
    assert http.serves(path)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_trial_leaves_nothing(cluster, port, number):
    app = cluster.ecosystem(apps.web(cluster, port))
    trial = cluster.popen("prove", app, "--duration", "1m")
    cluster.wait_for("the private daemon", cluster.daemons)
    told = ""
    while "proving web" not in told:
        told += (line := trial.stderr.readline())
        assert line, told
    trial.send_signal(number)
    out, err = trial.communicate(timeout=20)
    assert trial.returncode == 128 + number, err
    assert "have been ended" in err
    assert processes.mentioning(str(cluster.root)) == []
    assert_nothing_left(cluster)


@pytest.mark.needs_root
def test_where_no_network_name_space_is_allowed_it_says_so(cluster, port):
    app = cluster.ecosystem(apps.web(cluster, port))
    limit = "echo 0 > /proc/sys/user/max_net_namespaces && exec \"$@\""
    # The limit belongs to the user name space it is set in, so only this command has it.
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "sh", "-c", limit, "sh", cluster.binaries.clusterd, "prove", app],
        env=cluster.environment(),
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 7, done
    assert "--here" in done.stderr
    assert_nothing_left(cluster)
