"""What one tenant, or a client without credentials, does to a server that others use as well. Each is a class:
`prepare` and `clean` run before and after it, `attack` in a process of its own until that is killed, and `probe` is
what the other tenant must be able to do meanwhile."""

import contextlib
import http.client
import json
import select
import socket
import threading
import time
import urllib.parse

from client import send
from neighbour import EVERY_SECOND, PATIENCE_S, bearer

KIB = 1024
MIB = 1024 * KIB
ADDRESS = ("127.0.0.2", 0)  # not the other tenant's


class Abuse:
    threads = 8
    warm_up_s = 0  # until it does its worst

    def __init__(self, world, number):
        self.world = world
        self.tenant = f"abuser-{number}"
        self.base = f"/api/tenants/{self.tenant}"
        self.headers = bearer(world.tenant(self.tenant))
        where = urllib.parse.urlsplit(world.server.url)
        self.address = (where.hostname, where.port)
        self.silent = socket.create_server(("127.0.0.1", 0), backlog=4096)  # the kernel accepts, and there is no answer

    @property
    def silent_url(self):
        return f"http://127.0.0.1:{self.silent.getsockname()[1]}/"

    def prepare(self):
        """With what the server already refuses there is nothing to abuse."""

    def attack(self):
        for index in range(self.threads):
            threading.Thread(target=self.forever, args=(index,), daemon=True).start()
        while True:
            time.sleep(1)

    def forever(self, index):
        while True:
            with contextlib.suppress(OSError, http.client.HTTPException):
                self.once(index)
            time.sleep(0.005)

    def once(self, index):
        raise NotImplementedError

    def probe(self, neighbour):
        """Raises an AssertionError when the other tenant cannot do what it should."""

    def clean(self):
        self.silent.close()  # what still waits for an answer gets none at once
        for schedule in self.ask("GET", "/schedules?limit=1000&fields=id").get("items", []):
            self.ask("DELETE", "/schedules/" + schedule["id"])
        for webhook in self.ask("GET", "/webhooks?limit=1000").get("items", []):
            self.ask("DELETE", "/webhooks/" + webhook["id"])

    def connection(self, timeout=30):
        return http.client.HTTPConnection(*self.address, timeout=timeout, source_address=ADDRESS)

    def send(self, method, path, body=None, headers=None, timeout=30):
        """The status; the answer is read to its end, and forgotten."""
        connection = self.connection(timeout)
        try:
            connection.request(method, self.base + path, body, {**self.headers, **(headers or {})})
            answer = connection.getresponse()
            while answer.read(MIB):
                pass
            return answer.status
        finally:
            connection.close()

    def ask(self, method, path, body=None):
        connection = self.connection()
        try:
            connection.request(method, self.base + path, None if body is None else json.dumps(body), self.headers)
            text = connection.getresponse().read()
            return json.loads(text) if text else {}
        finally:
            connection.close()

    def hold(self, count, greeting):
        """So many connections that begin with this; what the server closes is opened again."""
        held = {}
        while True:
            while len(held) < count:
                try:
                    connection = socket.create_connection(self.address, timeout=5, source_address=ADDRESS)
                    connection.settimeout(2)
                    held[connection.fileno()] = connection
                    connection.sendall(greeting)
                except OSError:
                    break
            readable = select.poll()
            for number in held:
                readable.register(number, select.POLLIN)
            for number, _ in readable.poll(100):
                try:
                    data = held[number].recv(64 * KIB)
                except OSError:
                    data = b""
                if not data:
                    held.pop(number).close()

    def request_head(self, method, path, *more):
        lines = [f"{method} {self.base}{path} HTTP/1.1", "Host: 127.0.0.1", *more, "", ""]
        return "\r\n".join(lines).encode()

    @property
    def authorization(self):
        return "Authorization: " + self.headers["Authorization"]


class LargePreviews(Abuse):
    """Drafts with a large input, whose every row would show it."""

    threads = 4

    def once(self, index):
        size = 90 * KIB if index % 2 else 1_800 * KIB
        draft = {"spec": EVERY_SECOND, "target": {"type": "task", "taskKind": "greet", "input": "x" * size}}
        if index % 4 < 2:
            self.send("POST", "/schedules/preview", json.dumps({"schedule": draft, "limit": 1000}))
        else:
            window = {"from": "2030-01-01T00:00:00Z", "to": "2030-01-01T00:15:00Z", "runs": [{"duration": "PT1S"}]}
            self.send("POST", "/schedules/simulate", json.dumps({"schedule": draft, **window}))


class LargeLists(Abuse):
    """Pages of schedules that are as large as they may be."""

    threads = 4

    def prepare(self):
        for index in range(60):
            definition = {"name": f"large-{index}", "spec": {"cron": ["0 0 29 2 *"]},
                          "target": {"type": "task", "taskKind": "greet", "input": "x" * 240 * KIB}}
            self.send("POST", "/schedules", json.dumps(definition))

    def once(self, index):
        self.send("GET", "/schedules?limit=1000")


class UnreadAnswers(LargeLists):
    """250 clients that ask for the largest page and do not read it."""

    def attack(self):
        question = self.request_head("GET", "/schedules?limit=1000", self.authorization)
        held = {}
        while True:
            while len(held) < 250:
                connection = socket.socket()
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                connection.bind(ADDRESS)
                try:
                    connection.connect(self.address)
                    connection.sendall(question)
                except OSError:
                    break
                held[connection.fileno()] = connection
            cut = select.poll()
            for number in held:
                cut.register(number, select.POLLRDHUP)
            for number, _ in cut.poll(100):
                held.pop(number).close()


