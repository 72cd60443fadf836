"""Protects: a Node program with a number of instances is a worker of the daemon, as of Node's own cluster module."""

import json
import shutil
import signal
import socket
import threading

import pytest

from harness import apps, http, processes
from harness.load import Load
from harness.ports import free_port
from harness.waiting import wait_for

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="needs Node")

# Answers who it is; WHERE is whatever listen() takes.
PLAIN = """
const http = require('http'), cluster = require('cluster');
const facts = () => JSON.stringify({pid: process.pid, worker: cluster.isWorker, primary: cluster.isPrimary,
  id: cluster.worker && cluster.worker.id, instance: process.env.NODE_APP_INSTANCE,
  left: Object.keys(process.env).filter(name => /^NODE_(CHANNEL|UNIQUE)/.test(name))});
const server = http.createServer((q, a) => a.end(facts())).listen(WHERE);
process.on('SIGINT', () => server.close());
"""


def node_app(cluster, text: str, **keys) -> dict:
    cluster.write("app.js", text)
    return apps.QUICK | {"name": "web", "script": "app.js"} | keys


def plain(cluster, on, **keys) -> dict:
    return node_app(cluster, PLAIN.replace("WHERE", str(on)), **keys)


def answers(target, count: int) -> list[dict]:
    """One answer of each of `count` processes."""
    return sorted((json.loads(text) for text in distinct(target, count)), key=lambda one: one.get("id") or 0)


def distinct(target, count: int) -> set[str]:
    """The first start of a slow booting server is online before it listens."""
    wait_for("the first answer", lambda: http.serves(target), 20)
    return http.distinct_answers(target, count, 40)


def lines(cluster, count: int, slots: int = 1) -> list[list[str]]:
    """What each instance wrote, as soon as all have written `count` lines."""

    def complete():
        logs = [cluster.log("web", slot=slot).splitlines() for slot in range(slots)]
        return logs if all(len(log) >= count for log in logs) else None

    return cluster.wait_for(f"{count} lines of {slots} instances", complete)


def test_a_plain_server_with_a_number_of_instances_is_a_worker(any_user_cluster, port):
    cluster = any_user_cluster
    cluster.start(plain(cluster, port, instances=4))
    seen = answers(port, 4)
    assert sorted(one["pid"] for one in seen) == sorted(cluster.pids("web"))
    assert [one["id"] for one in seen] == [1, 2, 3, 4]
    assert [one["instance"] for one in seen] == ["0", "1", "2", "3"]
    assert all(one["worker"] and not one["primary"] and one["left"] == [] for one in seen), seen


@pytest.mark.parametrize("keys", [{}, {"instances": 2, "exec_mode": "fork"}])
def test_who_did_not_ask_for_workers_is_its_own_primary(cluster, port, keys):
    text = PLAIN.replace("WHERE", f"{port} + Number(process.env.NODE_APP_INSTANCE)")
    cluster.start(node_app(cluster, text, **keys))
    seen = json.loads(wait_for("an answer", lambda: http.serves(port) and http.get(port)))
    assert seen["primary"] and not seen["worker"] and seen["left"] == []


def test_the_mode_cluster_written_out_asks_for_a_worker(cluster, port):
    cluster.start(plain(cluster, port, exec_mode="cluster"))
    assert answers(port, 1)[0]["worker"]


def test_a_script_with_a_shebang_of_node_is_a_worker(cluster, port):
    cluster.write("serve", "#!/usr/bin/env node\n" + PLAIN.replace("WHERE", str(port)), 0o755)
    cluster.start(apps.QUICK | {"name": "web", "script": "./serve", "instances": 2})
    assert [one["id"] for one in answers(port, 2)] == [1, 2]


FORKING = """
const cluster = require('cluster'), http = require('http');
if (cluster.isPrimary) { cluster.fork(); cluster.fork(); process.on('SIGINT', () => process.exit()); }
else http.createServer((q, a) => a.end(JSON.stringify({pid: process.pid, id: cluster.worker.id}))).listen(PORT);
"""


def test_a_cluster_program_forks_nothing_where_the_daemon_is_the_primary(cluster, port):
    cluster.start(node_app(cluster, FORKING.replace("PORT", str(port)), instances=4))
    assert sorted(one["pid"] for one in answers(port, 4)) == sorted(cluster.pids("web"))
    assert not [pid for leader in cluster.pids("web") for pid in processes.children(leader)]


def test_a_cluster_program_started_alone_forks_its_own_workers(cluster, port):
    cluster.start(node_app(cluster, FORKING.replace("PORT", str(port))))
    seen = [one["pid"] for one in answers(port, 2)]
    assert sorted(seen) == sorted(processes.children(cluster.pid("web")))


