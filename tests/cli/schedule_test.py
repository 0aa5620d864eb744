"""`belfry schedule`: every verb and exit code, on a real server."""

import json
import os
import re
import signal
import subprocess
import sys
import unittest

from client import Client
from screen import on_screen
from server import PATIENCE_S, PROGRAM, SCHEDULES, Server, belfry, clean_environment, eventually

class Create(Client):
    def test_prints_the_sentence_five_times_and_the_next_command(self):
        done = self.create("nightly", "--tz", "Europe/Berlin")
        self.assertIn("Created nightly. At 3:00 AM every day, in Europe/Berlin", done.stdout)
        self.assertEqual(len(re.findall(r"03:00 CES?T", done.stdout)), 5)
        self.assertIn("belfry schedule trigger nightly --wait", done.stdout)
        self.assertEqual(self.stored("nightly")["spec"]["timezone"], "Europe/Berlin")

    def test_a_program_after_two_dashes_becomes_a_task_and_the_worker_is_explained(self):
        done = self.schedule("create", "backup", "--cron", "30 2 * * *", "--", "./backup.sh", "--all", "a b")
        self.assertIn("belfry worker run --shell\n", done.stdout)
        target = self.stored("backup")["target"]
        self.assertEqual((target["taskKind"], target["queue"], target["input"]),
                         ("shell", "shell", {"command": "./backup.sh --all 'a b'", "cwd": os.getcwd()}))

    def test_http_takes_a_method_and_a_url(self):
        self.schedule("create", "call", "--every", "6h", "--offset", "5m", "--http", "POST", "https://example.com/x",
                      "--body", '{"a": [1]}', "--header", "X-A=b")
        stored = self.stored("call")
        self.assertEqual(stored["spec"]["intervals"][0]["every"], "6h")
        self.assertIn("POST https://example.com/x", self.schedule("describe", "call").stdout)
        wrong = self.schedule("create", "call2", "--every", "6h", "--http", "FETCH", "https://example.com/", expect=2)
        self.assertIn("use --http URL or --http METHOD URL", wrong.stderr)

    def test_every_policy_has_a_flag(self):
        self.create("full", "--overlap", "buffer_one", "--max-concurrency", "2", "--missed", "fire_all",
                    "--max-backfill", "7", "--missed-grace", "PT2M", "--retries", "3", "--backoff", "2s", "--retry-on",
                    "timeout", "--attempt-timeout", "1m", "--worker-lost", "fail", "--on-failure", "halt",
                    "--calendar", "weekends-only", "--condition", '{"/last_24h_stats/failed": {"lt": 3}}', "--approval",
                    "--approval-expires", "2h", "--breaker", "5", "--description", "d", "--notes", "n", "-l", "team=a",
                    "-l", "tier=1", "--memo", '{"k": 1}', "--search-attribute", "x=y", "--jitter", "5m", "--start",
                    "2026-01-01", "--end", "2036-01-01", "--dst-gap", "skip", "--dst-repeat", "last", "--priority", "4",
                    "--metadata", "m=1", "--missed-while-paused", "--paused")
        stored = self.stored("full")
        self.assertEqual(stored["retryPolicy"], {"maxRetries": 3, "backoffMs": 2000, "retryOn": ["timeout"],
                                                 "timeoutMs": 60000})
        self.assertEqual(stored["approvalPolicy"]["expiresAfterMs"], 7200000)
        self.assertEqual([stored[name] for name in ("status", "overlapPolicy", "maxConcurrency", "missedRunPolicy",
                                                    "maxBackfill", "missedGrace", "workerLostPolicy", "calendars",
                                                    "labels", "memo", "searchAttributes", "missedWhilePaused")],
                         ["paused", "buffer_one", 2, "fire_all", 7, "PT2M", "fail", ["weekends-only"],
                          {"team": "a", "tier": "1"}, {"k": 1}, {"x": "y"}, True])
        self.assertEqual(stored["spec"]["dst"], {"gap": "skip", "repeat": "last"})
        self.assertEqual(stored["target"]["priority"], 4)

    def test_a_file_round_trips_and_flags_change_it(self):
        self.create("original", "--label", "answer=yes", "--description", "12:30 # not a comment")
        path = self.file("copy.yaml", self.schedule("get", "original", "-o", "yaml").stdout)
        self.schedule("create", "copied", "-f", path, "--retries", "1")
        original, copied = self.stored("original"), self.stored("copied")
        for member in ("spec", "target", "labels", "description", "overlapPolicy"):
            self.assertEqual(original[member], copied[member])
        self.assertEqual(copied["retryPolicy"]["maxRetries"], 1)

    def test_a_dry_run_shows_the_times_and_creates_nothing(self):
        done = self.create("draft", "--dry-run")
        self.assertIn("At 3:00 AM every day", done.stdout)
        self.assertIn("nothing was created", done.stderr)
        self.assertEqual(self.server.ask("GET", f"{SCHEDULES}/draft")[0], 404)

    def test_errors_name_the_flag_the_value_and_the_fix(self):
        wrong = self.schedule("create", "x", "--cron", "0 24 * * *", "--command", "hello", expect=2)
        self.assertEqual(wrong.stderr, 'error: --cron: hour "24" at column 3: use 0-23\n')
        for arguments, text in ((["x", "--command", "hello"], "say when it runs"),
                                (["x", "--cron", "@daily"], "say what the schedule starts"),
                                (["--cron", "@daily", "--command", "hello"], "name the schedule"),
                                (["x", "--label", "team", "--every", "1h", "--command", "hello"], "use KEY=VALUE"),
                                (["x", "--retries", "many", "--every", "1h", "--task", "t"], "--retries"),
                                (["x", "--every", "1h", "--task", "t", "--tz", "Europe/Berln"], "--tz")):
            self.assertIn(text, self.schedule("create", *arguments, expect=2).stderr)

    def test_a_name_that_is_taken_is_a_conflict(self):
        self.create("twice")
        self.assertIn("twice", self.belfry("schedule", "create", "twice", "--every", "1h", "--task", "t",
                                           expect=6).stderr)

    def test_clock_changes_and_calendars_mark_the_times(self):
        done = self.schedule("create", "gap", "--cron", "30 2 * * *", "--tz", "America/New_York", "--task", "t",
                             "--calendar", "us-federal-holidays-2026")
        self.assertEqual(done.returncode, 0)
        shown = self.schedule("preview", "gap", "--from", "2027-03-13", "--to", "2027-03-15").stdout
        self.assertIn("02:30 does not exist on 14 Mar → runs 03:00", shown)
        shown = self.schedule("preview", "gap", "--from", "2026-12-25", "--to", "2026-12-26").stdout
        self.assertRegex(shown, "skipped – .*us-federal-holidays-2026")


