"""How a server ends: nobody who keeps a connection loses a request, and whoever sends requests here can notice in
time."""

import contextlib
import http.client
import json
import os
import signal
import socket
import sqlite3
import threading
import time
import unittest

from server import EVERY_SECOND, PATIENCE_S, SCHEDULES, Server, eventually

CLIENTS = 8
ENDED = (ConnectionRefusedError,)  # nothing was sent: nobody listens any more
PATIENCE_OF_THE_SERVER_S = 0.5  # with a connection that brings no request


class KeepAlive(threading.Thread):
    """Sends one request after the other, on one connection for as long as the server lets it, until nobody listens any
    more."""

    def __init__(self, server, path="/health"):
        super().__init__(daemon=True)
        self.port = int(server.url.rsplit(":", 1)[1])
        self.path = path
        self.answered = 0
        self.told_to_close = 0
        self.broken = []
        self.start()

    def run(self):
        connection = None
        while True:
            if connection is None:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
                try:
                    connection.connect()
                except ENDED:
                    return
            sent = idle_since = time.monotonic()
            try:
                connection.request("GET", self.path)
                sent = time.monotonic()
                answer = connection.getresponse()
                answer.read()
                if answer.status != 200:
                    self.broken.append(answer.status)
                self.answered += 1
                if answer.getheader("Connection") == "close":
                    self.told_to_close += 1
                    connection.close()
                    connection = None
            except (OSError, http.client.HTTPException) as error:
                # A client that a busy machine kept from sending for so long may have to send again.
                if sent - idle_since < PATIENCE_OF_THE_SERVER_S:
                    self.broken.append(f"{error!r} after {sent - idle_since:.3f} s")
                connection.close()
                connection = None


def ask(connection, path, body=None):
    connection.request("POST" if body is not None else "GET", path, body and json.dumps(body),
                       {"Content-Type": "application/json"} if body else {})
    answer = connection.getresponse()
    return answer.status, answer.getheader("Connection"), answer.read()


