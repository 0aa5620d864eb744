"""Published clients of PostgREST and Supabase: supabase_test.py install | node | browser

install   installs them with npm into the folder CLIENTS_FOLDER
node      runs them in Node against a real server, on the store that BELFRY_E2E_STORE names
browser   runs supabase-js in Chromium, on a page of another origin than the server's

Without the packages, because npm has no network, or without Chromium, the exit code is 77: skipped.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))

FOLDER = Path(os.environ["CLIENTS_FOLDER"])
NODE = os.environ.get("NODE", "node")
NPM = os.environ.get("NPM", "npm")
SKIPPED = 77
INSTALL_S = 240
RUN_S = 300
SOURCES = ("package.json", "package-lock.json", "scenario.mjs", "native.mjs", "node.mjs", "browser.mjs")


def skip(reason):
    print(f"skipped: {reason}")
    raise SystemExit(SKIPPED)


def is_installed():
    installed = FOLDER / "node_modules" / ".package-lock.json"
    return installed.exists() and installed.stat().st_mtime >= (FOLDER / "package-lock.json").stat().st_mtime


def install():
    """A lock file that does not match package.json is a failure; a registry that does not answer is not."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in SOURCES:
        shutil.copy2(HERE / name, FOLDER / name)
    if is_installed():
        return
    command = (NPM, "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=1", "--fetch-timeout=60000")
    try:
        ended = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=False, timeout=INSTALL_S)
    except subprocess.TimeoutExpired:
        skip(f"npm ci did not fetch the clients within {INSTALL_S} s")
    if "EUSAGE" in ended.stderr:
        raise SystemExit(ended.stderr)
    if ended.returncode != 0:
        skip(f"npm ci could not fetch the clients:\n{ended.stderr}")


def run(script, *arguments):
    ended = subprocess.run((NODE, script, *arguments), cwd=FOLDER, capture_output=True, text=True, check=False,
                           timeout=RUN_S)
    print(ended.stdout, end="")
    if ended.returncode != 0:
        raise SystemExit(f"{script}: exit code {ended.returncode}\n{ended.stderr}")


def with_key(script, *flags, arguments=()):
    """Runs a script against a server that requires a key."""
    from place import running_server  # pylint: disable=import-outside-toplevel
    from server import belfry  # pylint: disable=import-outside-toplevel
    with running_server("--auth", "required", *flags) as server:
        made = belfry("token", "create", "client", "--role", "operator", "--tenant", "default", "-o", "json",
                      *server.store_flags)
        run(script, server.url, json.loads(made.stdout)["secret"], *arguments)


def node():
    from place import running_server  # pylint: disable=import-outside-toplevel
    with_key("node.mjs")
    with running_server() as server:  # open, because it has no key and listens on this machine only
        run("node.mjs", server.url)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


def browser():
    chromium = shutil.which("chromium")
    if not chromium:
        skip("chromium is not installed")
    port = free_port()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        with_key("browser.mjs", "--allowed-origins", f"http://localhost:{port}", arguments=(port, chromium, folder))


if __name__ == "__main__":
    if sys.argv[1] != "install" and not is_installed():
        skip("the clients are not installed, see the output of supabase_test.py install")
    {"install": install, "node": node, "browser": browser}[sys.argv[1]]()
