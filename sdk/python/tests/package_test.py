"""The package as a whole: generated files are current, types are strict, and the wheel works in an empty environment.
Nothing here needs the internet."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
PROGRAM = """
import asyncio, belfry, pathlib, sys
from belfry.testing import run_task
assert pathlib.Path(belfry.__file__).is_relative_to(sys.prefix), belfry.__file__
assert (pathlib.Path(belfry.__file__).parent / "py.typed").exists()
worker = belfry.Worker()
worker.task("x")(lambda: 42)
assert run_task(worker, "x").result == 42
print(belfry.__version__)
"""


class Package(unittest.TestCase):
    def run_ok(self, *command: object, cwd: Path = PACKAGE) -> str:
        kept = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False,
                              env={**kept, "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_generated_files_are_current(self) -> None:
        self.run_ok(sys.executable, "tools/generate.py", "--check")

    def test_the_reference_is_current(self) -> None:
        self.run_ok(sys.executable, "tools/reference.py", "--check")

    def test_types_are_strict(self) -> None:
        with tempfile.TemporaryDirectory() as cache:
            self.run_ok(sys.executable, "-m", "mypy", "--cache-dir", cache, "-p", "belfry")
            self.run_ok(sys.executable, "-m", "mypy", "--cache-dir", cache, *sorted(PACKAGE.glob("examples/*.py")),
                        *sorted(PACKAGE.glob("tools/*.py")), *sorted(PACKAGE.glob("bench/*.py")))

    def test_the_wheel_works_in_an_empty_environment(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            sources, wheels, environment = (Path(folder) / name for name in ("sources", "wheels", "environment"))
            shutil.copytree(PACKAGE, sources, ignore=shutil.ignore_patterns("__pycache__", ".mypy_cache"))
            self.run_ok(sys.executable, "-m", "pip", "wheel", "--no-index", "--no-deps", "--no-build-isolation", "-w",
                        wheels, sources)
            wheel, = wheels.glob("belfry-*-py3-none-any.whl")
            # httpx is the system's: there is no index to install it from.
            self.run_ok(sys.executable, "-m", "venv", "--without-pip", "--system-site-packages", environment)
            self.run_ok(sys.executable, "-m", "pip", "--python", environment / "bin/python", "install", "--no-index",
                        "--no-deps", wheel)
            version = self.run_ok(environment / "bin/python", "-c", PROGRAM, cwd=Path(folder)).strip()
            self.assertEqual(wheel.name.split("-")[1], version)


if __name__ == "__main__":
    unittest.main()