def silent_port(test):
    """A receiver that accepts and never answers; `test.asked` has its connections."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    test.addCleanup(listener.close)
    test.asked = []

    def accept():
        while True:
            try:
                test.asked.append(listener.accept()[0])
            except OSError:
                return

    threading.Thread(target=accept, daemon=True).start()
    test.addCleanup(lambda: [each.close() for each in test.asked])
    return listener.getsockname()[1]


class Shutdown(unittest.TestCase):
    def connect(self, server):
        port = int(server.url.rsplit(":", 1)[1])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        self.addCleanup(connection.close)
        connection.connect()
        return connection

    def end_under_load(self, *flags):
        with Server("--rate-limit", "0", *flags) as server:
            server.wait_until_ready()
            clients = [KeepAlive(server) for _ in range(CLIENTS)]
            for client in clients:
                eventually("requests", lambda client=client: client.answered > 20)
            server.send(signal.SIGTERM)
            for client in clients:
                client.join(PATIENCE_S)
                self.assertFalse(client.is_alive())
            self.assertEqual(server.wait(), 0, server.log)
        self.assertEqual([client.broken for client in clients], [[]] * CLIENTS)
        self.assertTrue(any(client.told_to_close for client in clients))

    def test_no_request_on_a_kept_connection_is_cut(self):
        self.end_under_load()

    def test_nor_during_the_delay(self):
        self.end_under_load("--shutdown-delay", "1s")

    def test_during_the_delay_it_is_not_ready_and_serves_everybody(self):
        with Server("--shutdown-delay", "1h", "--min-interval", "1s") as server:
            server.wait_until_ready()
            kept = self.connect(server)
            status, connection, _ = ask(kept, "/readyz")
            self.assertEqual((status, connection == "close"), (200, False))
            server.send(signal.SIGTERM)
            server.said("shutting down")
            eventually("that it is not ready", lambda: server.ask("GET", "/readyz")[0] == 503)
            self.assertEqual(server.ask("GET", SCHEDULES)[0], 200, "a new connection")
            status, connection, _ = ask(kept, "/health")
            self.assertEqual((status, connection), (200, "close"), "one that was there")
            self.assertEqual(server.ask("POST", SCHEDULES, EVERY_SECOND)[0], 201, "and it works")
            server.send(signal.SIGTERM)
            self.assertEqual(server.wait(), 128 + signal.SIGTERM, "a second signal ends the server at once")

    def test_a_connection_that_is_idle_may_still_bring_a_request(self):
        """One that was sent just when the server closed its door, as far as its client knows."""
        with Server() as server:
            server.wait_until_ready()
            idle = [self.connect(server) for _ in range(CLIENTS)]
            for each in idle:
                self.assertEqual(ask(each, "/health")[0], 200)
            server.send(signal.SIGTERM)
            server.said("shutting down")
            self.assertEqual([ask(each, "/health")[:2] for each in idle], [(200, "close")] * CLIENTS)
            self.assertEqual(server.wait(), 0)

    def test_a_connection_that_stays_idle_is_told_that_nothing_follows(self):
        with Server() as server:
            server.wait_until_ready()
            idle = self.connect(server)
            self.assertEqual(ask(idle, "/health")[0], 200)
            server.send(signal.SIGTERM)
            self.assertEqual(idle.sock.recv(1), b"", "an end, and no reset")
            self.assertEqual(server.wait(), 0)

    def test_a_claim_that_waits_ends_with_its_empty_answer(self):
        with Server() as server:
            server.wait_until_ready()
            waiting = self.connect(server)
            waiting.request("POST", "/api/tenants/default/tasks/claim", json.dumps({"worker": "w", "waitMs": 60_000}),
                            {"Content-Type": "application/json"})
            server.send(signal.SIGTERM)
            answer = waiting.getresponse()
            self.assertEqual((answer.status, answer.getheader("Connection")), (200, "close"))
            self.assertEqual(json.load(answer), {"items": []})
            self.assertEqual(server.wait(), 0)

    def test_a_change_that_waits_for_a_silent_signal_is_refused_and_keeps_nobody(self):
        """Nothing was changed, and its client may ask the next server."""
        signal_url = "http://127.0.0.1:%d/" % silent_port(self)
        schedule = {**EVERY_SECOND, "preDispatchCondition": {"/signal_rpc_result/load": {"lt": 5}},
                    "signal": {"url": signal_url, "timeoutMs": 30_000}}
        with Server("--outgoing-allow", "127.0.0.0/8", "--min-interval", "1s", "--drain-seconds", "60") as server:
            server.wait_until_ready()
            self.assertEqual(server.ask("POST", SCHEDULES, schedule)[0], 201)
            due = f"{SCHEDULES}/every-second"
            eventually("that it is due", lambda: self.asked)
            waiting = [self.connect(server) for _ in range(20)]  # more than the server has threads
            for each in waiting:
                each.request("POST", due + "/pause", "{}", {"Content-Type": "application/json"})
            self.assertEqual(server.ask("GET", due)[0], 200, "no thread waits with them")
            server.send(signal.SIGTERM)
            answers = [each.getresponse() for each in waiting]
            self.assertEqual([(each.status, each.getheader("Connection")) for each in answers],
                             [(503, "close")] * len(waiting))
            self.assertEqual(server.wait(), 0)

    def test_a_stream_of_events_ends_with_its_last_chunk(self):
        with Server() as server:
            server.wait_until_ready()
            stream = self.connect(server)
            stream.request("GET", "/api/tenants/default/events")
            answer = stream.getresponse()
            self.assertEqual(answer.status, 200)
            server.send(signal.SIGTERM)
            answer.read()  # raises IncompleteRead unless the last chunk comes
            self.assertEqual(server.wait(), 0)

    def test_a_request_that_does_not_end_is_left_behind_after_the_drain_time(self):
        with Server("--drain-seconds", "0", "--min-interval", "1s", "--log-level", "debug") as server:
            server.wait_until_ready()
            with contextlib.closing(sqlite3.connect(os.path.join(server.folder, "belfry.db"), isolation_level=None,
                                                    timeout=PATIENCE_S)) as other:
                other.execute("BEGIN IMMEDIATE")  # the store waits five seconds for the end of this
                stuck = self.connect(server)
                stuck.request("POST", SCHEDULES, json.dumps(EVERY_SECOND), {"Content-Type": "application/json"})
                self.assertEqual(server.ask("GET", "/health")[0], 200)  # the other one has been read meanwhile
                server.send(signal.SIGTERM)
                self.assertEqual(server.wait(), 1)
        self.assertIn("exiting without it", server.log)
        self.assertNotIn("method=POST", server.log, "nothing waited for its answer")


if __name__ == "__main__":
    unittest.main()
