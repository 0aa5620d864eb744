"""`belfry serve` as whoever runs it meets it: start, signals, what is logged, and why it refuses to start."""

import contextlib
import json
import os
import re
import signal
import shutil
import socket
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request
from urllib.parse import urlsplit

from server import EVERY_SECOND, SCHEDULES, Server, belfry, eventually


def address_of(server):
    parts = urlsplit(server.url)
    return parts.hostname, parts.port


class Serving(unittest.TestCase):
    def test_a_schedule_that_was_created_by_http_fires(self):
        with Server("--min-interval", "1s") as server:
            server.wait_until_ready()
            status, created = server.ask("POST", SCHEDULES, EVERY_SECOND)
            self.assertEqual(status, 201, created)

            def fired():
                return server.ask("GET", f"{SCHEDULES}/{created['id']}")[1]["runCount"] >= 2

            eventually("two runs", fired)
            line = server.said(r"Executing scheduled run .*").group(0)
            self.assertIn(f"schedule_id={created['id']} schedule_name=every-second tenant_id=default target_type=task", line)
            self.assertRegex(line, r"occurrence=\S+Z decision=dispatched lag_ms=\d+")

    def test_it_says_where_it_listens_and_on_which_store(self):
        with Server() as server:
            server.said(rf"info  listening on http://127\.0\.0\.1:\d+ store=sqlite:{re.escape(server.folder)}/belfry\.db version=\d")
            server.wait_until_ready()

    def test_it_says_where_it_listens_however_little_is_logged(self):
        with Server("--log-level", "error") as server:
            server.wait_until_ready()
            self.assertRegex(server.log, r"^listening on http://127\.0\.0\.1:\d+\n$")

    def test_the_log_is_one_json_object_a_line_when_asked(self):
        with Server("--log-format", "json") as server:
            server.wait_until_ready()
            server.send(signal.SIGTERM)
            self.assertEqual(server.wait(), 0)
            lines = [json.loads(line) for line in server.log.splitlines()]
            self.assertEqual(lines[-1]["message"], "ended")
            self.assertTrue(all(line["time"].endswith("Z") and line["level"] for line in lines))

    def test_what_was_created_is_there_after_a_restart(self):
        with tempfile.TemporaryDirectory() as folder:
            with Server("--min-interval", "1s", folder=folder) as server:
                server.wait_until_ready()
                self.assertEqual(server.ask("POST", SCHEDULES, EVERY_SECOND)[0], 201)
                server.send(signal.SIGTERM)
                self.assertEqual(server.wait(), 0)
            with Server("--min-interval", "1s", folder=folder) as server:
                server.wait_until_ready()
                self.assertEqual(server.ask("GET", f"{SCHEDULES}/every-second")[1]["name"], "every-second")


