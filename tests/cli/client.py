"""Tests of commands that call a server."""

import json
import os
import tempfile
import unittest

from server import SCHEDULES, Server, belfry

COMMANDS = """
[[command]]
name = "hello"
argv = ["/bin/echo", "Hello, ${input/name}!"]

[[command]]
name = "fail"
argv = ["/bin/false"]

[[command]]
name = "slow"
argv = ["/bin/sleep", "600"]
"""


class Client(unittest.TestCase):
    """One server for all tests of the class. Each test uses names of its own."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        commands = cls.file("commands.toml", COMMANDS)
        cls.server = Server(BELFRY_COMMANDS_FILE=commands)
        cls.addClassCleanup(cls.server.__exit__)
        cls.server.wait_until_ready()
        cls.place = {"BELFRY_URL": cls.server.url}

    @classmethod
    def file(cls, name, text):
        path = os.path.join(cls.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def belfry(self, *arguments, expect=0):
        done = belfry(*arguments, **self.place)
        self.assertEqual(done.returncode, expect, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def json(self, *arguments, expect=0):
        return json.loads(self.belfry(*arguments, "-o", "json", expect=expect).stdout)

    def schedule(self, *arguments, expect=0):
        return self.belfry("schedule", *arguments, expect=expect)

    def create(self, name, *arguments):
        return self.schedule("create", name, "--cron", "0 3 * * *", "--command", "hello", "--input",
                             '{"name": "world"}', *arguments)

    def stored(self, name):
        status, schedule = self.server.ask("GET", f"{SCHEDULES}/{name}")
        self.assertEqual(status, 200, schedule)
        return schedule
