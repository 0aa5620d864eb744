"""A tenant that does nothing unusual: what it sees of its server while another tenant, or a stranger, does."""

import contextlib
import datetime
import http.server
import json
import math
import socketserver
import threading
import time
import urllib.parse

from client import send

EVERY_SECOND = {"intervals": [{"every": "PT1S"}]}
PAUSE_S = 0.02  # between two requests
PATIENCE_S = 15  # with a request, after which it has failed


def bearer(secret):
    return {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}


def p95(figures):
    return sorted(figures)[math.ceil(len(figures) * 0.95) - 1]


def epoch(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Receiver(http.server.BaseHTTPRequestHandler):
    """Answers at once, and keeps when it was called for which second."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):  # pylint: disable=invalid-name
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or "null")
        self.server.called(self.path, body)
        self.answer({"ok": True})

    def do_GET(self):  # pylint: disable=invalid-name
        self.answer({"go": True})

    def answer(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(body)

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


class Receivers(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Receiver)
        self.arrivals = {"/call": {}, "/hook": {}}
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, *_):
        """The server may break off a call, as when it ends."""

    def called(self, path, body):
        if path == "/call":
            at = body["at"]
        elif path == "/hook" and body["data"].get("scheduleName") == "plain":
            at = body["data"]["scheduledAt"]
        else:
            return
        self.arrivals[path].setdefault(round(epoch(at)), time.time())


class Seen:
    """Of one window: latencies of requests in seconds, failures as texts, and for each kind of fire its lateness by
    second."""

    def __init__(self):
        self.latencies = []
        self.failures = []
        self.lateness = {}
        self.seconds = range(0)
        self.resident = 0
        self.refusal = None

    def latest(self):
        """The worst lateness of each kind; a fire that did not happen is infinitely late."""
        return {kind: max(found.get(second, math.inf) for second in self.seconds)
                for kind, found in self.lateness.items()}

    def __str__(self):
        gets = f"{len(self.latencies)} GETs, p95 {p95(self.latencies) * 1000:.0f} ms" if self.latencies else "no GET"
        late = ", ".join(f"{kind} {worst * 1000:.0f} ms" for kind, worst in self.latest().items())
        return f"{gets}, {len(self.failures)} failed; latest fires: {late}; {self.resident / 1e6:.0f} MB resident"


class Neighbour:
    """Fires every second in four ways: a plain run, a call of its own, one that depends on a signal, and a webhook."""

    def __init__(self, url, key, tenant, pid):
        self.url, self.headers, self.base, self.pid = url, bearer(key), f"/api/tenants/{tenant}", pid
        self.receiver = Receivers()
        plain = {"type": "task", "taskKind": "greet"}
        call = {"type": "http", "method": "POST", "url": self.receiver.url + "/call",
                "body": {"at": "${run.scheduledAt}"}}
        asked = {"signal": {"url": self.receiver.url + "/signal", "timeoutMs": 1000},
                 "preDispatchCondition": {"/signal_rpc_result/go": {"eq": True}}}
        for name, target, more in (("plain", plain, {}), ("call", call, {}), ("asked", plain, asked)):
            self.ask("POST", "/schedules",
                     {"name": name, "spec": EVERY_SECOND, "target": target, "overlapPolicy": "allow_all", **more}, 201)
        self.webhook = self.ask("POST", "/webhooks", {"url": self.receiver.url + "/hook", "events": ["run.dispatched"]},
                                201)["id"]

    def close(self):
        self.receiver.shutdown()
        self.receiver.server_close()

    def ask(self, method, path, body=None, expect=200):
        answer = send(self.url, method, self.base + path, None if body is None else json.dumps(body), self.headers,
                      PATIENCE_S)
        if answer.status != expect:
            raise AssertionError(f"{method} {path}: {answer!r}")
        return answer.json

    def watch(self, seconds, patience):
        """What it sees of so many seconds, until all their fires have come, or for `patience` more seconds."""
        seen = Seen()
        begin = math.ceil(time.time())
        seen.seconds = range(begin, begin + seconds)
        end = begin + seconds
        number = 0
        while time.time() < end or (time.time() < end + patience and math.inf in self.collect(seen).latest().values()):
            self.get(seen, "/health" if number % 10 == 9 else self.base + "/schedules/plain")
            seen.resident = max(seen.resident, self.resident())
            number += 1
            time.sleep(PAUSE_S)
        return self.collect(seen)

    def get(self, seen, target):
        start = time.monotonic()
        try:
            answer = send(self.url, "GET", target, None, self.headers, PATIENCE_S)
        except OSError as error:
            seen.failures.append(f"GET {target}: {error!r}")
            return
        seen.latencies.append(time.monotonic() - start)
        if answer.status != 200:
            seen.failures.append(f"GET {target}: {answer!r}")

    def resident(self):
        with open(f"/proc/{self.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmRSS"))

    def collect(self, seen):
        """Fills in how late its fires were."""
        try:
            seen.lateness = self.lateness(seen)
        except (AssertionError, OSError) as error:
            seen.failures.append(f"its runs: {error}")
        return seen

    def lateness(self, seen):
        found = {"a call": self.receiver.arrivals["/call"], "a webhook": self.receiver.arrivals["/hook"]}
        since = urllib.parse.quote(datetime.datetime.fromtimestamp(seen.seconds[0], datetime.timezone.utc).isoformat())
        for kind, schedule in (("a run", "plain"), ("a run with a signal", "asked")):
            runs = self.ask("GET", f"/schedules/{schedule}/runs?limit=1000&from={since}")["items"]
            found[kind] = {round(epoch(run["scheduledAt"])): epoch(run["decidedAt"]) for run in runs
                           if run["dispatchStatus"] == "dispatched"}
        return {kind: {second: at - second for second, at in list(times.items())} for kind, times in found.items()}
