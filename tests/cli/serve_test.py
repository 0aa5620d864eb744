"""`belfry serve` as whoever runs it meets it: start, signals, what is logged, and why it refuses to start."""

import contextlib
import http.client
import json
import os
import re
import signal
import shlex
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

from server import EVERY_SECOND, PROGRAM, SCHEDULES, Server, belfry, clean_environment, eventually


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
            self.assertIn(f"schedule_id={created['id']} schedule_name=every-second tenant_id=default target_type=task",
                          line)
            self.assertRegex(line, r"occurrence=\S+Z decision=dispatched lag_ms=\d+")

    def test_it_says_where_it_listens_and_on_which_store(self):
        with Server() as server:
            server.said(rf"info  listening on http://127\.0\.0\.1:\d+ "
                        rf"store=sqlite:{re.escape(server.folder)}/belfry\.db version=\d")
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
        head = (f"POST {SCHEDULES} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n")
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
            server.said("shutting down")
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
            server.said("shutting down")

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
                server.said("shutting down")
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
            server.said(r"warn  setting changed; restart the server to apply it setting=tick_ms value=500")
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
            server.said(r'error cannot read the settings; the current ones stay in effect error="log_level in .*use '
                        r'one of debug, info, warn, error')
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
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "7",
             "-subj", "/CN=belfry",
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
            server.said("info  reloaded the certificates")
            self.assertEqual(self.status(server), 200)
            os.truncate(self.key, 0)
            server.send(signal.SIGHUP)
            server.said(rf'error cannot reload the certificates; the current ones stay in effect error="TLS: '
                        rf'{re.escape(self.key)}: the file is empty"')
            self.assertEqual(self.status(server), 200)

    def test_a_file_that_is_missing_ends_the_start(self):
        result = belfry("serve", "--listen", "127.0.0.1:0", "--tls-certificate", "/nowhere.pem", "--tls-key", self.key)
        self.assertEqual((result.returncode, result.stderr),
                         (2, "error: TLS: /nowhere.pem: No such file or directory\n"))


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
            self.assertEqual(self.refusal(server, {"Origin": "https://attacker.example"}, "DELETE"),
                             (403, "cross_origin"))

    def test_a_proxys_name_is_a_setting(self):
        with Server("--allowed-hosts", "belfry.example") as server:
            server.wait_until_ready()
            self.assertIsNone(self.refusal(server, {"Host": "belfry.example"}))
            self.assertEqual(self.refusal(server, {"Host": "attacker.example"}), (403, "host_not_allowed"))

    def test_the_log_says_what_was_answered_when_it_is_asked_to(self):
        with Server("--log-level", "debug") as server:
            server.wait_until_ready()
            self.assertIsNone(self.refusal(server, {"X-Request-Id": "r-1"}))
            server.said(r"debug Request answered operation=getVersion method=GET path=/api/version status=200 "
                        r"bytes=\d+ request_id=r-1 peer=127\.0\.0\.1 took_us=\d+")


