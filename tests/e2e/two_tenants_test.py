"""One tenant cannot hurt another: while one does each of the things in abuses.py, the other's requests and fires stay
within bounds that are ratios of its quiet figures, none of its requests fails, and the memory of the server stays
within a budget.

    BELFRY=build/belfry python3 tests/e2e/two_tenants_test.py [NAME...]      names are those of abuses.ABUSES
"""

import collections
import contextlib
import json
import multiprocessing
import resource
import sys
import time
import unittest

from abuses import ABUSES
from client import send
from neighbour import Neighbour, bearer, p95
from place import running_server
from server import belfry

# The floors are there because a busy machine makes quiet figures of a few milliseconds many times larger on its own.
# Without its limits a server stands still for 10 to 30 seconds.
LATENCY_RATIO, LATENCY_FLOOR_S = 20, 1.0
LATENESS_RATIO, LATENESS_FLOOR_S, LATENESS_MOST_S = 10, 3.0, 8.0
# Bytes that the abuse may cost beside the quiet server: answer_memory_mib, body_memory_mib, and a page per handler
MEMORY_MORE = 600_000_000
DESCRIPTORS = 8192         # for a thousand connections and their other ends
SECONDS = 3                # that are watched


Bounds = collections.namedtuple("Bounds", "latency lateness memory")


class World:
    """A server with two tenants, and the quiet figures of one of them."""

    def __init__(self, stack):
        self.server = stack.enter_context(running_server("--auth", "required", "--min-interval", "1s",
                                                         "--outgoing-allow", "127.0.0.0/8", "--log-level", "warn"))
        self.admin = bearer(self.key("root", "*"))
        self.neighbour = Neighbour(self.server.url, self.tenant("neighbour"), "neighbour", self.server.process.pid)
        stack.callback(self.neighbour.close)
        self.neighbour.watch(1, LATENESS_MOST_S)
        self.quiet = self.neighbour.watch(SECONDS, LATENESS_MOST_S)

    def key(self, name, tenant):
        made = belfry("token", "create", name, "--role", "admin", "--tenant", tenant, "-o", "json",
                      *self.server.store_flags)
        if made.returncode != 0:
            raise AssertionError(made.stderr)
        return json.loads(made.stdout)["secret"]

    def tenant(self, name):
        """A new one; its key."""
        made = send(self.server.url, "POST", "/api/tenants", json.dumps({"name": name}), self.admin)
        if made.status != 201:
            raise AssertionError(repr(made))
        return self.key(name, name)


class TwoTenants(unittest.TestCase):
    stack = contextlib.ExitStack()
    world = None
    number = 0

    @classmethod
    def tearDownClass(cls):
        cls.stack.close()

    def setUp(self):
        if type(self).world is None:
            type(self).world = World(self.stack)
        type(self).number += 1
        self.bounds = self.bounds_of(self.world.quiet)

    @classmethod
    def forget_world(cls):
        cls.stack.close()
        cls.world = None

    def bounds_of(self, quiet):
        self.assertEqual(quiet.failures, [], "while it was quiet")
        for kind, worst in quiet.latest().items():
            self.assertLess(worst, LATENESS_MOST_S, f"{kind}, while it was quiet: {quiet}")
        late = {kind: min(max(LATENESS_RATIO * worst, LATENESS_FLOOR_S), LATENESS_MOST_S)
                for kind, worst in quiet.latest().items()}
        return Bounds(max(LATENCY_RATIO * p95(quiet.latencies), LATENCY_FLOOR_S), late, quiet.resident + MEMORY_MORE)

    def hold_out(self, name):
        try:
            self.abuse(name)
        except BaseException:
            self.forget_world()  # what was done to a server that does not bear it must not count for the next
            raise

    def abuse(self, name):
        neighbour = self.world.neighbour
        abuse = ABUSES[name](self.world, self.number)
        self.addCleanup(abuse.silent.close)
        abuse.prepare()
        attacker = multiprocessing.get_context("fork").Process(target=abuse.attack, daemon=True)
        attacker.start()
        try:
            time.sleep(abuse.warm_up_s)
            seen = neighbour.watch(SECONDS, LATENESS_MOST_S)
            seen.refusal = self.refusal(abuse)
            self.assertTrue(attacker.is_alive(), "the abuse itself has failed")
        finally:
            attacker.kill()
            attacker.join()
        self.judge(name, seen)
        abuse.clean()

    def refusal(self, abuse):
        try:
            abuse.probe(self.world.neighbour)
        except (AssertionError, OSError) as error:
            return str(error)
        return None

    def judge(self, name, seen):
        told = f"\nquiet:  {self.world.quiet}\nduring {name}: {seen}"
        print(told, file=sys.stderr)
        problems = []
        if seen.refusal:
            problems.append(f"the other tenant was refused: {seen.refusal}")
        if seen.failures:
            problems.append(f"{len(seen.failures)} requests of the other tenant failed, first: {seen.failures[0]}")
        if not seen.latencies or p95(seen.latencies) > self.bounds.latency:
            problems.append(f"the other tenant's requests took longer than {self.bounds.latency * 1000:.0f} ms (p95)")
        for kind, worst in seen.latest().items():
            if worst > self.bounds.lateness[kind]:
                problems.append(f"{kind} of the other tenant was later than {self.bounds.lateness[kind] * 1000:.0f} ms")
        if seen.resident > self.bounds.memory:
            problems.append(f"the server took more than {self.bounds.memory / 1e6:.0f} MB")
        if problems:
            self.fail(f"{name}:\n  " + "\n  ".join(problems) + told)


def add_tests():
    for name, abuse in ABUSES.items():
        def test(self, name=name):
            self.hold_out(name)
        test.__doc__ = abuse.__doc__
        setattr(TwoTenants, "test_" + name, test)


add_tests()

if __name__ == "__main__":
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(DESCRIPTORS, most), most))
    unittest.main(argv=[sys.argv[0], *("TwoTenants.test_" + each if each in ABUSES else each for each in sys.argv[1:])])