@pytest.mark.parametrize("keys", [{"instances": 2}, {}, {"exec_mode": "fork"}])
def test_process_send_ready_is_what_wait_ready_waits_for(cluster, port, keys):
    text = f"require('http').createServer().listen({port}, () => setTimeout(() => process.send('ready'), 700));"
    app = node_app(cluster, text, wait_ready=True, **keys)
    assert cluster.start(app).seconds > 0.7
    assert set(cluster.statuses("web")) == {"online"}


def test_wait_ready_without_the_message_is_a_failed_start(cluster, port):
    text = f"require('http').createServer().listen({port}, () => process.send('nearly ready'));"
    app = node_app(cluster, text, wait_ready=True, instances=1, listen_timeout=700)
    cluster.start(app, check=1)


def test_port_0_is_one_port_in_all_workers_and_another_for_a_second_server(cluster):
    text = """
    const net = require('net'), one = net.createServer(c => c.end(String(process.pid))), two = net.createServer();
    one.listen(0, () => two.listen(0, () => console.log(one.address().port, two.address().port)));
    """
    cluster.start(node_app(cluster, text, instances=3))
    ports = {log[0] for log in lines(cluster, 1, 3)}
    assert len(ports) == 1, ports
    first, second = map(int, ports.pop().split())
    assert first != second

    def answering_pid(_):
        with http.connect(first) as client:
            return int(http.read_all(client))

    assert set(map(answering_pid, range(60))) == set(cluster.pids("web"))


def test_two_ports_of_one_worker(cluster, port):
    other = free_port()
    text = f"""
    const http = require('http'), serve = port => http.createServer((q, a) => a.end(String(process.pid))).listen(port);
    serve({port}); serve({{port: {other}, host: '127.0.0.1'}});
    """
    cluster.start(node_app(cluster, text, instances=2))
    for target in (port, other):
        assert distinct(target, 2) == set(map(str, cluster.pids("web")))


def test_a_unix_socket_is_shared_and_outlives_a_worker_that_closes_it(any_user_cluster):
    cluster = any_user_cluster
    path = cluster.work / "web.sock"
    text = """
    const http = require('http'), server = http.createServer((q, a) => {
      a.end(String(process.pid)); if (q.url == '/close') server.close(); }).listen(PATH);
    """
    cluster.start(node_app(cluster, text.replace("PATH", json.dumps(str(path))), instances=2))
    everyone = set(map(str, cluster.pids("web")))
    assert distinct(path, 2) == everyone
    closed = http.get(path, "/close")
    left = (everyone - {closed}).pop()
    assert [http.get(path) for _ in range(20)] == [left] * 20
    assert path.owner() == cluster.user.name or cluster.user.is_caller
    cluster.run("delete", "web")
    assert not path.exists()


def test_a_unix_socket_for_everybody(cluster):
    path = cluster.work / "web.sock"
    on = json.dumps({"path": str(path), "readableAll": True, "writableAll": True})
    apps.start_serving(cluster, plain(cluster, on, instances=2), path)
    assert path.stat().st_mode & 0o777 == 0o777


def test_a_unix_socket_whose_file_the_program_removes_before_it_listens(cluster):
    path = cluster.work / "web.sock"
    text = f"try {{ require('fs').unlinkSync('{path}'); }} catch {{}}" + PLAIN.replace("WHERE", json.dumps(str(path)))
    app = node_app(cluster, text, instances=2)
    apps.start_serving(cluster, app, path)
    cluster.run("reload", "web")
    assert http.serves(path)


@pytest.mark.needs_root
def test_the_daemon_opens_nothing_that_the_user_of_the_app_could_not(cluster, port):
    text = """
    const net = require('net');
    const show = name => error => console.log(name, error.code);
    net.createServer().on('error', show('path')).listen('PATH/stolen.sock');
    net.createServer().on('error', show('port')).listen(81);
    require('dgram').createSocket('udp4').on('error', show('udp')).bind(82);
    """
    app = node_app(cluster, text.replace("PATH", str(cluster.root)), instances=1, uid="nobody")
    cluster.start(app, words=["--no-wait"])
    assert sorted(lines(cluster, 3)[0]) == ["path EACCES", "port EACCES", "udp EACCES"]


def test_datagram_sockets_are_shared(cluster, port):
    text = f"""
    const socket = require('dgram').createSocket('udp4');
    socket.on('message', (m, from) => socket.send(String(process.pid), from.port, from.address));
    socket.bind({port}, '127.0.0.1', () => console.log(socket.address().port));
    """
    cluster.start(node_app(cluster, text, instances=2))
    lines(cluster, 1, 2)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(5)
        client.sendto(b"who", ("127.0.0.1", port))
        assert int(client.recv(100)) in cluster.pids("web")