class RefusingToStart(unittest.TestCase):
    def serve(self, *flags, **environment):
        return belfry("serve", *flags, **environment)

    def test_an_address_that_others_can_reach_when_nobody_is_asked(self):
        for listen in ("0.0.0.0:8642", "[::]:8642", "192.168.0.1:8642"):
            result = self.serve("--listen", listen, "--auth", "off")
            self.assertEqual(result.returncode, 2)
            self.assertEqual(
                result.stderr,
                f'error: "{listen}" is reachable from other machines, and auth = off does not authenticate requests; '
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
            self.assertIn(f"error: cannot use the data folder {file.name}/data: Not a directory; set data_dir to a "
                          f"writable folder", result.stderr)

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
            server.said("the store is unavailable; retrying")
            status, answer = server.ask("GET", "/health")
            self.assertEqual((status, answer["code"], answer["detail"]), (503, "starting", "the server is starting"))
            self.assertEqual(server.ask("GET", "/readyz"),
                             (503, {"ready": False, "checks": [{"name": "started", "ok": False, "detail": None}]}))
            with open(f"/proc/{server.process.pid}/cmdline", encoding="utf-8") as file:
                shown = file.read()
            self.assertIn(f"postgres://ada:***@127.0.0.1:{port}/belfry", shown)
            self.assertNotIn("secret", shown)
            server.said("a password on the command line can be read by other users")
            server.send(signal.SIGTERM)
            self.assertEqual(server.wait(), 0, server.log)
            self.assertNotIn("secret", server.log)

    def test_details_are_shown_where_the_operator_opens_them(self):
        with socket.create_server(("127.0.0.1", 0)) as reserved:
            port = reserved.getsockname()[1]
        with Server("--store", f"postgres://ada@127.0.0.1:{port}/belfry", "--health-details", "open") as server:
            server.said("the store is unavailable; retrying")
            self.assertIn("the store is unavailable", server.ask("GET", "/health")[1]["detail"])
            self.assertNotIn("a password on the command line", server.log)

    def test_no_command_shows_the_password_of_a_store(self):
        """A listener that never answers keeps each command waiting while the list of processes is read."""
        commands = [["migrate", "status"], ["migrate", "up"], ["token", "list"], ["tick", "--once"]]
        with socket.create_server(("127.0.0.1", 0)) as silent:
            address = f"postgres://ada:hunter2@127.0.0.1:{silent.getsockname()[1]}/belfry?connect_timeout=60"
            for command in commands:
                for flag in (["--store", address], [f"--store={address}"]):
                    with self.subTest(command=command, flag=len(flag)):
                        process = subprocess.Popen([PROGRAM, *command, *flag], stdout=subprocess.DEVNULL,
                                                   stderr=subprocess.PIPE, text=True, env=clean_environment())
                        try:
                            self.assertIn("note: a password on the command line", process.stderr.readline())
                            with open(f"/proc/{process.pid}/cmdline", encoding="utf-8") as file:
                                shown = file.read()
                            self.assertNotIn("hunter2", shown)
                            self.assertIn("postgres://ada:***@127.0.0.1", shown)
                        finally:
                            process.kill()
                            process.communicate()


class OpenServer(unittest.TestCase):
    def test_it_says_so_with_the_command_that_closes_it(self):
        with Server() as server:
            server.wait_until_ready()
            command = server.said(r"this server is open: every program on this machine has full access; to close it: "
                                  r"belfry (token create .*)\n").group(1)
            self.assertEqual(server.log.count("this server is open"), 1)
            self.assertEqual(server.ask("GET", "/health")[1]["servers"], 1, "its owner sees everything")
            made = belfry(*shlex.split(command))
            self.assertEqual(made.returncode, 0, made.stderr)
            eventually("that it is closed", lambda: server.ask("GET", SCHEDULES)[0] == 401)
            self.assertEqual(set(server.ask("GET", "/health")[1]), {"status", "store", "ticker", "clock"})

    def test_it_refuses_proxies_and_ignores_credentials(self):
        with Server() as server:
            server.wait_until_ready()

            def ask(**headers):
                named = {name.replace("_", "-"): text for name, text in headers.items()}
                request = urllib.request.Request(server.url + SCHEDULES, headers=named)
                try:
                    with urllib.request.urlopen(request, timeout=60) as answer:
                        return answer.status, json.load(answer)
                except urllib.error.HTTPError as error:
                    with error:
                        return error.code, json.load(error)

            self.assertEqual(ask(Authorization="Bearer bfk_of_another_server")[0], 200)
            for header in ("Forwarded", "X_Forwarded_For", "X_Forwarded_Proto", "Via", "X_Real_IP", "CF_Connecting_IP"):
                status, answer = ask(**{header: "anything"})
                self.assertEqual((status, answer["code"]), (403, "forbidden"), header)
                self.assertIn("belfry token create admin --role admin", answer["detail"])

    def test_every_page_as_an_origin_is_refused_at_the_start(self):
        with Server("--allowed-origins", "*") as server:
            self.assertNotEqual(server.wait(), 0)
            self.assertIn("allowed_origins = * lets every page act as the owner of this server", server.log)

    def test_a_page_that_is_allowed_uses_the_api(self):
        with Server("--allowed-origins", "https://app.example") as server:
            server.wait_until_ready()
            host = server.url.removeprefix("http://")

            def ask(method, path, **headers):
                connection = http.client.HTTPConnection(host, timeout=60)
                try:
                    connection.request(method, path,
                                       headers={name.replace("_", "-"): text for name, text in headers.items()})
                    answer = connection.getresponse()
                    body = b"" if "event-stream" in (answer.getheader("Content-Type") or "") else answer.read()
                    return answer.status, answer.headers, body
                finally:
                    connection.close()

            question = {"Access_Control_Request_Method": "POST",
                        "Access_Control_Request_Headers": "authorization,content-type"}
            status, headers, _ = ask("OPTIONS", SCHEDULES, Origin="https://app.example", Sec_Fetch_Site="cross-site",
                                     **question)
            self.assertEqual((status, headers["Access-Control-Allow-Origin"]), (204, "https://app.example"))
            self.assertEqual(headers["Access-Control-Allow-Headers"], "authorization,content-type")
            for path in (SCHEDULES, "/api/tenants/default/events/stream", "/api/tenants/default/schedules/none"):
                _, headers, _ = ask("GET", path, Origin="https://app.example", Sec_Fetch_Site="cross-site")
                self.assertEqual(headers["Access-Control-Allow-Origin"], "https://app.example", path)
                self.assertEqual(headers["Cross-Origin-Resource-Policy"], "cross-origin")
                self.assertIn("Origin", headers.get_all("Vary"))
                self.assertIsNone(headers["Access-Control-Allow-Credentials"])
            for method, stranger in (("OPTIONS", question), ("GET", {}), ("POST", {})):
                status, headers, body = ask(method, SCHEDULES, Origin="https://evil.example",
                                            Sec_Fetch_Site="cross-site", **stranger)
                self.assertEqual((status, json.loads(body)["code"]), (403, "cross_origin"), method)
                self.assertIsNone(headers["Access-Control-Allow-Origin"])
                self.assertIn("add https://evil.example to allowed_origins", json.loads(body)["detail"])
            server.said(r"rejected a browser request code=cross_origin origin=https://evil.example")
            _, headers, _ = ask("GET", "/api/docs")
            self.assertEqual((headers["Cross-Origin-Resource-Policy"], headers["X-Frame-Options"]),
                             ("same-origin", "DENY"))
            self.assertTrue(headers["Content-Security-Policy"].startswith("default-src 'none'"),
                            headers["Content-Security-Policy"])
            self.assertTrue(headers["Content-Security-Policy"].endswith("; frame-ancestors 'none'"),
                            headers["Content-Security-Policy"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
