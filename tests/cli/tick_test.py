"""`belfry tick --once`: one pass over what is due, without a server."""

import json
import os
import signal
import sys
import tempfile
import unittest
from datetime import datetime

from server import EVERY_SECOND, SCHEDULES, Server, belfry, eventually

KEYS = {"schedule_id", "schedule_name", "tenant", "instance_id", "outcome", "reason", "occurrence_time",
        "last_fired_at", "next_fire_at"}


class Tick(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def create(self, *definitions):
        """Schedules in a store whose server is gone."""
        with Server("--min-interval", "1s", folder=self.folder) as server:
            server.wait_until_ready()
            for definition in definitions:
                status, answer = server.ask("POST", SCHEDULES, definition)
                self.assertEqual(status, 201, answer)
            server.send(signal.SIGTERM)
            self.assertEqual(server.wait(), 0)

    def tick(self, *arguments):
        result = belfry("tick", "--once", "--json", "--data-dir", self.folder, *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(result.stdout)

    def test_decides_what_is_due_and_answers_rows(self):
        self.create(EVERY_SECOND)
        rows = eventually("a schedule that is due", self.tick)
        self.assertEqual(set(rows[0]), KEYS)
        self.assertEqual((rows[0]["schedule_name"], rows[0]["tenant"], rows[0]["outcome"], rows[0]["reason"]),
                         ("every-second", "default", "dispatched", None))
        self.assertRegex(rows[0]["instance_id"], r"^schedule:every-second:\d+$")
        occurrence, fired, following = (datetime.fromisoformat(rows[0][key])
                                        for key in ("occurrence_time", "last_fired_at", "next_fire_at"))
        self.assertLessEqual(occurrence, fired)
        self.assertLess(occurrence, following)

    def test_a_skipped_occurrence_has_a_reason_and_no_instance(self):
        self.create({**EVERY_SECOND, "overlapPolicy": "skip"})
        rows = []

        def skipped():
            rows.extend(self.tick())
            return [row for row in rows if row["outcome"] == "skipped"]

        row = eventually("a run that overlaps", skipped)[0]
        self.assertEqual((row["reason"], row["instance_id"]), ("overlap_in_flight", None))

    def test_the_limit_bounds_the_schedules_of_one_call(self):
        self.create(*({**EVERY_SECOND, "name": f"s{number}"} for number in range(3)))

        def names():
            return {row["schedule_name"] for row in self.tick("--limit", "1")}

        self.assertEqual(len(eventually("a schedule that is due", names)), 1)

    def test_an_empty_store_has_nothing_due(self):
        self.assertEqual(belfry("migrate", "up", "--store", f"sqlite:{self.folder}/belfry.db").returncode, 0)
        self.assertEqual(self.tick(), [])
        table = belfry("tick", "--once", "--store", f"sqlite:{self.folder}/belfry.db")
        self.assertEqual((table.returncode, table.stdout, table.stderr), (0, "", ""))

    def test_a_store_that_is_not_there_is_not_made(self):
        result = belfry("tick", "--once", "--data-dir", self.folder)
        self.assertEqual((result.returncode, result.stderr), (
            1, f"error: the store sqlite:{self.folder}/belfry.db does not exist: belfry serve creates it\n"))
        self.assertEqual(os.listdir(self.folder), [])

    def test_without_once_it_says_what_else_there_is(self):
        result = belfry("tick", "--data-dir", self.folder)
        self.assertEqual((result.returncode, result.stderr),
                         (2, "error: add --once: belfry tick --once; belfry serve ticks continuously\n"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
