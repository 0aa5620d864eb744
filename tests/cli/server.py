"""A Belfry server of its own for a test: started on a free port and an empty store, and gone with the test."""

import json
import os
import pwd
import re
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

PROGRAM = os.environ["BELFRY"]
PATIENCE_S = 60  # how long to wait for what must happen; a machine under sanitizers is slow


def clean_environment(**more):
    """This process's environment without the settings and contexts of the developer's own Belfry."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("BELFRY_")}
    return {"BELFRY_CONTEXTS": os.devnull, **kept, **more}


def belfry(*arguments, **environment):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=PATIENCE_S,
                          env=clean_environment(**environment), check=False)


def eventually(what, look):
    """What `look` answers once it answers something; it is asked again and again."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if found := look():
            return found
        time.sleep(0.02)
    raise AssertionError(f"waited {PATIENCE_S} s for {what}")


class Server:
    """`with Server(...) as server`: a running server; what it says is collected in `log`."""

    def __init__(self, *flags, folder=None, listen="127.0.0.1:0", user=None, program=PROGRAM, **environment):
        self._own_folder = None if folder else tempfile.TemporaryDirectory()
        self.folder = folder or self._own_folder.name
        arguments = [program, "serve", "--listen", listen, "--data-dir", self.folder, *flags]
        groups = {"group": pwd.getpwnam(user).pw_gid, "extra_groups": []} if user else {}
        self.process = subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True,
                                        env=clean_environment(**environment), user=user, **groups)
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
        """The match of what the server has said or says soon."""
        return eventually(f"{pattern!r} in the log, which is:\n{self.log}", lambda: re.search(pattern, self.log))

    @property
    def url(self):
        return self.said(r"listening on (https?://127\.0\.0\.1:\d+)").group(1)

    def ask(self, method, path, body=None):
        """Status and JSON of the answer."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)

    def wait_until_ready(self):
        eventually("a healthy server", lambda: self.ask("GET", "/health")[0] == 200)
        return self

    def send(self, number):
        self.process.send_signal(number)

    def wait(self):
        """The exit code."""
        code = self.process.wait(timeout=PATIENCE_S)
        self._reader.join(timeout=PATIENCE_S)
        return code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.wait()
        self.process.stderr.close()
        if self._own_folder:
            self._own_folder.cleanup()


EVERY_SECOND = {
    "name": "every-second",
    "spec": {"intervals": [{"every": "PT1S"}]},
    "target": {"type": "task", "taskKind": "greet"},
    "overlapPolicy": "allow_all",
}
SCHEDULES = "/api/tenants/default/schedules"
