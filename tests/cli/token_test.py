"""`belfry token` and what it does to a server: keys made, used, listed and revoked by the real program."""

import json
import os
import re
import signal
import sqlite3
import sys
import tempfile
import unittest
import urllib.error
import urllib.request

from server import PATIENCE_S, SCHEDULES, Server, belfry, eventually

SECRET = re.compile(r"bfk_[0-9a-z]{12}_[0-9a-z]{40}")


def ask(server, path, *headers):
    """Status and body of a GET with these headers."""
    request = urllib.request.Request(server.url + path, headers=dict(headers))
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def bearer(secret):
    return ("Authorization", f"Bearer {secret}")


class Token(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def token(self, *arguments, code=0):
        result = belfry("token", *arguments, "--data-dir", self.folder)
        self.assertEqual(result.returncode, code, result.stderr)
        return result

    def create(self, name, *flags):
        """The key and its secret."""
        made = json.loads(self.token("create", name, *flags, "-o", "json").stdout)
        return made, made["secret"]

    def test_a_tenant_that_can_never_be_is_refused(self):
        for tenant in ("ACME corp", "..", "", "a/b", "x" * 300):
            refused = self.token("create", "ci", "--role", "operator", "--tenant", tenant, code=2)
            self.assertIn("--tenant", refused.stderr, tenant)
            self.assertIn("a-z, 0-9", refused.stderr, tenant)
        self.assertEqual(json.loads(self.token("list", "-o", "json").stdout), [])

    def test_a_new_store_is_announced(self):
        made = self.token("create", "ci", "--role", "operator")
        self.assertIn(f"created a new store, sqlite:{self.folder}", made.stderr)
        self.assertNotIn("new store", self.token("list").stderr)

    def test_the_secret_is_shown_once_with_a_hint_how_to_use_it(self):
        made = self.token("create", "ci", "--role", "operator", "--tenant", "acme", "--expires", "90d")
        self.assertRegex(made.stdout, rf"^{SECRET.pattern}\n$")
        self.assertIn('curl -H "Authorization: Bearer $BELFRY_TOKEN" http', made.stderr)
        self.assertNotRegex(made.stderr, SECRET)
        secret = made.stdout.strip()
        for arguments in (["list"], ["list", "-o", "json"]):
            self.assertNotIn(secret[17:], self.token(*arguments).stdout)
        row = json.loads(self.token("list", "-o", "json").stdout)[0]
        self.assertEqual(set(row), {"id", "name", "roles", "state", "createdBy", "createdAt", "expiresAt", "revokedAt"})
        self.assertEqual((row["id"], row["name"], row["roles"], row["state"]),
                         (secret[4:16], "ci", {"acme": ["operator"]}, "active"))
        self.assertRegex(self.token("list").stdout.splitlines()[0], r"^ID +NAME +STATE +CREATED +EXPIRES +ROLES")

    def test_the_store_holds_a_hash_and_no_secret(self):
        _, secret = self.create("ci", "--role", "viewer")
        with sqlite3.connect(os.path.join(self.folder, "belfry.db")) as database:
            dump = "\n".join(database.iterdump())
        self.assertIn(secret[4:16], dump)
        self.assertNotIn(secret[17:], dump)

    def test_a_name_is_free_again_once_its_key_is_revoked(self):
        made, _ = self.create("ci", "--role", "viewer", "--role", "approver")
        self.assertEqual(made["roles"], {"*": ["viewer", "approver"]})
        again = self.token("create", "ci", "--role", "viewer", code=1)
        self.assertEqual(again.stderr, 'error: a key "ci" already exists; revoke it first, or choose another name\n')
        self.assertIn("the server rejects it from now on", self.token("revoke", made["id"]).stderr)
        self.token("revoke", made["id"])
        self.create("ci", "--role", "viewer")
        self.assertEqual([row["state"] for row in json.loads(self.token("list", "-o", "json").stdout)],
                         ["revoked", "active"])

    def test_mistakes_say_what_to_write(self):
        cases = [
            (["create", "ci", "--role", "owner"],
             'error: --role: role "owner": use one of viewer, operator, approver, worker, admin\n'),
            (["create", "ci", "--role", "admin", "--expires", "soon"], "error: --expires: "),
            (["create", "", "--role", "admin"], "error: must not be empty\n"),
        ]
        for arguments, message in cases:
            result = self.token(*arguments, code=2)
            self.assertTrue(result.stderr.startswith(message), result.stderr)
        self.assertEqual(self.token("revoke", "nothing", code=1).stderr, 'error: there is no key "nothing"\n')
        self.assertIn("--role", belfry("token", "create", "ci").stderr)

    def test_a_server_is_open_until_the_first_key_and_follows_what_happens_to_keys(self):
        with Server("--log-level", "debug", folder=self.folder) as server:
            server.wait_until_ready()
            self.assertEqual(ask(server, SCHEDULES)[0], 200)
            # Made and revoked by another process while the server writes to the same file.
            made, secret = self.create("ci", "--role", "viewer", "--tenant", "default")
            eventually("a closed server", lambda: ask(server, SCHEDULES)[0] == 401)
            self.assertEqual(ask(server, SCHEDULES, bearer(secret))[0], 200)
            self.assertEqual(ask(server, SCHEDULES, ("X-API-Key", secret))[0], 200)
            self.assertEqual(ask(server, SCHEDULES, bearer(secret), ("X-API-Key", secret))[0], 401)
            self.assertEqual(ask(server, "/health")[0], 200)
            status, other = ask(server, "/api/tenants/other/schedules", bearer(secret))
            self.assertEqual((status, other["detail"]), (404, 'there is no tenant "other" that you have a role in'))
            request = urllib.request.Request(server.url + SCHEDULES, b"{}", dict(
                [bearer(secret), ("Content-Type", "application/json")]), method="POST")
            with self.assertRaises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(request, timeout=PATIENCE_S)
            with refused.exception as error:
                self.assertEqual(error.code, 403)
                self.assertIn('lacks the permission "write"; it requires the role operator or admin',
                              json.load(error)["detail"])
            self.token("revoke", made["id"])
            self.assertEqual(ask(server, SCHEDULES, bearer(secret))[0], 401)
            self.assertEqual(ask(server, SCHEDULES)[0], 401)
            server.send(signal.SIGTERM)
            self.assertEqual(server.wait(), 0)
            self.assertIn("was revoked at", server.log)
            self.assertNotIn(secret[17:], server.log)

    def test_what_other_machines_can_reach_needs_a_key(self):
        def serve(*flags):
            return belfry("serve", "--listen", "0.0.0.0:0", "--data-dir", self.folder, *flags)

        closed = serve()
        self.assertEqual(closed.returncode, 2)
        self.assertIn(
            'error: "0.0.0.0:0" is reachable from other machines, and no client could authenticate; '
            "create a first key with belfry token create, set auth_file, or listen on 127.0.0.1, [::1] or localhost\n",
            closed.stderr,
        )
        off = serve("--auth", "off")
        self.assertEqual((off.returncode, "auth = off does not authenticate requests" in off.stderr), (2, True))
        _, secret = self.create("admin", "--role", "admin")
        with Server(listen="0.0.0.0:0", folder=self.folder) as server:
            port = server.said(r"listening on http://0\.0\.0\.0:(\d+)").group(1)
            server.said("ready")
            for headers, status in (({}, 401), (dict([bearer(secret)]), 200)):
                request = urllib.request.Request(f"http://127.0.0.1:{port}{SCHEDULES}", headers=headers)
                try:
                    with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                        self.assertEqual(answer.status, status)
                except urllib.error.HTTPError as error:
                    with error:
                        self.assertEqual((error.code, error.headers["WWW-Authenticate"]), (status, "Bearer"))

    def test_the_auth_file_is_checked_at_the_start_and_read_again_by_sighup(self):
        path = os.path.join(self.folder, "auth.toml")

        def write(text):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)

        write("[[issuer]]\nissuer = 5\n")
        wrong = belfry("serve", "--listen", "127.0.0.1:0", "--data-dir", self.folder, "--auth-file", path)
        self.assertEqual((wrong.returncode, wrong.stderr),
                         (2, f"error: {path}, line 2, issuer: must be a text, not a number\n"))
        write("")
        with Server("--auth-file", path, folder=self.folder) as server:
            server.wait_until_ready()
            self.assertEqual(ask(server, SCHEDULES)[0], 401)
            write("[[client]]\nsan = 'DNS:worker'\n")
            server.send(signal.SIGHUP)
            server.said("cannot load the auth_file; the previous one stays in effect")
            write("[[client]]\nsan = 'DNS:worker'\nname = 'worker'\n[client.roles]\ndefault = ['worker']\n")
            server.send(signal.SIGHUP)
            server.said(r"loaded the auth_file issuers=0 clients=1")
            self.assertEqual(ask(server, SCHEDULES)[0], 401)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
