"""Runs what is measured: belfry-bench, the bare programs and the drivers of other queues."""

import json
import os
import re
import shutil
import subprocess
import time
import urllib.error
import urllib.request

from .places import ROOT, Missing

PATIENCE_S = 1800
WAITS = re.compile(r"to the waiting worker.*: p50 ([\d.]+) ms, p90 [\d.]+ ms, p99 ([\d.]+) ms")


def _run(command, **options):
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=PATIENCE_S, **options)
    if done.returncode != 0:
        last = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()[-1]
        raise RuntimeError(f"{os.path.basename(command[0])} {command[1]}: {last}")
    return done


def belfry_bench(program, *arguments):
    """Returns the rows of a command, and what it says beside them."""
    done = _run([program, *[str(each) for each in arguments], "--output", "json"])
    return json.loads(done.stdout), done.stderr


def waits_of(said):
    """p50 and p99 of the delay until a waiting worker has its task, from what `tasks` says beside its rows."""
    found = WAITS.search(said)
    if not found:
        raise RuntimeError("belfry-bench tasks did not say how long a worker waited")
    return {"p50": float(found[1]), "p99": float(found[2])}


class Ceilings:
    """Bare programs that write the rows of a fire and nothing else, compiled from a folder outside the repository."""

    LIBRARIES = {"sqlite": ["-lsqlite3"], "postgres": ["-I/usr/include/postgresql", "-lpq", "-lpthread"]}

    def __init__(self, sources, folder):
        self._sources, self._folder = sources, folder

    def rate(self, kind, mode, *arguments, url=None):
        program = os.path.join(self._folder, f"{kind}_ceiling")
        if not os.path.exists(program):
            source = os.path.join(self._sources, f"{kind}_ceiling.cpp")
            _run(["g++", "-O2", "-std=c++17", source, *self.LIBRARIES[kind], "-o", program])
        done = _run([program, mode, *arguments], cwd=self._folder, env={**os.environ, "PGURL": url or ""})
        return float(done.stdout.split("\t")[5])


class Peers:
    """The drivers in bench/peers. Their packages are installed once, in the build folder."""

    def __init__(self, folder):
        self._folder = folder
        self._why_not = None
        self.versions = {}

    def measure(self, driver, **options):
        self._install()
        done = _run(["node", f"{driver}.js", json.dumps(options)], cwd=self._folder)
        figures = json.loads(done.stdout)
        self.versions[figures["peer"]] = figures["version"]
        return figures

    def _install(self):
        if self._why_not is None:
            self._why_not = self._try_install()
        if self._why_not:
            raise Missing(self._why_not)

    def _try_install(self):
        for program in ("node", "npm"):
            if not shutil.which(program):
                return f"{program} is not installed"
        sources = os.path.join(ROOT, "bench", "peers")
        os.makedirs(self._folder, exist_ok=True)
        lock, installed = (os.path.join(at, "package-lock.json") for at in (sources, self._folder))
        is_new = not os.path.exists(installed) or open(lock, "rb").read() != open(installed, "rb").read()
        shutil.copytree(sources, self._folder, dirs_exist_ok=True)
        if not is_new:
            return ""
        try:
            _run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=self._folder)
        except RuntimeError:
            os.remove(installed)
            return "the packages of bench/peers cannot be installed"
        return ""


def server_start(program, store):
    """Starts a server on a filled store. Returns the seconds until it has loaded all schedules, and its memory."""
    begun = time.monotonic()
    with subprocess.Popen([program, "serve", "--listen", "127.0.0.1:0", *store], stderr=subprocess.PIPE,
                          text=True) as server:
        try:
            for line in server.stderr:
                if found := re.search(r"listening on (http://\S+)", line):
                    break
            else:
                raise RuntimeError("the server did not start")
            while not _is_complete(found[1]):
                time.sleep(0.01)
            seconds = time.monotonic() - begun
            with open(f"/proc/{server.pid}/status", encoding="ascii") as status:
                resident = int(re.search(r"VmRSS:\s*(\d+) kB", status.read())[1])
            return {"seconds": seconds, "MB": resident / 1000}
        finally:
            server.kill()


def _is_complete(url):
    try:
        with urllib.request.urlopen(url + "/health", timeout=60) as answer:
            return json.load(answer)["schedulesComplete"]
    except urllib.error.HTTPError as error:  # it is not ready yet
        error.close()
        return False
