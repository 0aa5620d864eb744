"""The target as a black box: claims tasks over HTTP from whichever server answers, and keeps its own books.

Every delivery is in the journal before anything is reported. A few are reported as failed, a few are dropped as by a
worker that died, and a few are reported too late as by one that was frozen: they must come back with a higher attempt
number, and never otherwise.
"""

import os
import random
import threading
import time

import client
from journal import Journal
from settings import PATIENCE, SLOW

TASKS = "/api/tenants/default/tasks"
LEASE_MS = 6000 if SLOW else 3000
ANSWER_S = 2 * PATIENCE  # the longest that an answer is waited for
SHUNNED_S = 5  # how long a server that did not answer is left alone while there are others
CLAIM_MAX = 10  # few, so that what comes due together is under way for a while
IDLE_S = 0.03
WORK_S = 0.1  # the longest that work takes
DROPPED = 0.01  # the share of claims that are dropped
# And of those that are reported when their leases are over: the report may be refused, and must not be both
LATE = 0.01
FAILED = 0.02  # the share of tasks that are reported as failed


class Counts:
    """What happened to the requests of all workers. Only ever grows, but for `busy`."""

    def __init__(self):
        self._lock = threading.Lock()
        self._values = {"busy": 0}

    def add(self, name, number=1):
        with self._lock:
            self._values[name] = self._values.get(name, 0) + number

    def __getitem__(self, name):
        with self._lock:
            return self._values.get(name, 0)

    def all(self):
        with self._lock:
            return {name: value for name, value in sorted(self._values.items()) if name != "busy"}


class Target:
    """`with Target(...)`: workers that take what there is from the servers that `servers()` names."""

    def __init__(self, folder, servers, seed, workers=5, clock=time.time, reliable=False):
        self.counts = Counts()
        self.errors = []  # answers that no fault excuses
        self._servers = servers
        self._clock = clock
        self._reliable = reliable  # drops nothing, is never late and always succeeds
        self._shunned = {}  # port → until when
        self._ended = threading.Event()
        self._threads = [
            threading.Thread(target=self._work, args=(f"worker-{number}", folder, random.Random(f"{seed}/{number}")),
                             daemon=True)
            for number in range(workers)
        ]

    def _work(self, name, folder, rng):
        journal = Journal(os.path.join(folder, name + ".journal"))
        while not self._ended.is_set():
            asked = time.monotonic()
            tasks = self._claim(name, rng)
            if not tasks:
                self._ended.wait(IDLE_S)
                continue
            now, arrived = self._clock(), time.monotonic()
            for task in tasks:
                journal.received(task, now, arrived, asked + LEASE_MS / 1000)
            self.counts.add("deliveries", len(tasks))
            self.counts.add("busy")
            try:
                self._do(tasks, journal, rng)
            finally:
                self.counts.add("busy", -1)
        journal.close()

    def _do(self, tasks, journal, rng):
        fate = 1.0 if self._reliable else rng.random()
        if fate < DROPPED:
            self.counts.add("dropped", len(tasks))
            return
        if fate < DROPPED + LATE:
            self.counts.add("late", len(tasks))
            self._ended.wait(LEASE_MS / 1000 + rng.random() * 2)
        time.sleep(rng.random() * WORK_S)
        self._report(tasks, journal, rng)

    def _claim(self, name, rng):
        body = {"worker": name, "limit": CLAIM_MAX, "leaseMs": LEASE_MS}
        answer = self._ask("claim", body, rng)
        return answer["items"] if isinstance(answer, dict) else []

    def _report(self, tasks, journal, rng):
        failed = 0.0 if self._reliable else FAILED
        said = {task["runId"]: "failed" if rng.random() < failed else "succeeded" for task in tasks}
        items = [{"runId": task["runId"], "attempt": task["attempt"], "status": said[task["runId"]]} for task in tasks]
        end = time.monotonic() + LEASE_MS / 1000
        answer = None
        while time.monotonic() < end and not self._ended.is_set():
            for item in items:  # before it is sent: whatever comes of it, it was said
                journal.reported(item["runId"], item["attempt"], item["status"], "unknown", self._clock())
            answer = self._ask("complete", {"items": items}, rng)
            if isinstance(answer, dict):
                break
            self._ended.wait(IDLE_S)
        for item in answer["items"] if isinstance(answer, dict) else []:
            result = "ok" if item["ok"] else "refused"
            self.counts.add("reports_" + result)
            journal.reported(item["runId"], item["attempt"], said[item["runId"]], result, self._clock())

    def _ask(self, verb, body, rng):
        """The answer; or the name of what went wrong."""
        ports = self._servers()
        if not ports:
            return "nobody"
        port = rng.choice([each for each in ports if self._shunned.get(each, 0) < time.monotonic()] or ports)
        self.counts.add("busy")
        try:
            status, answer = client.ask(port, "POST", f"{TASKS}/{verb}", body, ANSWER_S)
        except client.Refused:
            self.counts.add("refused")
            return "refused"
        except client.Unknown:
            self._shunned[port] = time.monotonic() + SHUNNED_S
            self.counts.add("unknown_" + verb)
            return "unknown"
        finally:
            self.counts.add("busy", -1)
        if status == 200:
            return answer
        self.counts.add(f"status_{status}")
        if status != 503:
            self.errors.append(f"{verb} answered {status}: {answer}")
        return "unavailable"

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        for thread in self._threads:
            thread.join()
