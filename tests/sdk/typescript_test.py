"""The TypeScript SDK: typescript_test.py build | package | DATABASE

build      installs the compiler, checks that the generated files are current, and compiles the SDK and its tests
package    packs the SDK, installs the package into an empty folder and uses it there
DATABASE   runs the suite with a real server on sqlite or postgres, each file on an empty store

Without the compiler, for example because npm has no network, all of them end with exit code 77: skipped.
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SDK = HERE.parent.parent / "sdk" / "typescript"
sys.path.insert(0, str(HERE.parent / "faults"))

NODE = os.environ.get("NODE", "node")
NPM = os.environ.get("NPM", "npm")
SKIPPED = 77
INSTALL_S = 240

USE = """
import { BelfryClient, ScheduleNotFound } from "belfry";
import { Worker } from "belfry/worker";
const client = new BelfryClient({ fetch: async () => new Response(JSON.stringify(
    { status: 404, code: "not_found", detail: "there is no schedule x", errors: [] }), { status: 404 }) });
const error = await client.getSchedule("x").catch((caught) => caught);
if (!(error instanceof ScheduleNotFound)) throw error;
new Worker({ client }).task("greet", () => "hello");
console.log("the package works");
"""


def run(*command, cwd=SDK, **environment):
    """Runs a program. Fails with its output if the program fails."""
    ended = subprocess.run(command, cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True,
                           check=False)
    if ended.returncode != 0:
        print(ended.stdout, ended.stderr, sep="\n", file=sys.stderr)
        raise SystemExit(f"{' '.join(map(str, command))}: exit code {ended.returncode}")
    return ended.stdout


def is_installed():
    """Whether the compiler is there already: the first installation needs the network."""
    installed, wanted = SDK / "node_modules" / ".package-lock.json", SDK / "package-lock.json"
    return installed.exists() and installed.stat().st_mtime >= wanted.stat().st_mtime


def skip(reason):
    print(f"skipped: {reason}")
    raise SystemExit(SKIPPED)


def install():
    """Skips the test if npm cannot fetch the packages. A lock file that does not match package.json is a failure."""
    command = (NPM, "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=1", "--fetch-timeout=60000")
    try:
        ended = subprocess.run(command, cwd=SDK, capture_output=True, text=True, check=False, timeout=INSTALL_S)
    except subprocess.TimeoutExpired:
        skip(f"npm ci did not fetch the TypeScript compiler within {INSTALL_S} s")
    if "EUSAGE" in ended.stderr:
        raise SystemExit(ended.stderr)
    if ended.returncode != 0:
        skip(f"npm ci could not fetch the TypeScript compiler:\n{ended.stderr}")


def build():
    if not is_installed():
        install()
    run(NPM, "run", "check")
    run(NPM, "run", "build")
    run(NPM, "run", "build:tests")


def package():
    with tempfile.TemporaryDirectory() as folder:
        run(NPM, "pack", "--pack-destination", folder)
        archive, = Path(folder).glob("*.tgz")
        project = Path(folder) / "project"
        project.mkdir()
        run(NPM, "init", "--yes", cwd=project)
        run(NPM, "install", "--offline", "--no-audit", "--no-fund", str(archive), cwd=project)
        installed = sorted(path.name for path in (project / "node_modules").iterdir() if path.name[0] != ".")
        assert installed == ["belfry"], f"the package has dependencies: {installed}"
        (project / "use.mjs").write_text(USE, encoding="utf-8")
        assert run(NODE, "use.mjs", cwd=project) == "the package works\n"


@contextlib.contextmanager
def databases(store):
    """Yields a function from a name to the flags of a server on an empty store of that name."""
    if store == "sqlite":
        yield lambda name: []
        return
    from cluster import Cluster  # pylint: disable=import-outside-toplevel

    def flags(name):
        cluster.new_database(name)
        return ["--store", cluster.url(name)]
    with Cluster() as cluster:
        yield flags


def suite(store):
    files = sorted((SDK / "build" / "tests").glob("*.test.js"))
    assert files, "no tests: run typescript_test.py build first"
    program = str(Path(os.environ["BELFRY"]).resolve())
    with databases(store) as flags:
        for file in files:
            name = file.name.removesuffix(".test.js")
            run(NODE, "--test", str(file), BELFRY=program, BELFRY_TEST_FLAGS=json.dumps(flags(name)))
            print(f"{name}: ok")


if __name__ == "__main__":
    if sys.argv[1] != "build" and not is_installed():
        skip("the TypeScript compiler is not installed, see the output of typescript_test.py build")
    {"build": build, "package": package}.get(sys.argv[1], lambda: suite(sys.argv[1]))()
