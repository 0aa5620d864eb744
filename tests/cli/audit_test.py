"""`belfry audit verify`: chains on a server and in archive files, as docs/reference/audit.md describes them."""

import gzip
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest

from server import EVERY_SECOND, PATIENCE_S, SCHEDULES, Server, belfry, eventually

PAGE = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "reference", "audit.md")
TEN_DAYS_US = 10 * 86_400 * 1_000_000
UPDATE_GUARD = "SELECT sql FROM sqlite_master WHERE name = 'events_are_never_changed'"


def documented_program():
    with open(PAGE, encoding="utf-8") as page:
        return re.search(r"```python\n(.*?)```", page.read(), re.DOTALL).group(1)


def documented_hash():
    """The function of the page alone."""
    names = {}
    exec(documented_program().split("history =")[0], names)  # pylint: disable=exec-used
    return names["chain_hash"]


class Audit(unittest.TestCase):
    def setUp(self):
        self.folder = self.temporary()
        self.archive = self.temporary()

    def temporary(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return folder.name

    def serve(self, *flags):
        server = Server(*flags, folder=self.folder)
        self.addCleanup(server.__exit__)
        return server.wait_until_ready()

    @staticmethod
    def stop(server):
        server.process.terminate()
        server.wait()

    def make(self, server, name):
        """A schedule with three events."""
        yearly = {**EVERY_SECOND, "name": name, "spec": {"cron": ["0 0 1 1 *"]}}
        status, schedule = server.ask("POST", SCHEDULES, yearly)
        self.assertEqual(status, 201, schedule)
        for verb in ("pause", "resume"):
            self.assertEqual(server.ask("POST", f"{SCHEDULES}/{name}/{verb}", {"reason": "tea & “ä”\t1"})[0], 200)
        return schedule["id"]

    def verify(self, *flags, server=None, code=0):
        done = belfry("audit", "verify", *flags, **({"BELFRY_URL": server.url} if server else {}))
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code in (0, 3) else done.stderr

    def database(self):
        database = sqlite3.connect(os.path.join(self.folder, "belfry.db"), timeout=PATIENCE_S)
        self.addCleanup(database.close)
        return database

    def change(self, statement, *values):
        """What someone with the file can do, past the triggers."""
        database = self.database()
        guard = database.execute(UPDATE_GUARD).fetchone()[0]
        database.execute("DROP TRIGGER events_are_never_changed")
        database.execute(statement, values)
        database.execute(guard)
        database.commit()

    def age(self):
        """Makes all events ten days older, in chains that are sound."""
        compute = documented_hash()
        database = self.database()
        rows = database.execute("SELECT e.schedule_key, c.id, e.sequence, e.recorded_us FROM events e JOIN schedules c "
                                "ON c.schedule_key = e.schedule_key ORDER BY e.schedule_key, e.sequence").fetchall()
        database.close()
        server = self.serve()
        ids = {row[1] for row in rows}
        histories = {each: server.ask("GET", f"{SCHEDULES}/{each}/history")[1]["items"] for each in ids}
        self.stop(server)
        previous = {each: b"" for each in ids}
        for key, schedule, sequence, recorded in rows:
            event = histories[schedule][sequence - 1]
            seconds, micros = divmod(recorded - TEN_DAYS_US, 1_000_000)
            moment = subprocess.run(["date", "-u", "-d", f"@{seconds}", "+%Y-%m-%dT%H:%M:%S"], capture_output=True,
                                    text=True, check=True).stdout.strip()
            event["recordedAt"] = f"{moment}.{micros:06}Z"
            previous[schedule] = compute(previous[schedule], schedule, event)
            self.change("UPDATE events SET recorded_us = ?, hash = ? WHERE schedule_key = ? AND sequence = ?",
                        recorded - TEN_DAYS_US, previous[schedule], key, sequence)
            self.change("UPDATE schedule_state SET chain = ? WHERE schedule_key = ?", previous[schedule], key)

    def files(self):
        return sorted(os.path.join(self.archive, name) for name in os.listdir(self.archive) if name.endswith(".gz"))


class OnAServer(Audit):
    def test_sound_chains_are_verified_and_a_change_is_found(self):
        server = self.serve()
        first = self.make(server, "first")
        self.make(server, "second")
        self.assertEqual(self.verify(server=server), "verified 6 events of 2 schedules\n")
        self.assertEqual(self.verify("--schedule", "first", server=server), "verified 3 events of 1 schedules\n")
        self.change("UPDATE events SET payload = replace(payload, 'tea', 'pee') WHERE schedule_key = "
                    "(SELECT schedule_key FROM schedules WHERE name = 'first') AND sequence = 2")
        told = self.verify(server=server, code=3)
        self.assertIn(f"broken: schedule {first}: event 2 does not match its hash", told)
        self.assertRegex(told, r"expected [0-9a-f]{64}\n  found    [0-9a-f]{64}")
        broken = json.loads(self.verify("-o", "json", server=server, code=3))["break"]
        self.assertEqual((broken["scheduleId"], broken["sequence"]), (first, 2))
        self.assertEqual(self.verify("--schedule", "second", server=server), "verified 3 events of 1 schedules\n")

    def test_a_chain_that_was_cut_short_is_found(self):
        server = self.serve()
        self.make(server, "cut")
        self.change("DROP TRIGGER events_are_never_removed")
        self.change("DELETE FROM events WHERE sequence = 3")
        self.assertIn("should end with event 3, but its last event is 2", self.verify(server=server, code=3))

    def test_a_page_ends_and_the_next_continues(self):
        server = self.serve()
        self.make(server, "first")
        self.make(server, "second")
        path = "/api/tenants/default/audit/verify?limit=2"
        seen = []
        cursor = ""
        while cursor is not None:
            status, answer = server.ask("GET", path + (f"&cursor={cursor}" if cursor else ""))
            self.assertEqual(status, 200, answer)
            seen.append((answer["events"], answer["schedules"]))
            cursor = answer["nextCursor"]
        self.assertEqual(seen, [(2, 0), (2, 1), (2, 1)])
        self.assertEqual(server.ask("GET", path + "&cursor=00")[0], 422)
        self.assertEqual(server.ask("GET", path + "&schedule=nothing")[0], 404)

    def test_it_says_why_it_could_not_verify(self):
        server = self.serve()
        self.verify("--schedule", "nothing", server=server, code=5)
        self.verify("--url", "http://127.0.0.1:1", code=10)
        self.verify("--join", code=2)
        self.verify("--file", "x", "--schedule", "s", code=2)
        self.verify("--file", os.path.join(self.folder, "missing"), code=5)

    def test_the_program_of_the_page_verifies_a_history(self):
        server = self.serve()
        schedule = self.make(server, "first")
        history = server.ask("GET", f"{SCHEDULES}/first/history")[1]
        self.assertEqual(history["keptFrom"], 1)
        given = {"scheduleId": schedule, "items": history["items"]}

        def run():
            return subprocess.run([sys.executable, "-c", documented_program()], input=json.dumps(given), text=True,
                                  capture_output=True, check=False)

        self.assertEqual(run().stdout, "verified 3 events\n")
        given["items"][1]["payload"]["reason"] = "another"
        self.assertEqual(run().stderr, "event 2 is broken\n")


class InFiles(Audit):
    """A server whose events are old enough to archive."""

    def setUp(self):
        super().setUp()
        server = self.serve()
        self.make(server, "first")
        self.make(server, "second")
        self.stop(server)
        self.age()
        self.server = self.serve("--keep-events-days", "3", "--events-archive-dir", self.archive)
        eventually("an archive", lambda: self.server.ask("GET", f"{SCHEDULES}/second/history")[1]["keptFrom"] == 3)

    def test_the_server_archives_old_events_and_both_parts_verify_together(self):
        files = self.files()
        self.assertEqual(self.verify("--file", *files), "verified 4 events of 2 schedules\n")
        self.assertEqual(self.verify(server=self.server), "verified 2 events of 2 schedules\n")
        self.assertEqual(self.verify("--join", "--file", *files, server=self.server),
                         "verified 6 events of 2 schedules\n")
        kept = self.server.ask("GET", f"{SCHEDULES}/first/history")[1]
        self.assertEqual([event["sequence"] for event in kept["items"]], [3])
        self.assertEqual(self.server.ask("POST", f"{SCHEDULES}/first/pause", {})[0], 200)
        self.assertEqual(self.verify(server=self.server), "verified 3 events of 2 schedules\n")

    def test_a_file_that_was_changed_or_is_missing_is_found(self):
        path = self.files()[0]
        with gzip.open(path, "rt", encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.assertEqual(set(json.loads(lines[0])), {"tenant", "scheduleId", "sequence", "type", "recordedAt",
                                                     "payload", "previousHash", "hash"})
        changed = os.path.join(self.archive, "changed.jsonl")
        with open(changed, "w", encoding="utf-8") as file:  # a file without compression is fine
            file.write("\n".join(lines).replace("tea", "pee"))
        self.assertIn("does not match its hash", self.verify("--file", changed, code=3))
        with open(changed, "w", encoding="utf-8") as file:
            file.write("\n".join(lines[:1]))
        self.verify("--file", changed)
        self.assertIn("is neither in the store nor in the archive",
                      self.verify("--join", "--file", changed, server=self.server, code=3))
        with open(path, "rb") as file:
            whole = file.read()
        with open(path, "wb") as file:
            file.write(whole[:-20])
        self.assertIn("is damaged", self.verify("--file", path, code=1))


if __name__ == "__main__":
    unittest.main()
