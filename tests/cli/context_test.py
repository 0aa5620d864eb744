"""Contexts: named servers in a file, and which server a command calls."""

import json
import os
import stat
import sys
import tempfile
import unittest

from server import Server, belfry


class Contexts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "deep", "contexts.toml")

    def belfry(self, *arguments, **environment):
        return belfry(*arguments, BELFRY_CONTEXTS=self.path, **environment)

    def test_the_first_context_becomes_the_current_one(self):
        done = self.belfry("context", "set", "local", "--server", "http://127.0.0.1:1", "--tenant", "billing")
        self.assertEqual((done.returncode, done.stdout), (0, "Saved local: http://127.0.0.1:1, the current context\n"))
        self.belfry("context", "set", "other", "--server", "http://127.0.0.1:2")
        listed = json.loads(self.belfry("context", "list", "-o", "json").stdout)
        self.assertEqual([(each["name"], each["current"], each["tenant"]) for each in listed],
                         [("local", True, "billing"), ("other", False, "default")])

    def test_the_file_is_readable_by_its_owner_only_and_the_list_shows_no_token(self):
        done = self.belfry("context", "set", "x", "--server", "http://127.0.0.1:1", "--token-file", __file__)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(stat.S_IMODE(os.stat(self.path).st_mode), 0o600)
        self.assertNotIn("unittest", self.belfry("context", "list", "-o", "json").stdout)

    def test_use_and_delete_name_known_contexts(self):
        self.belfry("context", "set", "production", "--server", "http://127.0.0.1:1")
        missing = self.belfry("context", "use", "prodution")
        self.assertEqual((missing.returncode, missing.stderr),
                         (5, 'error: there is no context "prodution": did you mean production?\n'))
        self.assertEqual(self.belfry("context", "use", "production").returncode, 0)
        self.assertEqual(self.belfry("context", "delete", "production").stdout, "Deleted production\n")
        self.assertEqual(self.belfry("context", "list", "-o", "json").stdout, "[]\n")

    def test_a_new_context_needs_a_server_and_a_valid_one(self):
        self.assertEqual(self.belfry("context", "set", "x").returncode, 2)
        done = self.belfry("context", "set", "x", "--server", "ftp://x")
        self.assertEqual(done.returncode, 2)
        self.assertIn('--server "ftp://x"', done.stderr)

    def test_a_mistake_in_the_file_names_its_line(self):
        os.makedirs(os.path.dirname(self.path))
        with open(self.path, "w", encoding="utf-8") as file:
            file.write('current = "a"\n[context.a]\nurll = "http://x"\n')
        done = self.belfry("schedule", "list")
        self.assertEqual(done.returncode, 2)
        self.assertIn("line 3", done.stderr)
        self.assertIn("use url, tenant, token or ca_file", done.stderr)

    def test_flags_win_over_variables_and_variables_over_contexts(self):
        with Server() as server:
            server.wait_until_ready()
            self.belfry("context", "set", "gone", "--server", "http://127.0.0.1:1")
            unreachable = self.belfry("schedule", "list")
            self.assertEqual(unreachable.returncode, 10)
            self.assertIn("Is the server running?", unreachable.stderr)
            self.assertEqual(self.belfry("schedule", "list", BELFRY_URL=server.url).returncode, 0)
            self.assertEqual(self.belfry("schedule", "list", "--url", server.url,
                                         BELFRY_URL="http://127.0.0.1:1").returncode, 0)
            self.belfry("context", "set", "here", "--server", server.url)
            self.assertEqual(self.belfry("schedule", "list", "--context", "here").returncode, 0)
            self.assertEqual(self.belfry("schedule", "list", BELFRY_CONTEXT="here").returncode, 0)
            self.assertEqual(self.belfry("schedule", "list", "--context", "here", "--tenant", "none").returncode, 5)

    def test_a_token_of_a_context_is_not_sent_to_another_server(self):
        with Server() as server:
            server.wait_until_ready()
            self.belfry("context", "set", "x", "--server", "http://127.0.0.1:1", "--token-file", __file__)
            # A server without keys rejects a malformed token, so this fails if the token were sent.
            self.assertEqual(self.belfry("schedule", "list", "--url", server.url).returncode, 0)


if __name__ == "__main__":
    sys.exit(unittest.main())
