"""Backfills on a real server: one occurrence after the other, through kills, and what is run again."""

import contextlib
import os
import signal
import tempfile
import unittest

from client import Client
from place import store_flags
from server import Server, eventually

HOURS = [f"2026-01-01T{hour:02}:00:00Z" for hour in range(6)]
WINDOW = {"from": HOURS[0], "to": HOURS[-1]}


class Backfills(unittest.TestCase):
    def setUp(self):
        self.stack = stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        self.folder = stack.enter_context(tempfile.TemporaryDirectory())
        key = os.path.join(self.folder, "key")
        with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="ascii") as file:
            file.write(os.urandom(32).hex())
        self.flags = [*stack.enter_context(store_flags()), "--secret-key-file", key, "--auth", "off"]
        self.start()

    def start(self):
        self.server = self.stack.enter_context(Server(*self.flags, folder=self.folder))
        self.server.wait_until_ready()
        self.client = Client(self.server.url)

    def kill(self):
        self.server.send(signal.SIGKILL)
        self.server.wait()

    def schedule(self, name, **more):
        target = {"type": "task", "taskKind": "fill", "queue": name}
        self.client.call("createSchedule", {"name": name, "spec": {"cron": ["0 * 1 1 *"]}, "target": target, **more},
                         201)

    def claim(self, queue):
        """The one task that is ready as soon as there is one."""
        asked = {"queue": queue, "worker": "w", "limit": 10, "leaseMs": 600000}
        tasks = eventually(f"a task of {queue}", lambda: self.client.json("claimTasks", asked)["items"])
        self.assertEqual(len(tasks), 1, "one at a time")
        return tasks[0]

    def finish(self, task, status="succeeded"):
        ended = self.client.json("completeTasks",
                                 {"items": [{"runId": task["runId"], "attempt": task["attempt"], "status": status}]})
        self.assertTrue(ended["items"][0]["ok"], ended)

    def completed(self, backfill):
        return eventually("the end of the backfill",
                          lambda: (found := self.client.json("getBackfill", backfill=backfill["id"]))[
                              "status"] == "completed" and found)

    def fill(self, name, statuses, **request):
        started = self.client.json("backfillSchedule", {**WINDOW, **request}, 202, schedule=name)
        for status in statuses:
            self.finish(self.claim(name), status)
        return self.completed(started)

    def runs(self, name, **query):
        return list(reversed(self.client.json("listScheduleRuns", schedule=name, limit=100, **query)["items"]))

    def test_a_backfill_that_is_killed_in_the_middle_goes_on_and_runs_each_occurrence_once(self):
        self.schedule("serial")
        started = self.client.json("backfillSchedule", WINDOW, 202, schedule="serial")
        self.assertEqual((started["concurrency"], started["rerun"], started["overlapPolicy"]), (1, "missing", None))
        claimed = []
        for number in range(len(HOURS)):
            task = self.claim("serial")
            claimed.append(task["scheduledAt"])
            if number == 1:  # a worker has it
                self.kill()
                self.start()
            self.finish(task)
            if number == 3:  # whether or not the next one has begun
                self.kill()
                self.start()
        self.assertEqual(claimed, HOURS, "in order")
        done = self.completed(started)
        self.assertEqual((done["dispatched"], done["skipped"], done["nextFrom"]), (6, 0, None))
        self.assertEqual([(run["scheduledAt"], run["status"], run["attempts"]) for run in self.runs("serial")],
                         [(hour, "succeeded", 1) for hour in HOURS])

    def test_what_has_failed_is_run_again_under_a_key_of_its_own(self):
        self.schedule("again")
        self.fill("again", ["succeeded", "failed", "succeeded", "failed", "succeeded", "succeeded"])
        dry = self.client.json("backfillSchedule", {**WINDOW, "rerun": "failed", "dryRun": True}, schedule="again")
        self.assertEqual([item["scheduledAt"] for item in dry["items"]], [HOURS[1], HOURS[3]])
        self.assertEqual({(item["scheduledAt"], item["reason"]) for item in dry["leftAlone"]},
                         {(HOURS[hour], "has_not_failed") for hour in (0, 2, 4, 5)})
        self.assertEqual(len(self.runs("again")), 6, "a dry run has no effect")
        self.assertEqual(self.fill("again", ["succeeded", "failed"], rerun="failed")["dispatched"], 2)
        twice = self.runs("again", **{"from": HOURS[1], "to": HOURS[1]})
        self.assertEqual([(run["scheduledAt"], run["status"]) for run in twice],
                         [(HOURS[1], "failed"), (HOURS[1], "succeeded")])
        self.assertEqual(len({run["idempotencyKey"] for run in self.runs("again")}), 8)
        self.assertEqual(twice[1]["instanceId"], twice[0]["instanceId"] + ":1")
        nothing = self.client.json("backfillSchedule", {**WINDOW, "dryRun": True}, schedule="again")
        self.assertEqual((nothing["items"], {item["reason"] for item in nothing["leftAlone"]}), ([], {"has_run"}))
        self.assertEqual(self.fill("again", ["succeeded"] * 6, rerun="all")["dispatched"], 6)

    def test_a_paused_schedule_is_backfilled_and_what_was_skipped_is_run_later(self):
        self.schedule("paused", calendars=["weekends-only"])  # 2026-01-01 is a Thursday
        self.client.call("pauseSchedule", schedule="paused", expect=200)
        self.assertEqual(self.fill("paused", [])["skipped"], 6)
        self.client.call("patchSchedule", {"calendars": []}, schedule="paused", expect=200)
        self.assertEqual(self.fill("paused", ["succeeded"] * 6)["dispatched"], 6)
        self.assertEqual([run["status"] for run in self.runs("paused")], ["succeeded"] * 6)

    def test_a_concurrency_or_an_overlap_policy(self):
        self.schedule("both")
        refused = self.client.call("backfillSchedule", {**WINDOW, "concurrency": 2, "overlapPolicy": "skip"}, 422,
                                   schedule="both").json
        self.assertEqual([error["pointer"] for error in refused["errors"]], ["/concurrency"])
        done = self.fill("both", [], overlapPolicy="skip")
        self.assertEqual((done["dispatched"], done["skipped"], done["concurrency"]), (1, 5, None))


if __name__ == "__main__":
    unittest.main()
