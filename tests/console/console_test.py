"""The web console: console_test.py unit | FILE

unit    component tests of its texts, without a browser
FILE    a file of console/tests: Chromium against the real server on SQLite

They run where the build has installed the packages of the console. Without those, or without Chromium, they end with
exit code 77: skipped. BELFRY_SHOTS names a folder for screenshots.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "console"
NODE = os.environ.get("NODE", "node")
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
SKIPPED = 77


def skip(reason):
    print(f"skipped: {reason}")
    raise SystemExit(SKIPPED)


def main():
    wanted = sys.argv[1]
    built = Path(os.environ["BELFRY_CONSOLE_FOLDER"]) / "console"
    if not (built / "node_modules").is_dir():
        skip("the build could not install the packages of the console")
    if wanted != "unit" and not Path(CHROMIUM).exists():
        skip(f"there is no {CHROMIUM}")
    # The build copies the sources only; tests may be newer than it.
    shutil.copytree(SOURCE / "tests", built / "tests", dirs_exist_ok=True)
    command = [NODE, "node_modules/vitest/vitest.mjs", "run", "--project"]
    command += ["unit"] if wanted == "unit" else ["browser", f"tests/{wanted}.test.ts"]
    raise SystemExit(subprocess.run(command, cwd=built, check=False).returncode)


main()
