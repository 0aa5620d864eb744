"""A test case with a server of its own that lets everybody in, and a client that remembers which operations were
called."""

import time
import unittest

from client import Client
from place import running_server


def eventually(look, patience_s=60):
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        if found := look():
            return found
        time.sleep(0.05)
    raise AssertionError("it never happened")


class Served(unittest.TestCase):
    flags = ("--min-interval", "1s", "--auth", "off")

    @classmethod
    def setUpClass(cls):
        server = running_server(*cls.flags)
        cls.server = server.__enter__()
        cls.addClassCleanup(server.__exit__, None, None, None)
        cls.seen = {}
        cls.client = Client(cls.server.url, seen=cls.seen)

    def expect_all_called(self, of_interest):
        """For the last test by its name: what no test before it has called is not tested."""
        wanted = {name for name, (_, _, operation) in self.client.document.operations.items() if of_interest(operation)}
        self.assertEqual(sorted(wanted - set(self.seen)), [])