class BodiesWithoutCredentials(Abuse):
    """300 clients that show no credentials and send nearly all of two mebibytes."""

    def attack(self):
        head = (f"POST {self.base}/schedules HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                f"Content-Length: {2 * MIB}\r\n\r\n")
        self.hold(300, head.encode() + b" " * (2 * MIB - 1))


class IdleConnections(Abuse):
    """A thousand clients that connect and say nothing."""

    def attack(self):
        self.hold(1000, b"")


class DeepYaml(Abuse):
    """A workflow of one million opening brackets."""

    threads = 4

    def once(self, index):
        self.send("PUT", f"/workflows/deep-{index}/definition.yaml", b"[" * 1_000_000,
                  {"Content-Type": "application/yaml"})


class SilentSignals(Abuse):
    """Schedules whose signal does not answer are due every second, and are changed all the time."""

    threads = 20

    def prepare(self):
        signal = {"signal": {"url": self.silent_url, "timeoutMs": 30_000},
                  "preDispatchCondition": {"/signal_rpc_result/go": {"eq": True}}}
        for index in range(self.threads):
            definition = {"name": f"silent-{index}", "spec": EVERY_SECOND,
                          "target": {"type": "task", "taskKind": "greet"}, **signal}
            self.send("POST", "/schedules", json.dumps(definition))

    def once(self, index):
        self.send("PATCH", f"/schedules/silent-{index}", json.dumps({"notes": str(time.time())}))


class SilentHttpTasks(Abuse):
    """Calls that are not answered, for as long as a task may last."""

    def prepare(self):
        self.runs = []
        for _ in range(64):
            body = {"taskKind": "http", "input": {"method": "POST", "url": self.silent_url},
                    "retryPolicy": {"timeoutMs": 24 * 3_600_000}}
            made = self.ask("POST", "/task-executions", body)
            if "id" not in made:
                body["retryPolicy"]["timeoutMs"] = 3_600_000
                made = self.ask("POST", "/task-executions", body)
            self.runs.append(made["id"])

    def attack(self):
        time.sleep(3600)

    def probe(self, neighbour):
        """A third tenant, which has had no task yet, gets a place."""
        newcomer = bearer(self.world.tenant(self.tenant + "-newcomer"))
        base = f"/api/tenants/{self.tenant}-newcomer"
        call = {"taskKind": "http", "input": {"method": "POST", "url": neighbour.receiver.url + "/other"}}
        run = send(self.world.server.url, "POST", base + "/task-executions", json.dumps(call), newcomer).json["id"]
        ended = lambda: send(self.world.server.url, "GET", f"{base}/runs/{run}", None,
                             newcomer).json["status"] == "succeeded"
        end = time.monotonic() + PATIENCE_S
        while not ended():
            if time.monotonic() > end:
                raise AssertionError(f"the first http task of a third tenant did not end within {PATIENCE_S} s")
            time.sleep(0.05)

    def clean(self):
        for run in self.runs:
            self.ask("POST", f"/runs/{run}/cancel", {})
        super().clean()


class SilentWebhooks(Abuse):
    """A hundred webhooks whose receiver does not answer, and much to tell them."""

    threads = 2
    warm_up_s = 4

    def prepare(self):
        for index in range(100):
            self.send("POST", "/webhooks", json.dumps({"url": f"{self.silent_url}{index}"}))
        self.send("POST", "/schedules",
                  json.dumps({"name": "often", "spec": EVERY_SECOND, "target": {"type": "task", "taskKind": "greet"}}))

    def once(self, index):
        self.send("POST", "/schedules/often/trigger", "{}")
        time.sleep(0.1)


class WebhookTests(Abuse):
    """A webhook whose receiver does not answer is tested all the time."""

    threads = 16

    def prepare(self):
        self.webhook = self.ask("POST", "/webhooks", {"url": self.silent_url})["id"]

    def once(self, index):
        self.send("POST", f"/webhooks/{self.webhook}/test", "{}")

    def probe(self, neighbour):
        neighbour.ask("POST", f"/webhooks/{neighbour.webhook}/test", {})


class EventStreams(Abuse):
    """One viewer opens as many event streams as it can."""

    def attack(self):
        self.hold(300, self.request_head("GET", "/events", self.authorization))

    def probe(self, neighbour):
        connection = http.client.HTTPConnection(*self.address, timeout=10)
        try:
            connection.request("GET", neighbour.base + "/events", None, neighbour.headers)
            answer = connection.getresponse()
            if answer.status != 200:
                raise AssertionError(f"its event stream: {answer.status} {answer.read()[:500]!r}")
        finally:
            connection.close()


class WaitingClaims(Abuse):
    """Workers wait for tasks of a queue that has none."""

    def attack(self):
        body = json.dumps({"worker": "waiting", "queue": "empty", "waitMs": 60_000})
        head = self.request_head("POST", "/tasks/claim", self.authorization, "Content-Type: application/json",
                                 f"Content-Length: {len(body)}")
        self.hold(300, head + body.encode())

    def probe(self, neighbour):
        neighbour.ask("POST", "/tasks/claim", {"worker": "neighbour", "queue": "another", "waitMs": 200})


ABUSES = {
    "large_previews": LargePreviews,
    "large_lists": LargeLists,
    "unread_answers": UnreadAnswers,
    "bodies_without_credentials": BodiesWithoutCredentials,
    "idle_connections": IdleConnections,
    "deep_yaml": DeepYaml,
    "silent_signals": SilentSignals,
    "silent_http_tasks": SilentHttpTasks,
    "silent_webhooks": SilentWebhooks,
    "webhook_tests": WebhookTests,
    "event_streams": EventStreams,
    "waiting_claims": WaitingClaims,
}
