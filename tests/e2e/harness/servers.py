"""App objects of servers of several kinds that answer their pid; each is ready when it listens."""

from . import apps
from .cluster import Cluster

READY = apps.QUICK | {"name": "web", "ready": "listening"}

NODE_SERVER = """
const server = require('http').createServer((q, a) => a.end(process.pid + '\\n'));
server.keepAliveTimeout = 100000;
server.listen(PORT);
process.on('SIGINT', () => { server.close(() => process.exit(0)); server.closeIdleConnections(); });
"""

PYTHON_SERVER = """
import http.server, os
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    disable_nagle_algorithm = True
    def log_message(self, *words): pass
    def do_GET(self):
        body = b'%d\\n' % os.getpid()
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
http.server.ThreadingHTTPServer(('127.0.0.1', PORT), Handler).serve_forever()
"""


def epoll(cluster: Cluster, port: int, *args, **keys) -> dict:
    words = ["--port", str(port), *map(str, args)]
    return READY | {"script": cluster.program("t-epoll"), "args": words} | keys


def node(cluster: Cluster, port: int, **keys) -> dict:
    cluster.write("server.js", NODE_SERVER.replace("PORT", str(port)))
    return READY | {"script": "server.js"} | keys


def python(cluster: Cluster, port: int, **keys) -> dict:
    cluster.write("server.py", PYTHON_SERVER.replace("PORT", str(port)))
    return READY | {"script": "/usr/bin/python3", "args": ["server.py"]} | keys


KINDS = {
    "epoll": epoll,
    "epoll exclusive": lambda cluster, port, **keys: epoll(cluster, port, "--exclusive", **keys),
    "node": node,
    "python": python,
}
