"""Protects: `serve` starts an app that serves a folder's files, and nothing else, and loses no request in a reload."""

import base64
import http.client
import os

import pytest

from harness.load import Load


@pytest.fixture
def site(cluster):
    (cluster.work / "site/docs").mkdir(parents=True)
    cluster.write("site/index.html", "<h1>home</h1>")
    cluster.write("site/docs/index.html", "docs")
    cluster.write("site/.env", "SECRET=1")
    cluster.write("secret.txt", "secret")
    os.symlink("../secret.txt", cluster.work / "site/link.txt")
    (cluster.work / "site/big.bin").write_bytes(bytes(range(256)) * 4096)
    return cluster.work / "site"


class Client:
    def __init__(self, port: int):
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)

    def ask(self, path: str, method: str = "GET", **headers) -> tuple[int, bytes, dict]:
        self._connection.request(method, path, headers={name.replace("_", "-"): text for name, text in headers.items()})
        answer = self._connection.getresponse()
        return answer.status, answer.read(), {name.lower(): text for name, text in answer.getheaders()}

    def status(self, path: str, **headers) -> int:
        return self.ask(path, **headers)[0]


def serve(cluster, port: int, *options: str) -> Client:
    cluster.run("serve", "site", str(port), "--host", "127.0.0.1", *options)
    return Client(port)


def test_a_folder_is_served_and_nothing_beside_it(cluster, port, site):
    client = serve(cluster, port)
    assert cluster.views(f"static-page-server-{port}")[0]["status"] == "online"
    status, body, headers = client.ask("/")
    assert (status, body, headers["content-type"]) == (200, b"<h1>home</h1>", "text/html; charset=utf-8")
    assert client.ask("/docs/")[1] == b"docs"
    assert client.ask("/docs")[2]["location"] == "/docs/"
    for hidden in ("/.env", "/../secret.txt", "/%2e%2e/secret.txt", "/link.txt", "/nowhere"):
        assert client.status(hidden) == 404, hidden
    assert client.status("/", method="POST") == 405
    cluster.run("delete", f"static-page-server-{port}")
    with pytest.raises(OSError):
        Client(port).ask("/")


def test_big_files_whole_in_parts_and_again(cluster, port, site):
    client = serve(cluster, port)
    content = (site / "big.bin").read_bytes()
    status, body, headers = client.ask("/big.bin")
    assert status == 200 and body == content
    assert client.ask("/big.bin", Range="bytes=1000-1999")[:2] == (206, content[1000:2000])
    assert client.ask("/big.bin", If_None_Match=headers["etag"])[:2] == (304, b"")
    status, body, headers = client.ask("/big.bin", method="HEAD")
    assert (status, body, headers["content-length"]) == (200, b"", str(len(content)))


def test_a_single_page_application_finds_its_page_everywhere(cluster, port, site):
    client = serve(cluster, port, "--spa")
    assert client.ask("/users/7")[:2] == (200, b"<h1>home</h1>")


def test_a_password_is_asked_for_and_stands_in_no_command_line(cluster, port, site):
    client = serve(cluster, port, "--basic-auth-username", "me", "--basic-auth-password", "sesame")
    assert client.status("/") == 401
    right = base64.b64encode(b"me:sesame").decode()
    assert client.status("/", Authorization=f"Basic {right}") == 200
    pid = cluster.pid(f"static-page-server-{port}")
    with open(f"/proc/{pid}/cmdline", "rb") as words:
        assert b"sesame" not in words.read()


def test_two_instances_share_the_port_and_a_reload_loses_nothing(cluster, port, site):
    serve(cluster, port, "-i", "2", "--name", "site")
    before = cluster.pids("site")
    with Load(port) as load:
        cluster.run("reload", "site")
    assert not load.tally.failures and load.answers() > 0, load.tally
    assert len(before) == 2 and not set(before) & set(cluster.pids("site"))


def test_a_folder_that_is_not_there_starts_nothing(cluster, port):
    done = cluster.run("serve", "nowhere", str(port), check=2)
    assert "nowhere is not a folder" in done.err
