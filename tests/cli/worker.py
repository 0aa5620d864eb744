"""A `belfry worker run` of its own for a test."""

import re
import signal
import subprocess
import threading

from server import PATIENCE_S, PROGRAM, clean_environment, eventually


class Worker:
    """`with Worker(server, [flags], [command]) as worker`: a running worker; what it says is collected in `log`."""

    def __init__(self, url, flags, command, **environment):
        arguments = [PROGRAM, "worker", "run", "--url", url, *flags, "--", *command]
        self.process = subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True, errors="replace",
                                        env=clean_environment(**environment))
        self._lines = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self.process.stderr:
            self._lines.append(line)

    @property
    def log(self):
        return "".join(self._lines)

    def said(self, pattern):
        return eventually(f"{pattern!r} in the worker's log", lambda: re.search(pattern, self.log))

    def send(self, number):
        self.process.send_signal(number)

    def peak_kib(self):
        """The most memory that it had so far."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmHWM:\s+(\d+) kB", file.read()).group(1))

    def wait(self):
        code = self.process.wait(timeout=PATIENCE_S)
        self._reader.join(timeout=PATIENCE_S)
        return code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
        self.wait()
        self.process.stderr.close()


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False
