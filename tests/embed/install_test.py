#!/usr/bin/env python3
"""Installs the library into an empty folder, builds examples/embed against it with find_package, and runs it.

BELFRY_BUILD is the build folder, BELFRY_E2E_STORE the database.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(HERE, "..", "e2e"))

from place import store_flags  # noqa: E402  pylint: disable=wrong-import-position


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


class Installed(unittest.TestCase):
    def test_another_project_finds_and_uses_the_library(self):
        with tempfile.TemporaryDirectory() as folder, store_flags() as flags:
            prefix, build = os.path.join(folder, "prefix"), os.path.join(folder, "build")
            run("cmake", "--install", os.environ["BELFRY_BUILD"], "--component", "library", "--prefix", prefix)
            self.assertEqual(sorted(os.listdir(os.path.join(prefix, "include", "belfry"))),
                             ["scheduler.hpp", "task.hpp"])
            run("cmake", "-S", os.path.join(ROOT, "examples", "embed"), "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
            run("cmake", "--build", build)
            store = flags[1] if flags else "sqlite:" + os.path.join(folder, "jobs.db")
            got, runs, history = run(os.path.join(build, "embed"), store).splitlines()
        self.assertEqual(got, 'the task got {"name":"world"}')
        (only,) = json.loads(runs)["items"]
        self.assertEqual((only["status"], only["cause"], only["result"]), ("succeeded", "trigger", {"said": "hello"}))
        types = [event["type"] for event in json.loads(history)["items"]]
        self.assertEqual(types[:2], ["ScheduleCreated", "ScheduleTriggered"])


if __name__ == "__main__":
    unittest.main()
