"""A scenario's world: servers, targets, what is known about the schedules, and the final judgement.

Every scenario goes the same way: start servers, create schedules whose window lies ahead, let faults happen inside it,
heal, wait until everything due is decided and over, and check. Then check again after a while in which nothing may
come.
"""

import json
import os
import random
import time
from collections import Counter

import checker
import client
import journal
import ledger
from ledger import SCHEDULES
from poison import Poison
from settings import PATIENCE, SLOW
from target import LEASE_MS, Target

DECIDED_S = 15  # after healing, everything due is decided within this
SETTLED_S = 60  # and every run is over: leases run out, retries wait
QUIET_S = LEASE_MS / 1000 + 1.5  # a double that comes from a lost lease comes within this


class Failure(AssertionError):
    """The scenario does not hold; when the checker says so, `findings` has what it found."""

    def __init__(self, message, findings=()):
        super().__init__(message)
        self.findings = findings


class World:
    def __init__(self, name, seed, folder, clock=time.time):
        self.name = name
        self.seed = seed
        self.folder = folder
        self.clock = clock
        self.rng = random.Random(f"{name}/{seed}")
        self.servers = []
        self.schedules = []
        self.sometimes = Counter()
        self.measured = {}
        self.target = None
        self._poison = None
        self._began = time.monotonic()

    # -- servers

    def ports(self):
        return [port for port in (each.port for each in self.servers if each.alive) if port]

    def ask(self, method, path, body=None):
        """An answer from whichever server gives one. For requests that may be repeated without harm."""
        end = time.monotonic() + 60 * PATIENCE
        why = "there is no server"
        while time.monotonic() < end:
            for port in self.rng.sample(self.ports(), len(self.ports())):
                try:
                    status, answer = client.ask(port, method, path, body, client.TIMEOUT_S * PATIENCE)
                    if status != 503:
                        return status, answer
                    why = answer
                except (client.Refused, client.Unknown) as error:
                    why = error
            time.sleep(0.05)
        raise Failure(f"{method} {path}: {why}")

    # -- schedules

    def create(self, *schedules):
        """Creates them on a server that is well: every creation is acknowledged."""
        for schedule in schedules:
            status, answer = self.servers[0].ask("POST", SCHEDULES, schedule.body(), 30)
            if status != 201:
                raise Failure(f"creating {schedule.name} answered {status}: {answer}")
            schedule.id = answer["id"]
            self.schedules.append(schedule)
        late = [each.name for each in schedules if 0 < each.timing.start <= self.clock()]
        if late:
            raise Failure(f"the window began before {late[0]} was created: this machine is too slow for it")

    def poison(self, damage):
        """Another tenant whose rows are damaged by `damage`, which runs SQL. REQUIRES: the first server is well."""
        self._poison = Poison(self.servers[0], damage)

    def window(self, seconds, count):
        """A window that begins when `count` schedules have surely been created."""
        start = int(self.clock()) + 2 + max(1, count // 40) * max(4 if SLOW else 1, PATIENCE)
        return start, start + int(seconds)

    def wait_until(self, moment):
        time.sleep(max(0.0, moment - self.clock()))

    def wait_for_a_fire(self, within_s=0.08):
        """A seeded moment in the first hundredths of a second, when everything fires."""
        now = self.clock()
        time.sleep(int(now) + 1 + self.rng.random() * within_s - now)

    def start_target(self, reliable=False):
        self.target = Target(self.folder, self.ports, self.seed, clock=self.clock, reliable=reliable)
        return self.target

    # -- what must have happened

    def must(self, name, at_least=1):
        """A fault that never hit shows nothing."""
        if self.sometimes[name] < at_least:
            raise Failure(f"{name}: {self.sometimes[name]} times, and at least {at_least} are needed to show anything")

    def check_safety(self):
        deliveries, reports = journal.read_all(self.folder, self.clock())
        known = {each.id for each in self.schedules}  # a creation may still be under way
        self._judge(checker.check_safety(self.schedules, [each for each in deliveries if each.schedule_id in known],
                                         reports), "while faults happen")

    def settle_and_check(self):
        """After healing. REQUIRES: all windows are over, a server is up and the target runs."""
        began = time.monotonic()
        self._wait("everything due is decided", DECIDED_S,
                   lambda: all(each["status"] != "active" for each in self._states()))
        self.measured["decided_s"] = round(time.monotonic() - began, 1)
        self._wait("every run is over", SETTLED_S,
                   lambda: all(not each["inFlightCount"] and not each["bufferedCount"] for each in self._states()))
        self.measured["settled_s"] = round(time.monotonic() - began, 1)
        self._check_all("after healing")
        delivered = self.target.counts["deliveries"]
        time.sleep(QUIET_S)
        self._check_all("a while after healing")
        if more := self.target.counts["deliveries"] - delivered:
            raise Failure(f"{more} deliveries came after everything was over")
        if self._poison:
            self._poison.check(self)

    def _states(self):
        names = {each.name for each in self.schedules}
        status, answer = self.ask("GET", f"{SCHEDULES}?limit=1000")
        if status != 200:
            raise Failure(f"listing schedules answered {status}: {answer}")
        return [each for each in answer["items"] if each["name"] in names]

    def _wait(self, what, seconds, look):
        end = time.monotonic() + seconds * PATIENCE
        while not look():
            if time.monotonic() > end:
                self._check_all(f"{what}: not within {seconds * PATIENCE} s")
                raise Failure(f"{what}: not within {seconds * PATIENCE} s; {self._unsettled()}")
            time.sleep(0.2)

    def _unsettled(self):
        members = ("name", "status", "nextRunAt", "inFlightCount", "bufferedCount")
        waiting = [each for each in self._states() if each["status"] == "active" or each["inFlightCount"]
                   or each["bufferedCount"]]
        return json.dumps([{name: each[name] for name in members} for each in waiting])

    def accounts(self):
        server = next(each for each in self.servers if each.alive)
        return {each.id: ledger.read(server, each.id) for each in self.schedules}

    def _check_all(self, when):
        deliveries, reports = journal.read_all(self.folder)
        accounts = self.accounts()
        self.measured["expected"] = sum(len(each.expected()) for each in self.schedules)
        self.measured["delivered"] = len({(each.schedule_id, each.occurrence) for each in deliveries})
        self.measured["repeats"] = sum(1 for each in deliveries if each.attempt > 1)
        skips = [row for account in accounts.values() if account for row in account.rows if row.dispatch == "skipped"]
        self.measured["skip_records"] = len(skips)
        self.measured["events"] = sum(len(account.sequences) for account in accounts.values() if account)
        self._judge(checker.check(self.schedules, deliveries, reports, accounts), when)

    def _judge(self, findings, when):
        if self.target and self.target.errors:
            raise Failure(f"answers that no fault excuses: {self.target.errors[:3]}")
        if not findings:
            return
        with open(os.path.join(self.folder, "findings.txt"), "a", encoding="utf-8") as file:
            file.write(f"== {when}\n" + "".join(f"{each}\n" for each in findings))
        kinds = dict(Counter(each.kind for each in findings))
        shown = "\n".join(f"  {each}" for each in findings[:20])
        raise Failure(f"{when}: {kinds}\n{shown}", findings)

    def summary(self):
        figures = {**self.measured, **{name: number for name, number in self.sometimes.items()}}
        if self.target:
            figures.update(self.target.counts.all())
        figures["seconds"] = round(time.monotonic() - self._began, 1)
        return ", ".join(f"{name} {value}" for name, value in figures.items())