class Change(Client):
    def test_update_changes_only_what_is_given(self):
        self.create("u")
        self.schedule("update", "u", "--cron", "0 4 * * *", "--retries", "2")
        stored = self.stored("u")
        self.assertEqual((stored["spec"]["cron"], stored["retryPolicy"]["maxRetries"], stored["target"]["input"]),
                         (["0 4 * * *"], 2, {"command": "hello", "name": "world"}))
        self.assertIn("nothing to change", self.schedule("update", "u", expect=2).stderr)
        self.schedule("update", "none", "--retries", "1", expect=5)

    def test_pause_until_a_weekday_a_date_or_a_duration_in_the_zone_of_the_schedule(self):
        self.create("p", "--tz", "Asia/Tokyo")
        self.schedule("pause", "p", "--until", "2036-12-27", "--reason", "upgrade")
        stored = self.stored("p")
        self.assertEqual((stored["pausedUntil"], stored["pauseReason"]), ("2036-12-26T15:00:00Z", "upgrade"))
        for text in ("monday", "P7D", "tomorrow 09:00", "2h"):
            self.schedule("pause", "p", "--until", text)
        self.assertIn("is not a time", self.schedule("pause", "p", "--until", "soon", expect=2).stderr)
        self.assertIn("paused – would next run", self.schedule("describe", "p").stdout)
        self.assertIn("Resumed p. Next run in", self.schedule("resume", "p").stdout)

    def test_labels_choose_several_and_need_a_yes(self):
        for name in ("l1", "l2", "l3"):
            self.create(name, "-l", "team=billing", "-l", f"name={name}")
        refused = self.schedule("pause", "-l", "team=billing", expect=2)
        self.assertEqual(refused.stderr, "error: this would pause 3 schedules: add --yes\n")
        self.schedule("pause", "-l", "team=billing", "--yes")
        self.assertEqual({self.stored(name)["status"] for name in ("l1", "l2", "l3")}, {"paused"})
        self.schedule("resume", "-l", "team=billing", "-l", "name=l2")
        self.assertEqual([self.stored(name)["status"] for name in ("l1", "l2", "l3")], ["paused", "active", "paused"])
        self.schedule("resume", "-l", "team=none", "--yes", expect=5)
        self.schedule("resume", "l1", "-l", "team=billing", expect=2)
        self.assertIn("name a schedule", self.schedule("pause", expect=2).stderr)

    def test_a_terminal_is_asked_before_many_change(self):
        for name in ("a1", "a2"):
            self.create(name, "-l", "ask=me")
        code, printed = on_screen("schedule", "pause", "-l", "ask=me", typed="n\n", **self.place)
        self.assertEqual(code, 2)
        self.assertIn("This will pause 2 schedules. Continue? [y/N]", printed)
        self.assertEqual(self.stored("a1")["status"], "active")
        code, printed = on_screen("schedule", "pause", "-l", "ask=me", typed="y\n", **self.place)
        self.assertEqual(code, 0, printed)
        self.assertEqual(self.stored("a2")["status"], "paused")

    def test_failures_of_many_are_reported_and_the_others_change(self):
        self.create("good")
        done = self.schedule("pause", "good", "bad", expect=9)
        self.assertEqual(done.stdout, "Paused good.\n")
        self.assertIn("error: bad: ", done.stderr)
        self.assertIn("1 of 2 failed", done.stderr)
        self.schedule("pause", "bad", "worse", expect=5)

    def test_delete_with_a_reason(self):
        self.create("gone")
        self.assertEqual(self.schedule("delete", "gone", "--reason", "old").stdout, "Deleted gone.\n")
        self.schedule("get", "gone", expect=5)

    def test_trigger_waits_and_shows_the_output(self):
        self.create("t")
        done = self.schedule("trigger", "t", "--wait")
        self.assertRegex(done.stdout, r"^Run \S+: succeeded after .*\n  Hello, world!\n$")
        self.assertIn("succeeded", self.schedule("trigger", "t", "--watch").stdout)
        self.assertEqual(self.json("schedule", "trigger", "t", "--wait", "--input",
                                   '{"command": "hello", "name": "you"}')["status"],
                         "succeeded")

    def test_a_failed_run_exits_with_8_and_a_slow_one_with_7(self):
        self.schedule("create", "f", "--cron", "0 3 * * *", "--command", "fail")
        self.schedule("trigger", "f", "--wait", expect=8)
        self.schedule("create", "s", "--cron", "0 3 * * *", "--command", "slow")
        done = self.schedule("trigger", "s", "--wait", "--timeout", "100ms", expect=7)
        self.assertIn("it continues on the server", done.stderr)
        self.assertIn("Skipped: ", self.schedule("trigger", "s", expect=6).stdout)

    def test_calendars_conditions_and_rotations(self):
        self.create("parts")
        self.schedule("calendar", "attach", "parts", "weekends-only", "--reason", "r")
        self.assertEqual(self.stored("parts")["calendars"], ["weekends-only"])
        self.schedule("calendar", "detach", "parts", "weekends-only")
        self.assertEqual(self.stored("parts")["calendars"], [])
        self.schedule("condition", "set", "parts", '{"/last_24h_stats/failed": {"lt": 3}}')
        self.assertIn("holds now", self.schedule("condition", "get", "parts").stdout)
        self.schedule("condition", "clear", "parts")
        self.assertIsNone(self.json("schedule", "condition", "get", "parts")["condition"])
        self.schedule("rotation", "set", "parts", '{"command": "hello", "name": "a"}',
                      '{"command": "hello", "name": "b"}')
        self.assertEqual(self.json("schedule", "rotation", "get", "parts")["entries"],
                         [{"command": "hello", "name": "a"}, {"command": "hello", "name": "b"}])
        self.schedule("rotation", "clear", "parts")
        self.assertEqual(self.stored("parts")["inputsRotation"], [])