class Ending(unittest.TestCase):
    def half_a_request(self, server):
        """A client in the middle of its body: the server has a request in progress until it is complete."""
        client = socket.create_connection(address_of(server), timeout=60)
        self.addCleanup(client.close)
        body = json.dumps(EVERY_SECOND).encode()
        head = f"POST {SCHEDULES} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        client.sendall(head.encode() + body[:10])
        # An answer on another connection, opened later, shows that the server has read what came before.
        self.assertEqual(server.ask("GET", "/health")[0], 200)
        return client, body[10:]

    def test_sigterm_and_sigint_end_it_with_0(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with Server() as server:
                server.wait_until_ready()
                server.send(number)
                self.assertEqual(server.wait(), 0, server.log)
                self.assertRegex(server.log, r"ended\n$")

    def test_a_request_in_progress_is_answered_before_it_ends(self):
        with Server("--min-interval", "1s", "--drain-seconds", "60") as server:
            server.wait_until_ready()
            client, rest = self.half_a_request(server)
            server.send(signal.SIGTERM)
            server.said("ending")
            client.sendall(rest)
            answer = b""
            while chunk := client.recv(65536):
                answer += chunk
            self.assertTrue(answer.startswith(b"HTTP/1.1 201 "), answer)
            self.assertEqual(server.wait(), 0, server.log)

    def test_nobody_new_is_accepted_while_it_ends(self):
        with Server("--drain-seconds", "60") as server:
            server.wait_until_ready()
            self.half_a_request(server)
            server.send(signal.SIGTERM)
            server.said("ending")

            def refused():
                try:
                    socket.create_connection(address_of(server), timeout=60).close()
                except ConnectionRefusedError:
                    return True
                return False

            eventually("a refused connection", refused)
            self.assertIsNone(server.process.poll())

    def test_a_client_that_never_finishes_is_waited_for_no_longer_than_the_drain(self):
        with Server("--drain-seconds", "1") as server:
            server.wait_until_ready()
            self.half_a_request(server)
            server.send(signal.SIGTERM)
            self.assertEqual(server.wait(), 0, server.log)

    def test_a_second_signal_ends_it_at_once(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with Server("--drain-seconds", "3600") as server:
                server.wait_until_ready()
                self.half_a_request(server)
                server.send(signal.SIGTERM)
                server.said("ending")
                server.send(number)
                self.assertEqual(server.wait(), 128 + number, server.log)


class Reloading(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "belfry.toml")

    def write(self, text):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(text)

    def test_sighup_changes_the_log_and_says_what_needs_a_restart(self):
        self.write('log_level = "info"\ntick_ms = 1000\n')
        with Server("--config", self.path, "--min-interval", "1s") as server:
            server.wait_until_ready()
            self.assertEqual(server.ask("POST", SCHEDULES, EVERY_SECOND)[0], 201)
            self.write('log_level = "debug"\ntick_ms = 500\n')
            server.send(signal.SIGHUP)
            server.said(rf"info  setting changed setting=log_level value=debug origin={re.escape(self.path)}")
            server.said(r"warn  setting changed; it needs a restart setting=tick_ms value=500")
            server.said(r"debug Ticked looked_at=1 decided=1")
            self.write('log_level = "info"\nlog_format = "json"\ntick_ms = 1000\n')
            server.send(signal.SIGHUP)
            server.said(r'"message":"setting changed","setting":"log_format","value":"json"')
            server.send(signal.SIGTERM)
            self.assertEqual(server.wait(), 0)
            self.assertEqual(json.loads(server.log.splitlines()[-1])["message"], "ended")

    def test_a_file_that_cannot_be_read_changes_nothing(self):
        self.write('log_level = "info"\n')
        with Server("--config", self.path) as server:
            server.wait_until_ready()
            self.write('log_level = "loud"\n')
            server.send(signal.SIGHUP)
            server.said(r'error the settings cannot be read; all stays as it was error="log_level in .*use one of debug, info, warn, error')
            self.assertEqual(server.ask("GET", "/health")[0], 200)


@unittest.skipUnless(shutil.which("openssl"), "makes its certificates with the openssl command")
class Tls(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.certificate = os.path.join(folder.name, "server.pem")
        self.key = os.path.join(folder.name, "server.key")
        self.renew()

    def renew(self):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "7", "-subj", "/CN=belfry",
             "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", self.key, "-out", self.certificate],
            check=True, capture_output=True)  # fmt: skip

    def flags(self):
        return "--tls-certificate", self.certificate, "--tls-key", self.key

    def status(self, server):
        """Of the health, as a client gets it that trusts the certificate as it is now."""
        trusting = ssl.create_default_context(cafile=self.certificate)
        with urllib.request.urlopen(server.url + "/health", timeout=60, context=trusting) as answer:
            return answer.status

    def test_it_says_https_and_answers_over_it(self):
        with Server(*self.flags()) as server:
            server.said("ready")
            self.assertRegex(server.url, r"^https://")
            self.assertEqual(self.status(server), 200)

    def test_sighup_reads_the_certificate_again(self):
        with Server(*self.flags()) as server:
            server.said("ready")
            self.renew()
            with self.assertRaises(urllib.error.URLError):
                self.status(server)
            server.send(signal.SIGHUP)
            server.said("info  the certificates were read again")
            self.assertEqual(self.status(server), 200)
            os.truncate(self.key, 0)
            server.send(signal.SIGHUP)
            server.said(rf'error the certificates cannot be read; all stays as it was error="TLS: {re.escape(self.key)}: the file is empty"')
            self.assertEqual(self.status(server), 200)

    def test_a_file_that_is_missing_ends_the_start(self):
        result = belfry("serve", "--listen", "127.0.0.1:0", "--tls-certificate", "/nowhere.pem", "--tls-key", self.key)
        self.assertEqual((result.returncode, result.stderr), (2, "error: TLS: /nowhere.pem: No such file or directory\n"))


class Browsers(unittest.TestCase):
    def refusal(self, server, headers, method="GET"):
        request = urllib.request.Request(server.url + "/api/version", headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60):
                return None
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)["code"]

    def test_names_that_are_not_its_own_and_pages_of_others_are_refused(self):
        with Server() as server:
            server.wait_until_ready()
            self.assertIsNone(self.refusal(server, {}))
            self.assertEqual(self.refusal(server, {"Host": "attacker.example"}), (403, "host_not_allowed"))
            self.assertEqual(self.refusal(server, {"Origin": "https://attacker.example"}, "DELETE"), (403, "cross_origin"))

    def test_a_proxys_name_is_a_setting(self):
        with Server("--allowed-hosts", "belfry.example") as server:
            server.wait_until_ready()
            self.assertIsNone(self.refusal(server, {"Host": "belfry.example"}))
            self.assertEqual(self.refusal(server, {"Host": "attacker.example"}), (403, "host_not_allowed"))

    def test_the_log_says_what_was_answered_when_it_is_asked_to(self):
        with Server("--log-level", "debug") as server:
            server.wait_until_ready()
            self.assertIsNone(self.refusal(server, {"X-Request-Id": "r-1"}))
            server.said(r"debug Answered method=GET path=/api/version status=200 bytes=\d+ took_ms=\S+ request_id=r-1 peer=127\.0\.0\.1")


