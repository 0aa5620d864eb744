"""What one client cannot take from others: memory by bodies that no one asked for, and connections that do nothing."""

import json
import os
import socket
import threading
import unittest
from contextlib import ExitStack
from urllib.parse import urlsplit

from client import send
from place import running_server
from served import eventually

SCHEDULES = "/api/tenants/default/schedules"
MIB = 1 << 20
CLIENTS = 300


def connect(server):
    parts = urlsplit(server.url)
    return socket.create_connection((parts.hostname, parts.port), timeout=60)


def head(length, *more):
    lines = [f"POST {SCHEDULES} HTTP/1.1", "Host: localhost", "Content-Type: application/json",
             f"Content-Length: {length}", *more]
    return "".join(line + "\r\n" for line in [*lines, ""]).encode()


def status(line):
    answer = line.recv(65536)
    return int(answer[9:12]) if answer.startswith(b"HTTP/1.1 ") else 0


def resident(server):
    with open(f"/proc/{server.process.pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


class Limits(unittest.TestCase):
    def test_a_client_without_a_credential_is_refused_before_its_body_is_read(self):
        with running_server("--auth", "required") as server, ExitStack() as lines:
            before = resident(server)
            for _ in range(CLIENTS):
                line = lines.enter_context(connect(server))
                line.sendall(head(2 * MIB))
                self.assertIn(status(line), (401, 429), "failed attempts are limited, too")
                try:
                    line.sendall(b"x" * MIB)
                except ConnectionError:
                    pass
            self.assertLess(resident(server) - before, 64 * MIB)

    def test_bodies_that_are_read_at_once_share_a_budget(self):
        with running_server("--auth", "off") as server, ExitStack() as lines:
            before = resident(server)
            seen = {100: 0, 503: 0}
            for _ in range(CLIENTS):
                line = lines.enter_context(connect(server))
                line.sendall(head(2 * MIB, "Expect: 100-continue"))
                answer = status(line)
                seen[answer] += 1
                if answer == 100:
                    line.sendall(b" " * (2 * MIB - 1))
            self.assertEqual(seen, {100: 24, 503: CLIENTS - 24}, "one address gets three quarters of 64 MiB")
            self.assertLess(resident(server) - before, 100 * MIB)
            self.assertEqual(send(server.url, "GET", SCHEDULES).status, 200)

    def test_idle_connections_keep_no_one_out(self):
        with running_server("--auth", "off", "--connections-max", "50") as server, ExitStack() as lines:
            for _ in range(120):
                lines.enter_context(connect(server))
            for path in ("/health", "/healthz", "/readyz", SCHEDULES):
                self.assertEqual(send(server.url, "GET", path).status, 200, path)

    def test_probes_are_answered_while_every_connection_is_in_use(self):
        with running_server("--auth", "off", "--connections-max", "20", "--connections-per-address",
                            "20") as server, ExitStack() as lines:
            for _ in range(20):
                line = lines.enter_context(connect(server))
                line.sendall(head(2 * MIB, "Expect: 100-continue"))
                self.assertEqual(status(line), 100)
            for path in ("/health", "/healthz", "/readyz"):
                self.assertEqual(send(server.url, "GET", path).status, 200, path)
            refused = send(server.url, "GET", SCHEDULES)
            self.assertEqual((refused.status, refused.json["code"], refused.headers["Retry-After"]),
                             (503, "too_many_connections", "1"))

    @unittest.skipIf(os.environ.get("BELFRY_SLOW") == "1", "a sanitizer keeps what was freed")
    def test_memory_returns_after_a_peak(self):
        with running_server("--auth", "off") as server:
            body = json.dumps({"name": "n", "memo": {f"k{n}": [n, str(n)] for n in range(60_000)}}).encode()
            peak = [0]

            def post():
                for _ in range(5):
                    send(server.url, "POST", SCHEDULES, body, {"Content-Type": "application/json"})
                    peak[0] = max(peak[0], resident(server))

            before = resident(server)
            threads = [threading.Thread(target=post) for _ in range(16)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertGreater(peak[0] - before, 32 * MIB, "there was a peak")
            eventually(lambda: resident(server) - before < (peak[0] - before) / 2)
            print(f"resident: {before / MIB:.0f} MiB before, {peak[0] / MIB:.0f} at the peak, "
                  f"{resident(server) / MIB:.0f} after")


if __name__ == "__main__":
    unittest.main()