class Read(Client):
    def test_lists_in_every_format(self):
        self.create("one", "-l", "in=list")
        self.create("two", "-l", "in=list")
        chosen = ("list", "-l", "in=list")
        self.assertEqual(self.schedule(*chosen, "-o", "name").stdout, "one\ntwo\n")
        self.assertEqual([each["name"] for each in self.json("schedule", *chosen)], ["one", "two"])
        lines = self.schedule(*chosen, "-o", "jsonl").stdout.splitlines()
        self.assertEqual([json.loads(line)["name"] for line in lines], ["one", "two"])
        self.assertTrue(self.schedule(*chosen, "-o", "yaml").stdout.startswith("- "))
        self.assertRegex(self.schedule(*chosen).stdout, r"^NAME +STATUS +NEXT RUN +RUNS\none +active +in \d+ h")
        self.assertIn("DOES", self.schedule(*chosen, "-o", "wide").stdout)
        self.assertEqual(self.schedule("list", "-q", "nothing").stderr, "note: no schedule found\n")
        self.assertIn("there are more", self.schedule("list", "--limit", "1").stderr)
        self.assertIn("use table, wide", self.schedule("list", "-o", "xml", expect=2).stderr)

    def test_a_terminal_gets_columns_that_fit(self):
        for name in ("short", "a-name-that-is-rather-long-for-a-table-of-eighty-columns"):
            self.create(name, "-l", "in=screen", "--paused")
        chosen = ("schedule", "list", "-l", "in=screen")
        for columns in (80, 120):
            code, printed = on_screen(*chosen, columns=columns, **self.place)
            self.assertEqual(code, 0)
            self.assertLessEqual(max(len(line) for line in printed.splitlines()), columns)
        self.assertEqual(on_screen(*chosen, columns=120, **self.place)[1], GOLDEN_120)
        self.assertEqual(on_screen(*chosen, columns=80, **self.place)[1], GOLDEN_80)

    def test_colours_only_on_a_terminal_and_without_no_color(self):
        self.create("coloured", "-l", "in=colour", "--paused")
        chosen = ("schedule", "list", "-l", "in=colour")
        self.assertNotIn("\x1b", self.belfry(*chosen).stdout)
        self.assertNotIn("\x1b", on_screen(*chosen, **self.place)[1])
        self.assertIn("\x1b[33mpaused\x1b[0m", on_screen(*chosen, NO_COLOR=None, **self.place)[1])

    def test_describe_is_one_page(self):
        self.create("page", "--tz", "Europe/Berlin", "--retries", "2", "-l", "team=a", "--description", "What it does")
        self.schedule("trigger", "page", "--wait")
        page = self.schedule("describe", "page").stdout
        for text in ("At 3:00 AM every day", "command hello", "if the last run is still going: skip this one",
                     "after downtime: run nothing", "2 times, first after 1.0 s", "team=a", "What it does",
                     "1 started, 0 failed, 0 skipped", "Next times", "Last runs", "succeeded"):
            self.assertIn(text, page)
        self.assertEqual(self.json("schedule", "describe", "page")["name"], "page")
        self.schedule("describe", "nothing", expect=5)

    def test_history_has_the_columns_pages_and_formats_of_its_requirement(self):
        self.create("h")
        for _ in range(2):
            self.schedule("pause", "h")
            self.schedule("resume", "h")
        done = self.schedule("history", "h", "--limit", "2")
        self.assertRegex(done.stdout, r"^Seq +Event +Recorded At")
        self.assertEqual(done.stderr, "More events available: add --after-sequence 2, or --all\n")
        self.assertEqual([event["sequence"] for event in self.json("schedule", "history", "h", "--limit", "2",
                                                                   "--after-sequence", "2")["items"]], [3, 4])
        page = self.json("schedule", "history", "h", "--limit", "2")
        self.assertIsNotNone(page["nextCursor"])
        everything = self.json("schedule", "history", "h", "--limit", "2", "--all")
        self.assertEqual([event["sequence"] for event in everything["items"]], [1, 2, 3, 4, 5])
        self.assertIsNone(everything["nextCursor"])
        lines = self.schedule("history", "h", "--all", "-o", "jsonl")
        self.assertEqual([json.loads(line)["sequence"] for line in lines.stdout.splitlines()], [1, 2, 3, 4, 5])
        self.assertEqual(lines.stderr, "")
        self.schedule("trigger", "h", "--wait")
        self.assertRegex(self.schedule("history", "h").stdout,
                         r"Workflow Refs\n(.*\n)*.*ScheduleTriggered.*schedule:h:")

    def test_why_answers_for_last_next_and_times_in_words(self):
        self.create("w", "--tz", "Asia/Tokyo")
        self.assertIn("Asked:", self.schedule("why", "w").stdout)
        self.assertIn("no runs yet", self.schedule("why", "w", "--at", "last", expect=5).stderr)
        self.schedule("trigger", "w", "--wait")
        self.assertEqual(self.json("schedule", "why", "w", "--at", "last")["timezone"], "Asia/Tokyo")
        self.assertIn(self.json("schedule", "why", "w", "--at", "next")["verdict"], ("will_dispatch", "due"))
        self.assertTrue(self.json("schedule", "why", "w", "--at", "03:00 yesterday")["local"].endswith("T03:00:00"))
        self.schedule("why", "w", "--at", "whenever", expect=2)

    def test_preview_simulate_runs_and_load(self):
        self.create("times")
        self.assertEqual(self.schedule("preview", "times", "-n", "3").stdout.count("03:00 UTC"), 3)
        self.assertEqual(len(self.json("schedule", "preview", "times", "-n", "4")["items"]), 4)
        simulated = self.schedule("simulate", "times", "--to", "P3D", "--takes", "30h").stdout
        self.assertIn("succeeded after 1 d 6 h", simulated)
        self.assertIn("skipped", simulated)
        self.schedule("trigger", "times", "--wait")
        self.assertIn("succeeded", self.schedule("runs", "times").stdout)
        self.assertEqual(self.schedule("runs", "times", "--status", "failed").stdout, "")
        load = self.schedule("load", "--tz", "Europe/Berlin").stdout
        self.assertIn("runs an hour   (Europe/Berlin)", load)
        self.assertLessEqual(max(len(line) for line in load.splitlines()[:5]), 80)

    def test_health_of_the_server_and_of_a_schedule(self):
        self.assertRegex(self.schedule("health").stdout, r"^worker: ok\nticker: ok\nstore: ok\nclock: ok\n")
        self.schedule("create", "ill", "--cron", "0 3 * * *", "--command", "fail")
        self.assertIn("ill: ok", self.schedule("health", "ill").stdout)
        for _ in range(3):
            self.schedule("trigger", "ill", "--wait", expect=8)
        self.assertRegex(self.schedule("health", "ill", expect=3).stdout, r"^ill: (warning|failing)\n")

    def test_watch_prints_rows_that_change(self):
        self.create("seen", "-l", "in=watch")
        with subprocess.Popen([PROGRAM, "schedule", "list", "-l", "in=watch", "--watch", "-o", "jsonl"],
                              stdout=subprocess.PIPE, text=True, env=clean_environment(**self.place)) as watching:
            self.assertEqual(json.loads(watching.stdout.readline())["status"], "active")
            self.schedule("pause", "seen")
            self.assertEqual(json.loads(watching.stdout.readline())["status"], "paused")
            watching.send_signal(signal.SIGINT)
            watching.wait(PATIENCE_S)

    def test_short_forms_of_other_tools(self):
        self.create("k")
        for words in (("get", "schedules"), ("ls",), ("schedules",), ("schedule", "ls"), ("list", "schedule")):
            self.assertIn("NAME", self.belfry(*words).stdout, words)
        self.assertIn("k", self.belfry("describe", "k").stdout)
        self.assertIn("k", self.belfry("get", "schedule", "k").stdout)
        self.assertIn("Deleted k.", self.belfry("rm", "k").stdout)


