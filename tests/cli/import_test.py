"""`belfry import` and `belfry worker run --shell`, on a real server."""

import json
import os
import socket
import sys
import threading
import unittest

from client import Client
from server import belfry, eventually

CRONTAB = """\
# m h dom mon dow command
CRON_TZ=Europe/Berlin
MAILTO=ops@example.com
GREETING="hello there"
# Back up the database
30 2 * * * /usr/local/bin/backup.sh --all
@reboot /usr/bin/start-thing
0~30 4 * * * /usr/bin/spread
61 5 * * * /usr/bin/wrong
0 5 * * 1-5 echo "$GREETING"; cat%one%two\\%
@daily /opt/backup.sh
"""


class OneAnswer:
    """A server that accepts one schedule and is gone afterwards."""

    def __enter__(self):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._answer)
        self._thread.start()
        return self

    def _answer(self):
        connection, _ = self._listener.accept()
        self._listener.close()
        with connection:
            received = b""
            while not received.endswith(b"}}") and not received.endswith(b'"}'):
                received += connection.recv(65536)
            connection.sendall(b"HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nConnection: close\r\n"
                               b"Content-Length: 2\r\n\r\n{}")

    def __exit__(self, *_):
        self._thread.join()


class ImportCrontab(Client):
    def test_lines_become_schedules_and_the_others_are_listed_with_their_reason(self):
        path = self.file("user.cron", CRONTAB)
        done = self.belfry("import", "crontab", path, "-l", "team=ops", expect=9)
        self.assertIn("Imported 3 of 6.", done.stdout)
        self.assertIn("belfry worker run --shell\n", done.stdout)
        for text in ("line 7: @reboot /usr/bin/start-thing", "@reboot is not a time", "line 8: 0~30", 'minute "61"'):
            self.assertIn(text, done.stdout)
        stored = self.stored("backup")
        self.assertEqual((stored["description"], stored["labels"], stored["spec"]["cron"], stored["spec"]["timezone"]),
                         ("Back up the database", {"imported": "crontab", "team": "ops"}, ["30 2 * * *"],
                          "Europe/Berlin"))
        self.assertEqual(self.stored("backup-2")["spec"]["cron"], ["@daily"])
        again = self.belfry("import", "crontab", path, expect=9)
        self.assertIn("Imported 0 of 6.", again.stdout)
        self.assertEqual(again.stdout.count("a schedule named backup already exists"), 1, again.stdout)

    def test_a_dry_run_and_yaml_need_no_server(self):
        path = self.file("dry.cron", "0 1 * * * /bin/alone\n")
        nowhere = {"BELFRY_URL": "http://127.0.0.1:1"}
        done = belfry("import", "crontab", path, "--tz", "Asia/Tokyo", "--dry-run", **nowhere)
        self.assertEqual((done.returncode, "Would import 1 of 1." in done.stdout), (0, True), done.stderr)
        done = belfry("import", "crontab", path, "--tz", "Asia/Tokyo", "-o", "yaml", **nowhere)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("---\nkind: schedule\nname: alone\n"), done.stdout)
        self.assertEqual(belfry("import", "crontab", path, **nowhere).returncode, 10)

    def test_the_system_form_gives_each_user_a_queue(self):
        path = self.file("system.cron", "17 * * * * root cd / && /usr/sbin/tidy\n1 1 * * * www-data php /srv/x.php\n")
        done = self.belfry("import", "crontab", path, "--tz", "UTC")
        self.assertIn("sudo -u www-data belfry worker run --shell --queue shell-www-data", done.stdout)
        self.assertEqual(self.stored("tidy")["target"]["queue"], "shell-root")
        self.assertEqual(self.stored("x")["target"]["input"], {"command": "php /srv/x.php"})

    def test_when_the_server_goes_away_the_report_lists_what_was_created(self):
        path = self.file("half.cron", "0 1 * * * /bin/one\n0 2 * * * /bin/two\n0 3 * * * /bin/three\n")
        with OneAnswer() as half:
            done = belfry("import", "crontab", path, "--tz", "UTC", BELFRY_URL=half.url)
        self.assertEqual(done.returncode, 9, done.stderr)
        self.assertIn("Imported 1 of 3.", done.stdout)
        self.assertRegex(done.stdout, r"line 1 +one +")
        for text in ("line 2: 0 2 * * * /bin/two", "line 3: 0 3 * * * /bin/three", "was not tried"):
            self.assertIn(text, done.stdout)

    def test_a_file_without_jobs_and_a_missing_one_are_invalid(self):
        self.belfry("import", "crontab", self.file("empty.cron", "# nothing\n"), expect=2)
        self.belfry("import", "crontab", os.path.join(self.folder, "missing"), expect=2)


class ShellWorker(Client):
    def run_once(self, name):
        self.schedule("trigger", name)
        self.belfry("worker", "run", "--shell", "--queue", name, "--once")
        ended = ("succeeded", "failed")
        return eventually("the end of the run", lambda: next(
            (run for run in self.json("schedule", "runs", name) if run["status"] in ended), None))

    def test_a_command_gets_its_environment_and_input_and_its_output_is_kept(self):
        self.belfry("import", "crontab", self.file(
            "greet.cron", "WORD=hello\n0 1 * * * /bin/echo $WORD; cat%one%two\\%\n"), "--queue", "echo")
        run = self.run_once("echo")
        self.assertEqual((run["status"], run["result"]["stdout"]), ("succeeded", "hello\none\ntwo%\n"), json.dumps(run))

    def test_a_failing_command_fails_the_run_with_its_last_words(self):
        self.schedule("create", "broken", "--cron", "0 1 * * *", "--queue", "broken", "--", "sh", "-c",
                      "echo no disk >&2; exit 3")
        run = self.run_once("broken")
        self.assertEqual((run["status"], run["error"]), ("failed", "exit code 3: no disk"), json.dumps(run))

    def test_shell_and_a_command_exclude_each_other(self):
        self.assertIn("each task brings its command",
                      self.belfry("worker", "run", "--shell", "--", "cat", expect=2).stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
