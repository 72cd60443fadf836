"""Protects: programs find their declared sockets in the words they know, by name, with the rights asked for."""

import grp
import os
import shutil
import socket
import stat

import pytest

from harness import apps, http, probes
from harness.ports import free_port

TELLING_SERVER = """
import os, socket
number = eval(os.environ['FIND'], {'env': os.environ})
server = socket.socket(fileno=int(number))
while True:
    client, _ = server.accept()
    client.recv(4096)
    body = str(os.getpid()).encode()
    client.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\nConnection: close\\r\\n\\r\\n' % len(body) + body)
    client.close()
"""

# How a program of each kind comes to the number of its descriptor.
FINDERS = {
    "systemd": "3 if env['LISTEN_PID'] == str(__import__('os').getpid()) else None",
    "nginx": "env['NGINX'].split(';')[0]",
    "unicorn": "env['UNICORN_FD'].split(',')[0]",
    "php-fpm": "dict(p.split('=') for p in env['FPM_SOCKETS'].split(','))['127.0.0.1:' + env['AT']]",
    "puma": "env['PUMA_INHERIT_0'].removesuffix(':tcp://127.0.0.1:' + env['AT'])",
    "einhorn": "env['EINHORN_FD_0'] if env['EINHORN_MASTER_PID'] == str(__import__('os').getppid()) else None",
    "server-starter": "dict(p.split('=') for p in env['SERVER_STARTER_PORT'].split(';'))['127.0.0.1:' + env['AT']]",
    "gunicorn": "env['GUNICORN_FD'] if env['GUNICORN_PID'] == str(__import__('os').getppid()) else None",
    "uwsgi": "env['UPSTART_FDS'] if env['UPSTART_EVENTS'] == 'socket' else None",
    "overseer": "2 + int(env['OVERSEER_NUM_FDS']) if env['OVERSEER_IS_SLAVE'] == '1' else None",
}


def finder(port: int, how: str, **keys) -> dict:
    return (
        apps.QUICK
        | {
            "name": "web",
            "script": "/usr/bin/python3",
            "args": ["-c", TELLING_SERVER],
            "listen": [f"127.0.0.1:{port}"],
            "env": {"FIND": how, "AT": str(port)},
        }
        | keys
    )


@pytest.mark.parametrize("protocol", FINDERS)
def test_a_program_finds_its_socket_in_its_own_words(cluster, port, protocol):
    cluster.start(finder(port, FINDERS[protocol], socket_protocol=protocol))
    assert http.get(port) == str(cluster.pid("web"))


@pytest.mark.parametrize("protocol", [p for p in FINDERS if p not in ("gunicorn", "uwsgi", "overseer")])
def test_auto_speaks_all_that_do_no_harm(cluster, port, protocol):
    cluster.start(finder(port, FINDERS[protocol]))
    assert http.get(port) == str(cluster.pid("web"))


def test_a_chosen_protocol_is_the_only_one(cluster, port):
    cluster.start(apps.probe(cluster, listen=[f"127.0.0.1:{port}"], socket_protocol=["nginx"]))
    environment = probes.of_app(cluster)["environment"]
    assert environment["NGINX"] == "3;"
    assert not {"LISTEN_FDS", "UNICORN_FD", "PORT", "FPM_SOCKETS"} & set(environment)


def test_without_listen_nothing_is_said(cluster):
    cluster.start(apps.probe(cluster))
    environment = probes.of_app(cluster)["environment"]
    assert not {"LISTEN_FDS", "NGINX", "UNICORN_FD", "PORT", "EINHORN_FD_COUNT"} & set(environment)


def test_port_is_said_once_known_and_never_instead_of_the_apps_own(cluster):
    cluster.start(
        apps.probe(cluster, name="any", listen=["127.0.0.1:0"]),
        apps.probe(cluster, name="own", listen=[f"127.0.0.1:{free_port()}"], env={"PORT": "7"}),
        apps.probe(cluster, name="two", listen=[f"127.0.0.1:{free_port()}", "[::1]:0"]),
    )
    address = cluster.run("describe", "any", "--json").json()["apps"][0]["listeners"][0]["address"]
    assert probes.of_app(cluster, "any")["environment"]["PORT"] == address.rsplit(":", 1)[1]
    assert probes.of_app(cluster, "own")["environment"]["PORT"] == "7"
    assert "PORT" not in probes.of_app(cluster, "two")["environment"]


def test_names_and_references_lead_to_the_descriptor(cluster, port):
    cluster.start(
        finder(
            port,
            "env['WEB_FD']",
            listen=["[::1]:0", {"address": f"127.0.0.1:{port}", "name": "web"}],
            env={"FIND": "env['WEB_FD']", "WEB_FD": "${socket.web}", "BOTH": "${socket.listen0}${socket.web}"},
        ),
        apps.probe(
            cluster, "--", "${socket.a}", listen=[{"address": "127.0.0.1:0", "name": "a"}, "unix:@" + cluster.root.name]
        ),
    )
    assert http.get(port) == str(cluster.pid("web"))
    found = probes.of_app(cluster)
    assert found["environment"]["LISTEN_FDNAMES"] == "a:listen1" and found["argv"][-1] == "3"


