"""What no well-meaning client sends: each is answered or cut off, costs little, and the server goes on."""

import json
import socket
import time
import unittest
from urllib.parse import urlsplit

from client import Client, send
from place import running_server

SCHEDULES = "/api/tenants/default/schedules"
BODY = {"name": "n", "spec": {"cron": ["0 0 * * *"]}, "target": {"type": "task", "taskKind": "t"}}
KIB = 1024


def post(body, media="application/json", **headers):
    return "POST", SCHEDULES, body, {"Content-Type": media, **headers}


def nested(depth):
    return json.dumps(BODY)[:-1] + ', "memo": ' + '{"a":' * depth + "1" + "}" * depth + "}"


class Hostile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.context = running_server()
        cls.server = cls.context.__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.context.__exit__(None, None, None)

    def tearDown(self):
        self.assertEqual(send(self.server.url, "GET", "/health").status, 200, "the server goes on")

    def raw(self, data, patience_s=30):
        """What the server answers to these bytes until it closes; the first line's status, or 0."""
        parts = urlsplit(self.server.url)
        with socket.create_connection((parts.hostname, parts.port), timeout=patience_s) as line:
            answer = b""
            try:
                line.sendall(data)
                line.shutdown(socket.SHUT_WR)
                while chunk := line.recv(65536):
                    answer += chunk
            except (ConnectionError, BrokenPipeError):
                pass
        return int(answer[9:12]) if answer.startswith(b"HTTP/1.1 ") else 0, answer

    def test_requests(self):
        text = json.dumps(BODY)
        rows = [
            ("a body of more than the limit", post("x" * (3 * KIB * KIB)), 413),
            ("JSON that is too deep", post(nested(64)), 400),
            ("JSON as deep as it may be", post(nested(20).replace('"n"', '"deep"', 1)), 201),
            ("a key twice", post(text[:-1] + ', "name": "m"}'), 400),
            ("a name twice, spelt differently", post(text[:-1] + ', "n\\u0061me": "m"}'), 400),
            ("bytes that are no UTF-8", post(b'{"name": "\xff\xfe"}'), 400),
            ("half of a surrogate pair", post('{"name": "\\ud800"}'), 400),
            ("a NUL", post(json.dumps({**BODY, "name": "a\u0000b"})), 422),
            ("no JSON at all", post("name=n", "application/x-www-form-urlencoded"), 415),
            ("no type", ("POST", SCHEDULES, text, {}), 415),
            ("an array", post("[]"), 422),
            ("a number without end", post('{"maxRuns": ' + "9" * 10000 + "}"), 422),
            ("an exponent without measure", post('{"maxRuns": 1e999999999}'), None),
            ("many wrong members", post(json.dumps({f"m{n}": n for n in range(5000)})), 422),
            ("a name that is too long", post(json.dumps({**BODY, "name": "x" * 256})), 422),
            ("a name of 255 characters of four bytes", post(json.dumps({**BODY, "name": "🔔" * 255})), 201),
            ("a path that breaks its encoding", ("GET", SCHEDULES + "/%zz", None, {}), 400),
            ("a path with NUL", ("GET", SCHEDULES + "/%00", None, {}), 400),
            ("a path out of the tenant", ("GET", "/api/tenants/default/../../etc/passwd", None, {}), 404),
            ("a very long path", ("GET", SCHEDULES + "/" + "a" * 10000, None, {}), 404),
            ("a header that is too large", ("GET", "/health", None, {"X-Large": "a" * (40 * KIB)}), 431),
            ("too many headers", ("GET", "/health", None, {f"X-{n}": "a" * 100 for n in range(500)}), 431),
            ("too many parameters", ("GET", SCHEDULES + "?" + "&".join(f"p{n}=1" for n in range(1000)), None, {}), 422),
            ("a parameter twice", ("GET", SCHEDULES + "?limit=1&limit=2", None, {}), 422),
            ("SQL in a name", ("GET", SCHEDULES + "/x'%3B%20DROP%20TABLE%20schedules%3B--", None, {}), 404),
            ("a method nobody knows", ("BREW", SCHEDULES, None, {}), 405),
            ("a cron expression that never matches", post(json.dumps({**BODY, "spec": {"cron": ["0 0 30 2 *"]}})), 422),
            ("a cron expression of a megabyte",
             post(json.dumps({**BODY, "spec": {"cron": ["0 0 " + "1," * 500000 + "1 * *"]}})), 422),
            ("a thousand and one expressions", post(json.dumps({**BODY, "spec": {"cron": ["0 0 * * *"] * 1001}})), 422),
            ("a preview without end", ("GET", SCHEDULES + "/deep/preview?n=1000000000", None, {}), 422),
        ]
        for why, (method, target, body, headers), status in rows:
            with self.subTest(why):
                answer = send(self.server.url, method, target, body.encode() if isinstance(body, str) else body,
                              headers)
                if status is None:
                    self.assertLess(answer.status, 500, answer)
                else:
                    self.assertEqual(answer.status, status, answer)
                if answer.status >= 400:
                    self.assertEqual(answer.media, "application/problem+json")

    def test_errors_are_told_all_at_once(self):
        answer = send(self.server.url, *post(json.dumps({"nam": "x", "maxRuns": 0, "target": {"taskKind": 5}})))
        self.assertEqual({error["pointer"] for error in answer.json["errors"]} >= {
            "/nam", "/maxRuns", "/target/taskKind", "/name"}, True, answer.json)

    def test_bytes_that_are_no_request(self):
        head = b"POST " + SCHEDULES.encode() + b" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        huge_chunks = b"".join(b"10000\r\n" + b"x" * 0x10000 + b"\r\n" for _ in range(48)) + b"0\r\n\r\n"
        rows = [
            ("noise", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n", (400,)),
            ("no version", b"GET /\r\n\r\n", (400,)),
            ("two lengths", head + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x", (400,)),
            ("a length and chunks",
             head + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", (400, 422)),
            ("a length that is no number", head + b"Content-Length: ten\r\n\r\n{}", (400,)),
            ("a length beyond counting", head + b"Content-Length: 99999999999999999999\r\n\r\n{}", (400, 413)),
            ("chunks beyond the limit", head + b"Transfer-Encoding: chunked\r\n\r\n" + huge_chunks, (413,)),
            ("a chunk size that is no number", head + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
             (400,)),
            ("a header with a line break inside",
             b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-A: b\r\n c\r\nX-B\r\n\r\n", (400,)),
            ("a request line without end", b"GET /" + b"a" * 100000, (431, 400)),
        ]
        for why, data, statuses in rows:
            with self.subTest(why):
                status, answer = self.raw(data)
                self.assertIn(status, statuses, answer[:300])

    def test_slow_clients_are_dropped_while_others_are_served(self):
        parts = urlsplit(self.server.url)
        lines = [socket.create_connection((parts.hostname, parts.port), timeout=60) for _ in range(50)]
        try:
            for line in lines:
                line.sendall(b"GET /health HTTP/1.1\r\nHost: loc")
            began = time.monotonic()
            self.assertEqual(send(self.server.url, "GET", "/api/version").status, 200)
            for line in lines:
                # A byte now and then does not prolong the deadline for the headers.
                while True:
                    line.settimeout(1)
                    try:
                        if line.recv(1000) == b"":
                            break
                    except TimeoutError:
                        self.assertLess(time.monotonic() - began, 60, "it is never dropped")
                        try:
                            line.sendall(b"a")
                        except OSError:
                            break
                    except ConnectionError:
                        break
        finally:
            for line in lines:
                line.close()

    def test_what_a_client_sends_ahead_is_answered_in_order(self):
        status, answer = self.raw(b"GET /api/version HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20)
        self.assertEqual((status, answer.count(b"HTTP/1.1 200")), (200, 20))

    def test_ids_in_headers_are_harmless(self):
        answer = Client(self.server.url, headers={"X-Request-Id": "a" * 1000}).call("getVersion", expect=200)
        self.assertLessEqual(len(answer.headers["X-Request-Id"]), 512)


if __name__ == "__main__":
    unittest.main()
