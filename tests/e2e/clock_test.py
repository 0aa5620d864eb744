"""The wall clock of a server steps (libfaketime; its monotonic clock does not), and nothing is lost, done twice or
decided too early."""

import http.server
import os
import re
import sys
import tempfile
import threading
import time
import unittest
import urllib.request
from datetime import datetime

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "cli"), os.path.join(HERE, "..", "faults")]

import server as servers  # noqa: E402  pylint: disable=wrong-import-position
from fake_clock import FakeClock, library  # noqa: E402  pylint: disable=wrong-import-position

TENANT = "/api/tenants/default"
HOUR_S, DAY_S = 3_600, 86_400
CONFIRM_S = 4  # how long a step must hold
LEASE_MS = 3_000
NEVER = {"cron": ["0 0 29 2 *"]}


def parse(instant):
    return datetime.fromisoformat(instant.replace("Z", "+00:00")).timestamp()


class Receiver(http.server.BaseHTTPRequestHandler):
    """Answers when the test says so."""

    def do_POST(self):  # pylint: disable=invalid-name
        self.server.calls.append(self.headers.get("Idempotency-Key"))
        self.server.released.wait(120)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


@unittest.skipIf(library() is None, "libfaketime is not installed")
class ClockStep(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.clock = FakeClock(self.folder)
        self.server = None
        self.start()

    def start(self):
        flags = ("--auth", "off", "--min-interval", "1s", "--outgoing-allow", "127.0.0.0/8", "--lease-seconds", "2",
                 "--clock-step-confirm", f"{CONFIRM_S}s")
        self.server = servers.Server(*flags, folder=self.folder, **self.clock.environment())
        self.addCleanup(self.server.__exit__)
        self.server.wait_until_ready()

    def ask(self, method, path, body=None):
        status, answer = self.server.ask(method, path, body)
        self.assertLess(status, 300, answer)
        return answer

    def create(self, name, spec, target=None, **more):
        target = target or {"type": "task", "taskKind": "work", "queue": name}
        return self.ask("POST", f"{TENANT}/schedules",
                        {"name": name, "spec": spec, "target": target, "overlapPolicy": "allow_all", **more})["id"]

    def claim(self, queue, limit=1):
        return self.ask("POST", f"{TENANT}/tasks/claim",
                        {"queue": queue, "worker": "w", "limit": limit, "leaseMs": LEASE_MS})["items"]

    def runs(self, schedule):
        return self.ask("GET", f"{TENANT}/schedules/{schedule}/runs?limit=1000")["items"]

    def health(self):
        return self.ask("GET", "/health")

    def steps(self, kind):
        """How many the server has noticed."""
        with urllib.request.urlopen(self.server.url + "/metrics", timeout=30) as answer:
            found = re.search(rf'belfry_clock_steps_total{{step="{kind}"}} (\d+)', answer.read().decode())
        return int(found.group(1)) if found else 0

    def step(self, by):
        self.clock.set(self.clock.offset + by)

    def through(self, seconds, look):
        """Looks again and again for that long."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            look()
            time.sleep(0.2)

    def test_a_step_forward_takes_no_lease_and_calls_nobody_twice(self):
        receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
        receiver.calls, receiver.released = [], threading.Event()
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        self.addCleanup(receiver.server_close)
        self.addCleanup(receiver.shutdown)
        self.addCleanup(receiver.released.set)
        retries = {"maxRetries": 3, "backoffMs": 10}
        call = self.create("call", NEVER, {"type": "task", "taskKind": "http", "input": {
            "method": "POST", "url": f"http://127.0.0.1:{receiver.server_port}/"}},
                           retryPolicy=retries)
        work = self.create("work", NEVER, retryPolicy=retries)
        for schedule in (call, work):
            self.ask("POST", f"{TENANT}/schedules/{schedule}/trigger", {})
        servers.eventually("the call", lambda: receiver.calls)
        (task,) = self.claim("work")
        lease = {"runId": task["runId"], "attempt": task["attempt"], "node": None}

        def heartbeat():
            held = self.ask("POST", f"{TENANT}/tasks/heartbeat", {"leases": [lease], "leaseMs": LEASE_MS})
            self.assertEqual(len(held["items"]), 1, "the worker lost a lease that it keeps")
            self.assertEqual(len(receiver.calls), 1, "the task was called twice")

        self.step(60)
        self.through(CONFIRM_S + 12, heartbeat)
        self.assertEqual(self.steps("forward"), 1)
        receiver.released.set()
        servers.eventually("the end of the call", lambda: self.runs(call)[0]["status"] == "succeeded")
        self.assertEqual(len(receiver.calls), 1)

    def test_a_day_ahead_for_three_seconds_is_nothing(self):
        schedule = self.create("tick", {"intervals": [{"every": "PT1S"}]}, missedGrace="PT2S", missedRunPolicy="skip")
        servers.eventually("the first run", lambda: self.runs(schedule))
        self.step(DAY_S)
        self.through(3, lambda: None)
        self.step(-DAY_S)
        last = self.runs(schedule)[0]["scheduledAt"]
        servers.eventually("more runs",
                           lambda: len([run for run in self.runs(schedule) if run["scheduledAt"] > last]) >= 3)
        for run in self.runs(schedule):
            self.assertLess(parse(run["scheduledAt"]), time.time() + 5, "an occurrence of tomorrow was decided")
            self.assertEqual(run["dispatchStatus"], "dispatched")
        self.assertEqual((self.steps("forward"), self.steps("back")), (0, 0))
        servers.eventually("health", lambda: self.health()["status"] == "ok")

    def test_an_hour_ahead_and_back_is_said_and_put_right(self):
        schedule = self.create("tick", {"intervals": [{"every": "PT1S"}]}, missedGrace="PT2S", missedRunPolicy="skip",
                               retryPolicy={"maxRetries": 3, "backoffMs": 10})
        self.step(HOUR_S)
        servers.eventually("the step to be said", lambda: self.health()["clock"]["stepMs"])
        self.assertEqual(self.health()["status"], "degraded")
        ahead = time.time() + HOUR_S / 2
        decided = lambda: [run for run in self.runs(schedule) if run["dispatchStatus"] == "dispatched"
                           and parse(run["scheduledAt"]) > ahead]
        servers.eventually("runs of the later time", lambda: len(decided()) >= 3)
        (lost,) = self.claim("tick")  # by a worker that dies
        self.step(-HOUR_S)
        servers.eventually("the clock to be put back", lambda: self.steps("back") == 1)

        health = servers.eventually("the reason", lambda: (said := self.health())["clock"]["decidedUntil"] and said)
        self.assertEqual(health["status"], "degraded")
        self.assertIn("put back", health["clock"]["error"])
        self.assertGreater(parse(health["clock"]["decidedUntil"]), ahead)
        self.assertRegex(self.server.log, "clock was put back")

        waiting = len(self.runs(schedule))
        claimed = {task["runId"] for task in self.claim("tick", 1000)}
        later = {run["id"] for run in decided()}
        self.assertLessEqual(later - {lost["runId"]}, claimed,
                             "tasks that were dispatched by the later time cannot be claimed")
        again = servers.eventually("the lost task", lambda: [task for task in self.claim("tick", 1000)
                                                             if task["runId"] == lost["runId"]])
        self.assertEqual(again[0]["attempt"], lost["attempt"] + 1)

        # Whoever pauses and resumes it gets no second outcome.
        self.ask("POST", f"{TENANT}/schedules/{schedule}/pause", {})
        resumed = self.ask("POST", f"{TENANT}/schedules/{schedule}/resume", {})
        self.assertGreater(parse(resumed["nextRunAt"]), ahead)
        self.assertEqual(len(self.runs(schedule)), waiting)

        self.server.__exit__()
        self.start()
        said = servers.eventually("the reason after a restart",
                                  lambda: (said := self.health())["clock"]["decidedUntil"] and said)
        self.assertEqual(said["status"], "degraded")
        self.step(HOUR_S)  # that time has come
        servers.eventually("the next run", lambda: len(self.runs(schedule)) > waiting)


if __name__ == "__main__":
    unittest.main()
