"""The other nouns of the command line, on a real server: runs, backfills, calendars, workflows and the rest."""

import json
import subprocess
import sys
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer

from client import Client
from server import PATIENCE_S, PROGRAM, Server, belfry, clean_environment, eventually

WORKFLOW = """
description: Two steps
nodes:
  - id: first
  - id: second
    dependsOn: [first]
"""
HOLIDAYS = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:test
BEGIN:VEVENT
UID:1
SUMMARY:Closed
DTSTART;VALUE=DATE:20361224
END:VEVENT
END:VCALENDAR
""".replace("\n", "\r\n")


class Runs(Client):
    def run_of(self, name):
        return self.json("schedule", "runs", name)[0]["id"]

    def test_list_get_events_and_nodes(self):
        self.create("r")
        self.schedule("trigger", "r", "--wait")
        run = self.run_of("r")
        self.assertEqual(self.belfry("run", "list", "--schedule", "r", "-o", "name").stdout, run + "\n")
        self.assertIn("succeeded", self.belfry("run", "list", "--from", "yesterday", "--to", "now").stdout)
        page = self.belfry("run", "get", run).stdout
        for text in ("Status:", "Planned:", "Dispatched:", "Started:", "Ended:", "(+", "UTC", "Hello,"):
            self.assertIn(text, page)
        self.assertIn("SEQ", self.belfry("run", "events", run).stdout)
        self.belfry("run", "get", run, "--wait")
        self.belfry("run", "get", "nothing", expect=5)

    def test_cancel_and_terminate_end_a_run(self):
        for verb, status in (("cancel", "cancelled"), ("terminate", "terminated")):
            self.schedule("create", verb, "--cron", "0 3 * * *", "--task", "t", "--queue", "unclaimed")
            self.schedule("trigger", verb)
            run = self.run_of(verb)
            self.assertEqual(self.belfry("run", verb, run, "--reason", "r").stdout, f"The run is {status}.\n")
            self.belfry("run", "get", run, "--wait", expect=8)
            self.belfry("run", verb, run, expect=6)

    def test_a_failed_run_is_run_again(self):
        self.schedule("create", "again", "--cron", "0 3 * * *", "--command", "fail")
        self.schedule("trigger", "again", "--wait", expect=8)
        self.assertIn("failed", self.belfry("run", "rerun", self.run_of("again"), "--watch", expect=8).stdout)

    def test_approvals_are_listed_and_decided(self):
        self.create("asks", "--approval", "--overlap", "allow_all")
        self.schedule("trigger", "asks")
        self.schedule("trigger", "asks")
        first, second = self.belfry("approval", "list", "--status", "pending", "-o", "name").stdout.split()
        self.assertIn("Approved.", self.belfry("approval", "approve", first, "--comment", "fine").stdout)
        self.belfry("run", "get", first, "--wait")
        self.assertIn("Rejected.", self.belfry("run", "reject", second, "--comment", "no").stdout)
        self.belfry("approval", "approve", second, expect=6)
        self.assertIn("asks", self.belfry("approval", "list", "--status", "rejected").stdout)


class Backfills(Client):
    def test_a_dry_run_lists_and_a_backfill_runs_the_past(self):
        self.create("b", "--overlap", "allow_all")
        planned = self.belfry("backfill", "create", "b", "--from", "P3D", "--dry-run")
        self.assertIn("This would start 3 runs", planned.stdout)
        self.assertEqual(self.belfry("backfill", "list", "b").stdout, "")
        made = self.json("backfill", "create", "b", "--from", "P3D", "--to", "now", "--concurrency", "3")
        eventually("the end of the backfill",
                   lambda: self.json("backfill", "get", made["id"])["status"] == "completed")
        self.assertEqual(self.json("backfill", "get", made["id"])["dispatched"], 3)
        self.assertEqual(self.belfry("backfill", "list", "b", "-o", "name").stdout, made["id"] + "\n")
        self.belfry("backfill", "cancel", made["id"], expect=6)
        self.belfry("backfill", "create", "b", "--from", "P3D", "--rerun", "some", expect=2)


class Calendars(Client):
    def test_create_clone_import_get_and_delete(self):
        self.belfry("calendar", "create", "closing", "--date", "2036-12-24", "--date", "2036-12-31", "--tz",
                    "Europe/Berlin")
        self.assertIn("2036-12-24, 2036-12-31", self.belfry("calendar", "get", "closing").stdout)
        self.belfry("calendar", "clone", "us-federal-holidays-2026", "ours")
        self.assertIn("weekends-only", self.belfry("calendar", "list", "-o", "name").stdout)
        path = self.file("holidays.ics", HOLIDAYS)
        self.assertEqual(self.belfry("calendar", "import", "imported", path).stdout,
                         "Read 1 dates of 1 events; 1 are new.\n")
        self.assertEqual(self.json("calendar", "get", "imported")["dates"], ["2036-12-24"])
        self.assertEqual(self.belfry("calendar", "delete", "closing").stdout, "Deleted closing.\n")
        self.belfry("calendar", "get", "closing", expect=5)
        self.belfry("calendar", "create", "wrong", "--date", "24.12.", expect=2)
        self.belfry("calendar", "delete", "us-federal-holidays-2026", expect=4)


class Workflows(Client):
    def test_apply_list_get_versions_start_and_delete(self):
        path = self.file("two.yaml", WORKFLOW)
        done = self.belfry("workflow", "apply", "two", "-f", path)
        self.assertEqual(done.stdout, "two has version 1 with 2 nodes.\n")
        self.assertEqual(self.belfry("workflow", "list", "-o", "name").stdout, "two\n")
        self.assertIn("first, second", self.belfry("workflow", "get", "two").stdout)
        self.assertEqual(len(self.json("workflow", "versions", "two")), 1)
        done = self.belfry("workflow", "start", "two", "--input", '{"a": 1}')
        self.assertRegex(done.stdout, r"^Started run \S+\.\n\nFollow it:\n  belfry run get \S+ --watch\n$")
        run = done.stdout.split()[2].rstrip(".")
        self.assertIn("Nodes of two, version 1", self.belfry("run", "get", run).stdout)
        self.assertEqual([node["node"] for node in self.json("run", "nodes", run)], ["first", "second"])
        self.belfry("workflow", "get", "none", expect=5)
        self.belfry("workflow", "apply", "-f", path, expect=2)
        self.belfry("run", "terminate", run)
        self.assertEqual(self.belfry("workflow", "delete", "two").stdout, "Deleted two.\n")

    def test_a_task_starts_at_once(self):
        self.belfry("task", "start", "command", "--input", '{"command": "hello", "name": "task"}', "--wait")
        self.belfry("task", "start", "nothing", "--queue", "q", "--wait", "--timeout", "50ms", expect=7)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):  # pylint: disable=invalid-name
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


class Administration(Client):
    def test_tenants_and_assignees(self):
        self.belfry("tenant", "create", "billing", "--description", "Invoices", "--runs-per-day", "10")
        self.assertEqual(self.json("tenant", "get", "billing")["runsPerDay"], 10)
        self.assertEqual(self.belfry("tenant", "list", "-o", "name").stdout, "billing\ndefault\n")
        self.belfry("tenant", "create", "billing", expect=6)
        self.belfry("assignee", "set", "writer", "--type", "agent", "--display-name", "Writer")
        self.assertEqual(self.json("assignee", "get", "writer")["displayName"], "Writer")
        self.assertEqual(self.belfry("assignee", "list", "-o", "name").stdout, "writer\n")
        self.belfry("assignee", "delete", "writer")
        self.belfry("assignee", "get", "writer", expect=5)

    def test_doctor_finds_a_healthy_server_and_a_wrong_tenant(self):
        done = self.belfry("doctor")
        self.assertRegex(done.stdout, r"^CHECK +STATE +DETAIL\nserver +ok ")
        self.assertNotIn("PROBLEM", done.stdout)
        self.assertIn("PROBLEM", self.belfry("doctor", "--tenant", "none", expect=3).stdout)
        self.belfry("doctor", "--url", "http://127.0.0.1:1", expect=10)

    def test_events_are_followed_and_reported(self):
        self.schedule("create", "waits", "--on-event", "file-arrived", "--command", "hello", "--input", '{"name": "x"}')
        with subprocess.Popen([PROGRAM, "event", "follow", "-n", "1", "--type", "run.succeeded", "-o", "jsonl"],
                              stdout=subprocess.PIPE, text=True, env=clean_environment(**self.place)) as following:
            def report():
                self.belfry("event", "report", "file-arrived", "--payload", '{"path": "/a"}')
                return following.poll() is not None
            eventually("an event in the stream", report)
            line = json.loads(following.stdout.readline())
            self.assertEqual(line["type"], "run.succeeded")
            self.assertEqual(following.wait(PATIENCE_S), 0)
        self.assertIn("no schedule waits", self.belfry("event", "report", "unknown").stderr)

    def test_completion_offers_commands_flags_and_names(self):
        self.create("complete-me")
        for words, offered in ((["sch"], "schedule\n"), (["schedule", "pau"], "pause\n"),
                               (["schedule", "pause", "--unt"], "--until\n"),
                               (["schedule", "pause", "complete"], "complete-me\n"),
                               (["schedule", "calendar", "att"], "attach\n"), (["schedule", "create", "x"], "")):
            self.assertEqual(self.belfry("__complete", *words).stdout, offered)
        for shell in ("bash", "zsh", "fish"):
            self.assertIn("belfry __complete", self.belfry("completion", shell).stdout)
        self.belfry("completion", "cmd", expect=2)
        script = 'source <("$0" completion bash); belfry() { "$BELFRY" "$@"; }; COMP_WORDS=(belfry schedule describe '
        script += 'compl); COMP_CWORD=3; _belfry; echo "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", script, PROGRAM], capture_output=True, text=True, check=True,
                              env=clean_environment(BELFRY=PROGRAM, **self.place))
        self.assertEqual(done.stdout, "complete-me\n", done.stderr)


class Webhooks(unittest.TestCase):
    def test_create_test_and_delete(self):
        receiver = HTTPServer(("127.0.0.1", 0), Receiver)
        self.addCleanup(receiver.server_close)
        self.addCleanup(receiver.shutdown)
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        with Server("--outgoing-allow", "127.0.0.0/8") as server:
            server.wait_until_ready()

            def webhook(*arguments, expect=0):
                done = belfry("webhook", *arguments, BELFRY_URL=server.url)
                self.assertEqual(done.returncode, expect, done.stderr)
                return done.stdout
            made = json.loads(webhook("create", f"http://127.0.0.1:{receiver.server_port}/", "--event", "run.failed",
                                      "-o", "json"))
            self.assertIn("secret", made)
            self.assertIn("run.failed", webhook("list"))
            self.assertEqual(webhook("list", "-o", "name"), made["id"] + "\n")
            self.assertIn("true", webhook("test", made["id"]))
            self.assertTrue(webhook("rotate-secret", made["id"]).strip())
            webhook("deliveries", made["id"])
            webhook("get", made["id"])
            webhook("delete", made["id"])
            webhook("get", made["id"], expect=5)


if __name__ == "__main__":
    sys.exit(unittest.main())