class Refused(unittest.TestCase):
    def test_a_server_with_keys_answers_4_without_one(self):
        with Server() as server:
            server.wait_until_ready()
            made = belfry("token", "create", "reader", "--role", "viewer", "--data-dir", server.folder)
            self.assertEqual(made.returncode, 0, made.stderr)
            refused = eventually("a server that asks for keys", lambda: (
                lambda done: done if done.returncode else None)(belfry("schedule", "list", BELFRY_URL=server.url)))
            self.assertEqual(refused.returncode, 4)
            self.assertIn("BELFRY_TOKEN", refused.stderr)
            token = re.search(r"\S{30,}", made.stdout).group(0)
            self.assertEqual(belfry("schedule", "list", BELFRY_URL=server.url, BELFRY_TOKEN=token).returncode, 0)
            self.assertEqual(belfry("schedule", "create", "x", "--every", "1h", "--task", "t", BELFRY_URL=server.url,
                                    BELFRY_TOKEN=token).returncode, 4)

    def test_a_server_that_is_away_is_10(self):
        self.assertEqual(belfry("schedule", "list", "--url", "http://127.0.0.1:1").returncode, 10)


GOLDEN_120 = """\
NAME                                                      STATUS  NEXT RUN  RUNS
a-name-that-is-rather-long-for-a-table-of-eighty-columns  paused  paused    At 3:00 AM every day
short                                                     paused  paused    At 3:00 AM every day
"""
GOLDEN_80 = """\
NAME                                                      STATUS  NEXT …  RUNS
a-name-that-is-rather-long-for-a-table-of-eighty-columns  paused  paused  At 3:…
short                                                     paused  paused  At 3:…
"""


if __name__ == "__main__":
    sys.exit(unittest.main())