class RefusingToStart(unittest.TestCase):
    def serve(self, *flags, **environment):
        return belfry("serve", *flags, **environment)

    def test_an_address_that_others_can_reach_when_nobody_is_asked(self):
        for listen in ("0.0.0.0:8642", "[::]:8642", "192.168.0.1:8642"):
            result = self.serve("--listen", listen, "--auth", "off")
            self.assertEqual(result.returncode, 2)
            self.assertEqual(
                result.stderr,
                f'error: "{listen}" can be reached from other machines, and auth = off asks nobody who they are: '
                "set auth to required, or listen on 127.0.0.1, [::1] or localhost\n",
            )

    def test_a_port_in_use(self):
        with socket.create_server(("127.0.0.1", 0)) as taken, tempfile.TemporaryDirectory() as folder:
            port = taken.getsockname()[1]
            result = self.serve("--listen", f"127.0.0.1:{port}", "--data-dir", folder)
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr, rf"^error: .*127\.0\.0\.1:{port}.*in use")
            self.assertEqual(os.listdir(folder), [])

    def test_a_data_folder_that_cannot_be_made(self):
        with tempfile.NamedTemporaryFile() as file:
            result = self.serve("--listen", "127.0.0.1:0", "--data-dir", file.name + "/data")
            self.assertEqual(result.returncode, 1)
            self.assertIn(f"error: cannot use the data folder {file.name}/data: Not a directory; set data_dir to a folder that can be written", result.stderr)

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_a_data_folder_that_cannot_be_written(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o500)
            result = self.serve("--listen", "127.0.0.1:0", "--data-dir", folder)
            self.assertEqual(result.returncode, 1)
            self.assertIn("permission denied", result.stderr)

    def test_a_store_that_is_no_database(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "belfry.db")
            with open(path, "w", encoding="utf-8") as file:
                file.write("this is a letter and no database, and long enough to be taken for one" * 100)
            result = self.serve("--listen", "127.0.0.1:0", "--data-dir", folder)
            self.assertEqual(result.returncode, 1)
            self.assertIn("error: ", result.stderr)


    def test_an_older_schema_names_the_command_that_helps(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "belfry.db")
            self.assertEqual(belfry("migrate", "up", "--store", f"sqlite:{path}").returncode, 0)
            with contextlib.closing(sqlite3.connect(path)) as database, database:
                database.execute("DELETE FROM schema_migrations WHERE number > 1")
            result = self.serve("--listen", "127.0.0.1:0", "--data-dir", folder)
            self.assertEqual(result.returncode, 1)
            self.assertIn("run `belfry migrate up`", result.stderr)


class WaitingForTheDatabase(unittest.TestCase):
    def test_a_postgresql_that_is_away_is_waited_for_and_health_says_so(self):
        with socket.create_server(("127.0.0.1", 0)) as reserved:
            port = reserved.getsockname()[1]
        with Server("--store", f"postgres://ada:secret@127.0.0.1:{port}/belfry") as server:
            server.said("the store is away; trying again")
            status, answer = server.ask("GET", "/health")
            self.assertEqual((status, answer["code"]), (503, "starting"))
            self.assertIn("the store is away", answer["detail"])
            server.send(signal.SIGTERM)
            self.assertEqual(server.wait(), 0, server.log)
            self.assertNotIn("secret", server.log)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