def test_an_address_in_use_is_an_error_event(cluster, port):
    text = f"""
    const net = require('net');
    net.createServer().on('error', e => console.log(e.code, e.syscall, e.port)).listen({port}, '127.0.0.1');
    const mine = net.createServer().listen({free_port()}, () =>
      net.createServer().on('error', e => console.log('twice', e.code)).listen(mine.address().port));
    """
    with socket.create_server(("127.0.0.1", port)):
        cluster.start(node_app(cluster, text, instances=1))
        assert sorted(lines(cluster, 2)[0]) == [f"EADDRINUSE bind {port}", "twice EADDRINUSE"]


def test_an_exclusive_listen_bypasses_the_primary(cluster, port):
    cluster.start(plain(cluster, f"{{port: {port}, exclusive: true}}", instances=2))
    assert [one["id"] for one in answers(port, 2)] == [1, 2]


def test_a_declared_address_is_the_one_a_worker_gets(cluster, port):
    cluster.start(plain(cluster, port, instances=2, listen=[port]))
    assert [one["id"] for one in answers(port, 2)] == [1, 2]


def test_a_worker_may_listen_on_a_descriptor_it_has_inherited(cluster, port):
    cluster.start(plain(cluster, "{fd: 3}", instances=2, listen=[port]))
    assert [one["id"] for one in answers(port, 2)] == [1, 2]


SLOW = """
const server = require('http').createServer((q, a) => setTimeout(() => a.end('answer\\n'), q.url == '/slow' ? 1500 : 5));
server.listen(PORT);
process.on('SIGINT', () => server.close());
"""


def test_reloads_under_load_lose_nothing_and_wait_for_a_slow_request(cluster, port):
    app = node_app(cluster, SLOW.replace("PORT", str(port)), instances=2, kill_timeout=8000)
    apps.start_serving(cluster, app, port)
    slow = []
    asking = threading.Thread(target=lambda: slow.append(http.get(port, "/slow", timeout=10)))
    with Load(port, rate=60, keepalive=4) as load:
        asking.start()
        for _ in range(2):
            before = cluster.pids("web")
            cluster.run("reload", "web")
            cluster.wait_gone(*before)
    asking.join()
    assert slow == ["answer\n"]
    assert not load.tally.failures, load.tally
    assert sum(load.tally.ok.values()) > 50


def test_a_worker_that_closes_its_servers_at_the_stop_signal_ends_by_itself(cluster, port):
    apps.start_serving(cluster, plain(cluster, port, instances=2, kill_timeout=30_000), port)
    assert cluster.run("stop", "web").seconds < 10


def test_shutdown_with_message(cluster, port):
    text = """
    require('http').createServer().listen(PORT);
    process.on('SIGINT', () => console.log('signal'));
    process.on('message', m => { console.log(m); process.exit(); });
    """
    app = node_app(cluster, text.replace("PORT", str(port)), shutdown_with_message=True, kill_timeout=20_000)
    for keys in ({"instances": 1}, {}):
        cluster.start(app | keys)
        cluster.run("stop", "web")
        cluster.run("delete", "web")
    assert (cluster.log("web", slot=0) + cluster.log("web")).split() == ["shutdown", "shutdown"]


def test_a_worker_may_leave_and_is_replaced(cluster, port):
    text = """
    const cluster = require('cluster');
    require('http').createServer((q, a) => {
      if (q.url == '/leave') setImmediate(() => cluster.worker.disconnect());
      a.end(String(process.pid)); }).listen(PORT);
    """
    apps.start_serving(cluster, node_app(cluster, text.replace("PORT", str(port)), instances=2), port)
    gone = int(http.get(port, "/leave"))
    cluster.wait_gone(gone)
    cluster.wait_status("web", "online", 2)
    assert distinct(port, 2) == set(map(str, cluster.pids("web")))


