"""Another tenant whose rows somebody has damaged, beside everything that a scenario does.

One schedule's definition and one workflow are no JSON any more, while it has a due occurrence, more expired leases than
the reaper looks at in a step, and a backfill that goes on. Nobody else may notice: the scenario's own schedules have no
excuse. Its operator sees it and gets rid of it.
"""

import contextlib
import sqlite3
import time

import moments

TENANT = "/api/tenants/poisoned"
LEASES = 120  # the reaper looks at 100 in a step
NAMES = ("unreadable", "stuck")
DAMAGE = """
UPDATE definitions SET body = '{' WHERE schedule_key IN (SELECT schedule_key FROM schedules WHERE name = 'unreadable');
UPDATE schedule_state SET stamp = stamp + 1
 WHERE schedule_key IN (SELECT schedule_key FROM schedules WHERE name = 'unreadable');
UPDATE workflow_versions SET body = '{'
 WHERE workflow_key IN (SELECT workflow_key FROM workflows WHERE name = 'damaged');
"""


def in_sqlite(path):
    """What runs statements in a file that a server has open."""

    def run(statements):
        with contextlib.closing(sqlite3.connect(path, timeout=30)) as database:
            database.executescript("BEGIN IMMEDIATE;" + statements + "COMMIT;")

    return run


class Poison:
    """REQUIRES: a server that is well, and `damage`, which runs SQL behind its back."""

    def __init__(self, server, damage):
        self._backfill = None
        self._create(server)
        damage(DAMAGE)

    def _create(self, server):
        def ask(method, path, body, expected):
            status, answer = server.ask(method, path, body, 30)
            if status not in expected:
                raise AssertionError(f"{method} {path} answered {status}: {answer}")
            return answer

        ask("POST", "/api/tenants", {"name": "poisoned"}, (201,))
        ask("PUT", f"{TENANT}/workflows/damaged", {"nodes": [{"id": "only", "taskKind": "work"}]}, (201,))
        targets = ({"type": "task", "taskKind": "work"}, {"type": "workflow", "workflowKind": "damaged"})
        spec = {"intervals": [{"every": "PT1S"}]}
        for name, target in zip(NAMES, targets):
            ask("POST", f"{TENANT}/schedules",
                {"name": name, "spec": spec, "target": target, "overlapPolicy": "allow_all"}, (201,))
        for _ in range(LEASES):
            ask("POST", f"{TENANT}/schedules/stuck/trigger", {}, (200, 201))
        ask("POST", f"{TENANT}/schedules/stuck/pause", {}, (200,))
        claimed = ask("POST", f"{TENANT}/tasks/claim", {"worker": "gone", "limit": LEASES, "leaseMs": 2000},
                      (200,))["items"]
        if len(claimed) < LEASES:
            raise AssertionError(f"only {len(claimed)} tasks to leave lying")
        past = time.time() - 7 * 24 * 3600
        # So long that it still goes on when the row is damaged.
        range_of = {"from": moments.show(int(past)), "to": moments.show(int(past) + 9000)}
        self._backfill = ask("POST", f"{TENANT}/schedules/unreadable/backfill", range_of, (202,))["id"]

    def check(self, world):
        """At the end: whoever looks sees it, and it can be stopped and removed."""
        shown = self._need(world, "GET", f"{TENANT}/schedules", 200)["items"]
        if sorted(each["name"] for each in shown) != sorted(NAMES):
            raise AssertionError(f"the damaged tenant shows {shown}")
        world.sometimes["shown as unreadable"] += any(each["unreadable"] for each in shown)
        self._need(world, "GET", f"{TENANT}/runs?limit=100", 200)
        quarantined = [each for server in world.servers if server.alive
                       for each in server.health()[1].get("quarantined", [])]
        if not quarantined:
            raise AssertionError("no server has anything in quarantine")
        if self._need(world, "GET", f"{TENANT}/backfills/{self._backfill}", 200)["status"] == "running":
            self._need(world, "POST", f"{TENANT}/backfills/{self._backfill}/cancel", 200, {})
        self._need(world, "POST", f"{TENANT}/schedules/unreadable/pause", 200, {"reason": "damaged"})
        self._need(world, "DELETE", f"{TENANT}/schedules/unreadable", 200)

    @staticmethod
    def _need(world, method, path, expected, body=None):
        status, answer = world.ask(method, path, body)
        if status != expected:
            raise AssertionError(f"{method} {path} of a damaged schedule answered {status}: {answer}")
        return answer
