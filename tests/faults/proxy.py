"""A line between a server and its database that can go dead without telling either end.

`blackhole` stops forwarding and closes nothing, which is what a lost route looks like: bytes that were sent are neither
delivered nor refused. `heal` lets everything through that was held. `cut` breaks all connections at once.
"""

import contextlib
import socket
import threading

CHUNK = 65536


class Proxy:
    """`with Proxy(port) as proxy`: forwards proxy.port to `port`, both on loopback."""

    def __init__(self, port):
        self._to = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._open = threading.Event()
        self._open.set()
        self._lock = threading.Lock()
        self._sockets = set()
        self._ended = False
        threading.Thread(target=self._accept, daemon=True).start()

    def blackhole(self):
        self._open.clear()

    def heal(self):
        self._open.set()

    def cut(self):
        with self._lock:
            sockets, self._sockets = self._sockets, set()
        for each in sockets:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        return len(sockets) // 2

    def _accept(self):
        while not self._ended:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._join, args=(client,), daemon=True).start()

    def _join(self, client):
        self._open.wait()
        try:
            server = socket.create_connection(self._to, timeout=5)
            server.settimeout(None)
        except OSError:
            client.close()
            return
        with self._lock:
            self._sockets |= {client, server}
        threading.Thread(target=self._pump, args=(client, server), daemon=True).start()
        self._pump(server, client)

    def _pump(self, source, sink):
        with contextlib.suppress(OSError):
            while chunk := source.recv(CHUNK):
                self._open.wait()
                sink.sendall(chunk)
        self._open.wait()  # a dead line tells nobody that the other end closed
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_WR)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._ended = True
        self._listener.close()
        self._open.set()
        self.cut()