def test_messages_of_all_kinds_do_no_harm(cluster, port):
    text = """
    const net = require('net');
    process.send('x'.repeat(2 * 1024 * 1024));
    for (const odd of [0, true, 'shutdown', [], {}, {cmd: 7}, {cmd: 'NODE_X'}, {cmd: 'NODE_CLUSTER'},
      {cmd: 'NODE_CLUSTER', act: 'queryServer', port: 1e9, addressType: {}, address: 5, index: [], seq: 'a'},
      {cmd: 'NODE_CLUSTER', act: 'close', key: 1}, {cmd: 'NODE_HANDLE_ACK'}, {cmd: 'NODE_HANDLE_NACK'}])
      process.send(odd);
    const pair = net.createServer(c => process.send('mine', c, () => {
      http.listen(PORT); })).listen(0, () => net.connect(pair.address().port).on('error', () => {}));
    const http = require('http').createServer((q, a) => a.end(String(process.pid)));
    """
    cluster.start(node_app(cluster, text.replace("PORT", str(port)), instances=2))
    cluster.wait_for("an answer", lambda: http.serves(port))
    assert distinct(port, 2) == set(map(str, cluster.pids("web")))
    assert cluster.daemon_log().count("was skipped") == 2


def test_a_worker_may_close_its_server_and_listen_again(cluster, port):
    text = """
    const server = require('http').createServer((q, a) => a.end(String(process.pid)));
    let rounds = 0;
    server.on('listening', () => { if (++rounds < 5) server.close(() => server.listen(PORT)); });
    server.listen(PORT);
    """
    cluster.start(node_app(cluster, text.replace("PORT", str(port)), instances=2))
    assert distinct(port, 2) == set(map(str, cluster.pids("web")))


def test_tls_session_tickets_are_those_of_all_workers(cluster):
    text = """
    const tls = require('tls'), server = tls.createServer({}, c => c.end());
    server.listen(0, () => console.log(server.getTicketKeys().toString('hex')));
    """
    cluster.start(node_app(cluster, text, instances=3))
    assert len({log[0] for log in lines(cluster, 1, 3)}) == 1


@pytest.mark.skipif(not shutil.which("npm"), reason="needs npm")
def test_behind_npm_a_server_goes_on_as_before(cluster, port):
    cluster.write("package.json", '{"scripts": {"start": "node app.js"}}')
    cluster.write("app.js", PLAIN.replace("WHERE", str(port)))
    cluster.start(apps.QUICK | {"name": "web", "script": "npm", "args": ["start"], "instances": 2}, timeout=100)
    wait_for("both to answer", lambda: len(answers(port, 2)) == 2, 60)
    assert not any(one["worker"] for one in answers(port, 2))


def test_behind_a_wrapper_like_tsx_a_server_goes_on_as_before(cluster, port):
    """tsx and its kin are Node scripts that start Node again and pass a channel of their own to it."""
    wrapper = """#!/usr/bin/env node
    const child = require('child_process').spawn(process.execPath, process.argv.slice(2), {stdio: ['inherit',
      'inherit', 'inherit', 'ipc']});
    process.on('SIGINT', () => {});
    child.on('exit', code => process.exit(code || 0));
    """
    cluster.write("bin/tsx", wrapper, 0o755)
    cluster.write("app.js", PLAIN.replace("WHERE", str(port)) + "process.on('SIGINT', () => process.exit());")
    app = apps.QUICK | {"name": "web", "script": "app.js", "interpreter": str(cluster.work / "bin/tsx")}
    apps.start_serving(cluster, app | {"instances": 2}, port)
    assert not any(one["worker"] for one in answers(port, 2))


def test_a_daemon_started_out_of_a_worker_passes_its_variables_to_nobody(cluster, port):
    stale = {"NODE_CHANNEL_FD": "77", "NODE_UNIQUE_ID": "9", "NODE_CHANNEL_SERIALIZATION_MODE": "advanced"}
    cluster.run("start", cluster.ecosystem(plain(cluster, port), apps.probe(cluster, name="other")), env=stale)
    assert not json.loads(wait_for("an answer", lambda: http.serves(port) and http.get(port)))["worker"]
    environment = processes.environment(cluster.pid("other"))
    assert b"NODE_CHANNEL" not in environment and b"NODE_UNIQUE_ID" not in environment


def test_a_start_with_a_number_makes_workers_of_a_running_app(cluster, port):
    apps.start_serving(cluster, plain(cluster, port), port)
    before = cluster.pid("web")
    cluster.start(plain(cluster, port, instances=2))
    cluster.wait_gone(before)
    assert all(one["worker"] for one in answers(port, 2))


def test_a_crashed_worker_comes_back_as_the_same_worker(cluster, port):
    cluster.start(plain(cluster, port, instances=2))
    victim = cluster.pids("web")[1]
    processes.send_signal(victim, signal.SIGKILL)
    cluster.wait_for("the next life", lambda: len(cluster.pids("web")) == 2 and victim not in cluster.pids("web"))
    cluster.wait_status("web", "online", 2)
    assert [one["id"] for one in answers(port, 2)] == [1, 2]
