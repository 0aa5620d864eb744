"""The examples and the worker in the README, each as a program, with a real server."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import unittest
from typing import Any, Dict

from real_server import HERE, PATIENCE_S, Served, eventually

EXAMPLES = HERE.parent / "examples"


class Examples(Served):
    def environment(self) -> Dict[str, str]:
        paths = os.pathsep.join([str(HERE.parent), str(EXAMPLES)])
        return {**os.environ, "BELFRY_URL": self.server.url, "BELFRY_PROGRAM": os.environ["BELFRY"],
                "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}

    def program(self, *arguments: str, **options: Any) -> subprocess.Popen[str]:
        program = subprocess.Popen([sys.executable, *arguments], env=self.environment(), text=True, **options)
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        return program

    def run_to_end(self, *arguments: str) -> str:
        done = subprocess.run([sys.executable, *arguments], env=self.environment(), text=True, capture_output=True,
                              timeout=4 * PATIENCE_S, check=False, cwd="/")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_a_worker_and_a_program_that_manages_schedules(self) -> None:
        worker = self.program(str(EXAMPLES / "report_worker.py"))
        events = self.program("-u", str(EXAMPLES / "follow_events.py"), stdout=subprocess.PIPE)
        printed = ""
        for _ in range(3):  # the stream begins somewhere during these
            printed = self.run_to_end(str(EXAMPLES / "manage_schedules.py"))
        self.assertIn("run: succeeded sent the report of us", printed)
        self.assertIn("history: 1 ScheduleCreated", printed)
        self.assertEqual(len(re.findall("next: ", printed)), 3)
        nightly = eventually(lambda: self.client.list_schedules(name_prefix="nightly").items)
        self.assertEqual(nightly[0].labels, {"belfry.owner": "reports"})
        followed, _ = events.communicate(timeout=PATIENCE_S)
        self.assertEqual(re.findall("weekly-report", followed), ["weekly-report"] * 3)
        worker.send_signal(signal.SIGTERM)
        self.assertEqual(worker.wait(timeout=PATIENCE_S), 0)

    def test_the_worker_of_the_readme_is_the_example(self) -> None:
        readme = (HERE.parent / "README.md").read_text(encoding="utf-8")
        shown = re.search(r"```python\n(.*?)```", readme, re.DOTALL)
        assert shown is not None
        code = [line for line in shown.group(1).splitlines() if line]
        self.assertLessEqual(len(code), 15)
        example = (EXAMPLES / "report_worker.py").read_text(encoding="utf-8").splitlines()
        self.assertEqual([line for line in code if line not in example], ["worker.run()"])

    def test_tests_with_pytest(self) -> None:
        printed = self.run_to_end("-m", "pytest", "-q", "-p", "no:cacheprovider", str(EXAMPLES / "test_report.py"))
        self.assertIn("3 passed", printed)


if __name__ == "__main__":
    unittest.main()
