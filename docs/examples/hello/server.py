#!/usr/bin/env python3
"""A server that knows nothing of clusterd. PORT is where it listens."""

import os
import signal
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Hello(BaseHTTPRequestHandler):
    def do_GET(self):
        body = f"hello from process {os.getpid()}\n".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = False  # server_close() waits for requests in hand
    request_queue_size = 128

    def server_bind(self):
        super().server_bind()
        self.socket.setblocking(False)  # another instance may have taken the connection we woke up for

    def get_request(self):
        connection, address = super().get_request()
        connection.setblocking(True)
        return connection, address


port = int(os.environ.get("PORT", "3000"))
server = Server(("0.0.0.0", port), Hello)
# shutdown() waits for the loop that runs in this thread, so another one has to call it.
signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
print(f"listening on {port}", flush=True)
server.serve_forever(poll_interval=0.05)
server.server_close()
