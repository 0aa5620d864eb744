"""Receivers of what the server sends: one that answers, and one that accepts everything and never says a word."""

import http.server
import socket
import threading
from collections import Counter


class SilentReceiver:
    """Accepts connections, reads nothing and answers nothing."""

    def __init__(self):
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self._kept = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                self._kept.append(self._socket.accept()[0])
            except OSError:
                return

    def url(self, path="/"):
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}{path}"

    @property
    def connections(self):
        return len(self._kept)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._socket.close()
        for each in self._kept:
            each.close()


class AnsweringReceiver:
    """Answers everything at once, and counts it by its path."""

    def __init__(self):
        self.counts = counts = Counter()

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                counts[self.path] += 1
                body = b'{"load": 1}'
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = answer

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            request_queue_size = 1024

        self._server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def url(self, path="/"):
        return f"http://127.0.0.1:{self._server.server_address[1]}{path}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
