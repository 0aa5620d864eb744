"""`belfry serve` as a process that things happen to: killed, frozen, asked to end, started again on the same store."""

import os
import re
import signal
import subprocess
import time

import client
from settings import PATIENCE, PROGRAM, clean_environment, with_parent

READY_S = 20
ENDED_S = 30


def said(health):
    """What /health says, without the rows that poison.py has damaged: a server with nothing else in quarantine is
    well."""
    word = health.get("status", health.get("code", ""))
    if word != "degraded" or not health["quarantined"]:
        return word
    parts = [health["store"]["ok"], health["ticker"]["ok"], health["schedulesComplete"],
             *(each["ok"] for each in health["connections"])]
    return "ok" if all(parts) and not health["workers"] else word


class Server:
    """One server on one store, in the order of its lives. What it says in all of them is in `log_path`."""

    def __init__(self, name, store, folder, *flags, environment=None):
        self.name = name
        self.log_path = os.path.join(folder, name + ".log")
        self._command = [PROGRAM, "serve", "--listen", "127.0.0.1:0", "--store", store, "--data-dir", folder,
                         "--min-interval", "1s"]
        self._command += ["--lease-seconds", "2", *flags]
        self._environment = clean_environment(**(environment or {}))
        self._process = None
        self._log_start = 0
        self._port = None
        self.lives = 0

    @property
    def pid(self):
        return self._process.pid

    @property
    def alive(self):
        return self._process is not None and self._process.poll() is None

    def start(self):
        self._log_start = os.path.getsize(self.log_path) if os.path.exists(self.log_path) else 0
        self._port = None
        with open(self.log_path, "ab") as log:
            self._process = subprocess.Popen(
                with_parent(*self._command), stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=self._environment
            )
        self.lives += 1
        return self

    @property
    def port(self):
        """Where this life listens; None while it has not said so."""
        if self._port is None and self._process is not None:
            found = re.search(r"listening on http://127\.0\.0\.1:(\d+)", self.log())
            self._port = int(found.group(1)) if found else None
        return self._port

    def log(self):
        """What this life has said."""
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            file.seek(self._log_start)
            return file.read()

    def ask(self, method, path, body=None, timeout=client.TIMEOUT_S):
        if self.port is None:
            raise client.Refused("it does not listen yet")
        return client.ask(self.port, method, path, body, timeout)

    def health(self, timeout=client.TIMEOUT_S):
        """Status code and what /health says; (None, {}) when nobody answers."""
        try:
            return self.ask("GET", "/health", timeout=timeout)
        except (client.Refused, client.Unknown):
            return None, {}

    def wait_until_it_listens(self):
        began = time.monotonic()
        while self.port is None:
            if not self.alive or time.monotonic() - began > READY_S * PATIENCE:
                raise AssertionError(f"{self.name} does not listen; see {self.log_path}")
            time.sleep(0.02)

    def wait_until_healthy(self, seconds=READY_S):
        """How long it took until /health said ok."""
        began = time.monotonic()
        while time.monotonic() - began < seconds * PATIENCE:
            if not self.alive:
                raise AssertionError(f"{self.name} ended with {self._process.returncode}; see {self.log_path}")
            status, answer = self.health()
            if status == 200 and said(answer) == "ok":
                return time.monotonic() - began
            time.sleep(0.02)
        raise AssertionError(
            f"{self.name} is not healthy after {seconds * PATIENCE} s: {self.health()}; see {self.log_path}")

    def kill(self):
        self._process.kill()
        self._process.wait()
        self._port = None

    def freeze(self):
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self._process.send_signal(signal.SIGCONT)

    def terminate(self):
        """SIGTERM; answers the exit code."""
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(timeout=ENDED_S * PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.alive:
            self.kill()