def test_an_unknown_name_is_an_error_of_its_field(cluster, port):
    done = cluster.start(finder(port, "0", args=["-c", "pass", "${socket.wob}"]), check=None)
    assert done.status != 0 and "args[2]" in done.err and "wob" in done.err, done


def test_nginx_inherits_its_socket_and_keeps_it_over_a_reload(cluster, port):
    if not shutil.which("nginx"):
        pytest.skip("nginx is not installed")
    prefix = cluster.folder("nginx")
    config = cluster.write(
        "nginx.conf",
        f"""
        daemon off; master_process on; worker_processes 1; pid nginx.pid; error_log stderr notice;
        events {{ worker_connections 64; }}
        http {{ access_log off; client_body_temp_path b; proxy_temp_path p; fastcgi_temp_path f;
          uwsgi_temp_path u; scgi_temp_path s;
          server {{ listen 127.0.0.1:{port}; location / {{ return 200 "nginx\\n"; }} }} }}
        """,
    )
    cluster.start(
        apps.QUICK
        | {
            "name": "web",
            "script": shutil.which("nginx"),
            "args": ["-e", "stderr", "-p", str(prefix), "-c", str(config)],
            "exec_mode": "fork",  # nothing but NGINX= can have brought it to its socket
            "kill_signal": "SIGQUIT",
            "listen": [f"127.0.0.1:{port}"],
        }
    )
    assert http.get(port) == "nginx\n"
    assert "using inherited sockets from" in cluster.log("web", "error")
    cluster.run("restart", "web")
    assert http.get(port) == "nginx\n"


@pytest.mark.parametrize("protocol", ["auto", "gunicorn"])
def test_gunicorn_serves_from_the_inherited_socket(cluster, port, protocol):
    if not os.access("/usr/bin/gunicorn", os.X_OK):
        pytest.skip("gunicorn is not installed")
    cluster.write(
        "hello.py",
        "def app(environ, start):\n    start('200 OK', [('Content-Type', 'text/plain')])\n    return [b'gunicorn']\n",
    )
    cluster.start(
        apps.QUICK
        | {
            "name": "web",
            "script": "/usr/bin/gunicorn",
            "interpreter": "/usr/bin/python3",
            "args": ["hello:app"],
            "cwd": str(cluster.work),
            "exec_mode": "fork",
            "listen": [f"127.0.0.1:{port}"],
            "socket_protocol": protocol,
        }
    )
    assert "gunicorn" in http.get(port)


def test_php_fpm_takes_its_socket_by_its_address(cluster, port):
    program = shutil.which("php-fpm8.2", path="/usr/sbin:/usr/bin")
    if not program or os.geteuid() != 0:
        pytest.skip("php-fpm is not installed, or not root")
    config = cluster.write(
        "fpm.conf",
        f"[global]\nerror_log = /proc/self/fd/2\nlog_level = debug\ndaemonize = no\n"
        f"[www]\nuser = nobody\ngroup = nogroup\nlisten = 127.0.0.1:{port}\npm = static\npm.max_children = 1\n",
    )
    cluster.start(
        apps.QUICK
        | {
            "name": "fpm",
            "script": program,
            "args": ["-n", "-F", "-y", str(config)],
            "exec_mode": "fork",
            "listen": [f"127.0.0.1:{port}"],
        }
    )
    cluster.wait_for("its word", lambda: f"using inherited socket fd=3, \"127.0.0.1:{port}\"" in cluster.log("fpm", "error"))


@pytest.mark.needs_root
def test_a_unix_socket_has_the_rights_asked_for(cluster, port):
    path = cluster.root / "web.sock"
    group = grp.getgrgid(65534).gr_name
    item = {"address": f"unix:{path}", "mode": "0660", "owner": "nobody", "group": group}
    cluster.start(apps.web(cluster, port, "--inherit", listen=[item]))
    about = path.stat()
    assert stat.S_ISSOCK(about.st_mode) and stat.S_IMODE(about.st_mode) == 0o660
    assert (about.st_uid, about.st_gid) == (65534, 65534)
    assert http.get(str(path))
    cluster.start(apps.web(cluster, port, "--inherit", listen=[item | {"mode": "0666"}]))
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 and http.get(str(path))


def test_a_mode_without_owner_needs_no_root(any_user_cluster, port):
    path = any_user_cluster.work / "web.sock"
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(path))
    os.chown(path, any_user_cluster.user.uid, -1)
    any_user_cluster.start(
        apps.web(any_user_cluster, port, "--inherit", listen=[{"address": str(path), "mode": "0600"}])
    )
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and http.get(str(path))


def test_an_unknown_owner_is_a_clear_error(cluster, port):
    item = {"address": str(cluster.root / "x.sock"), "owner": "no-such-user"}
    done = cluster.start(apps.web(cluster, port, "--inherit", listen=[item], max_restarts=1), check=None)
    assert done.status != 0 and "no-such-user" in done.err, done
