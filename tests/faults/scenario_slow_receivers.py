"""Receivers of two tenants never answer, of every kind there is; a third tenant must not notice, and neither must the
`http` tasks of the two tenants for a receiver that answers.

What the quiet tenant gets done in a while is counted before and during that, and the two are compared. In the end the
server is asked to end while all of it goes on.
"""

import os
import threading
import time

import client
from receivers import AnsweringReceiver, SilentReceiver
from server import Server
from settings import PATIENCE, SLOW
from world import Failure, World

LOUD = 2  # tenants
HOOKS = 50  # silent webhooks of each of them
SCHEDULES = 10 if SLOW else 30  # of each kind, every second
CLIENTS = 10  # of each that change a schedule whose signal is silent: together more than the server has threads
DRAIN_S = 2
ENDED_S = 10  # what a server that waits for a receiver would not keep
WORK_LEAST = 0.5  # of what was done while all was quiet
GETS_LEAST = 0.2  # the machine has more to do, too
EVERY_SECOND = {"intervals": [{"every": "PT1S"}]}


class Tenant:
    def __init__(self, server, name):
        self._server = server
        self.path = f"/api/tenants/{name}"
        self._must(201, "POST", "/api/tenants", {"name": name})

    def _must(self, wanted, method, path, body=None):
        try:
            status, answer = self._server.ask(method, path, body, timeout=30 * PATIENCE)
        except client.Unknown as error:
            raise Failure(f"{method} {path} was not answered: {error}") from error
        if status != wanted:
            raise Failure(f"{method} {path} answered {status}: {answer}")
        return answer

    def schedule(self, name, target, **more):
        body = {"name": name, "spec": EVERY_SECOND, "target": target, "overlapPolicy": "allow_all", **more}
        return self._must(201, "POST", self.path + "/schedules", body)["id"]

    def webhook(self, url):
        return self._must(201, "POST", self.path + "/webhooks", {"url": url})["id"]

    def get(self, path):
        return self._must(200, "GET", self.path + path)

    def fires(self, schedule):
        return self.get(f"/schedules/{schedule}")["runCount"]


def http_task(url, **more):
    return {"type": "http", "method": "POST", "url": url, "body": {}, **more}


def with_signal(url, timeout_ms):
    return {"preDispatchCondition": {"/signal_rpc_result/load": {"lt": 5}},
            "signal": {"url": url, "timeoutMs": timeout_ms}}


class Quiet:
    """The tenant that must not notice: a bit of everything, every second."""

    def __init__(self, server, receiver):
        self._tenant = Tenant(server, "quiet")
        self._receiver = receiver
        self._fires = self._tenant.schedule("fires", {"type": "task", "taskKind": "greet"})
        self._tenant.schedule("calls", http_task(receiver.url("/task")))
        self._tenant.schedule("asks", {"type": "task", "taskKind": "greet"},
                              **with_signal(receiver.url("/signal"), 1000))
        self._tenant.webhook(receiver.url("/hook"))

    def _done(self):
        counts = self._receiver.counts
        return {"fires": self._tenant.fires(self._fires), "calls": counts["/task"], "signals": counts["/signal"],
                "deliveries": counts["/hook"]}

    def work(self, seconds):
        """What got done meanwhile."""
        before = self._done()
        gets = 0
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._tenant.get("/schedules?limit=1")
            gets += 1
        after = self._done()
        return {**{name: after[name] - before[name] for name in after}, "gets": gets}


class Loud:
    """A tenant whose receivers never answer, except that of one `http` task."""

    def __init__(self, server, receiver, answering, name):
        self._server = server
        self._tenant = Tenant(server, name)
        self._waiting = []
        self.answered = 0
        self._counts = answering.counts
        self._healthy = f"/healthy-{name}"
        self._hooks = [self._tenant.webhook(receiver.url(f"/hook{number}")) for number in range(HOOKS)]
        self._signals = []
        for number in range(SCHEDULES):
            self._tenant.schedule(f"calls{number}", http_task(receiver.url("/task"), timeoutMs=600_000))
            self._signals.append(self._tenant.schedule(f"asks{number}", {"type": "task", "taskKind": "greet"},
                                                       **with_signal(receiver.url("/signal"), 30_000)))
        self._tenant.schedule("healthy", http_task(answering.url(self._healthy)))

    @property
    def healthy_calls(self):
        return self._counts[self._healthy]

    def ask(self):
        """Requests whose answers depend on a receiver. REQUIRES: the schedules are due."""
        for number in range(CLIENTS):
            self._begin("POST", f"/schedules/{self._signals[number]}/pause")
            self._begin("POST", f"/webhooks/{self._hooks[number]}/test")

    def _begin(self, method, path):
        def send():
            try:
                self._server.ask(method, self._tenant.path + path, {}, timeout=120)
            except (client.Refused, client.Unknown):
                pass
            self.answered += 1

        thread = threading.Thread(target=send, daemon=True)
        thread.start()
        self._waiting.append(thread)

    @property
    def waiting(self):
        return len(self._waiting) - self.answered


def slow_receivers(seed, folder, seconds):
    world = World("slow_receivers", seed, folder)
    flags = ("--outgoing-allow", "127.0.0.0/8", "--drain-seconds", str(DRAIN_S), "--rate-limit", "0")
    with SilentReceiver() as silent, AnsweringReceiver() as answering:
        with Server("belfry", "sqlite:" + os.path.join(folder, "belfry.db"), folder, *flags) as server:
            world.servers = [server.start()]
            server.wait_until_healthy()
            quiet = Quiet(server, answering)
            quiet.work(2)
            before = quiet.work(seconds)
            loud = [Loud(server, silent, answering, f"loud{number}") for number in range(LOUD)]
            _wait_for_silence(silent)
            for each in loud:
                each.ask()
            healthy = [each.healthy_calls for each in loud]
            during = quiet.work(seconds)
            healthy = [each.healthy_calls - calls for each, calls in zip(loud, healthy)]
            world.measured["healthy_calls_during"] = min(healthy)
            world.sometimes["calls that nobody answers"] = silent.connections
            world.sometimes["requests that wait for them"] = sum(each.waiting for each in loud)
            world.measured.update({f"{name}_before": number for name, number in before.items()})
            world.measured.update({f"{name}_during": number for name, number in during.items()})
            _compare(before, during)
            if min(healthy) < WORK_LEAST * before["calls"]:
                raise Failure(f"a silent receiver delays its tenant's others: {healthy} calls, "
                              f"and {before['calls']} of a quiet tenant")
            _end(world, server)
    world.must("calls that nobody answers", 20)
    world.must("requests that wait for them")
    return world


def _wait_for_silence(silent):
    """Until the loud tenants have as much of everything as they get: then no new connections come for a while."""
    end = time.monotonic() + 30 * PATIENCE
    known = -1
    while known != silent.connections or known < 20:
        if time.monotonic() > end:
            return
        known = silent.connections
        time.sleep(1)


def _compare(before, during):
    for name, number in before.items():
        least = GETS_LEAST if name == "gets" else WORK_LEAST
        if number == 0 or during[name] < least * number:
            raise Failure(f"{name}: {number} while all was quiet and {during[name]} beside slow receivers; at least "
                          f"{least} of it is needed\n{before}\n{during}")


def _end(world, server):
    began = time.monotonic()
    code = server.terminate()
    took = time.monotonic() - began
    world.measured["end_s"] = round(took, 2)
    if code != 0 or took > (DRAIN_S + ENDED_S) * PATIENCE:
        raise Failure(f"SIGTERM ended it with {code} after {took:.1f} s:\n{server.log()[-2000:]}")
