"""A private PostgreSQL: its own folder, its own port, only on loopback, gone with the test. Never the system's.

The postmaster is our own child, so that it is stopped by its pid: SIGQUIT is what `pg_ctl -m immediate` sends, SIGINT
what `-m fast` does.
"""

import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from settings import PATIENCE

START_S = 30


def programs():
    """The folder of the newest installed server; None when there is none."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"), key=lambda path: int(path.split("/")[4]))
    return os.path.dirname(found[-1]) if found else None


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Cluster:
    """`with Cluster() as cluster`: a running PostgreSQL that syncs every commit, with these settings beside its own."""

    def __init__(self, **settings):
        self._settings = settings
        self._bin = programs()
        if not self._bin:
            raise FileNotFoundError("PostgreSQL is not installed: nothing in /usr/lib/postgresql")
        self.folder = tempfile.mkdtemp(prefix="belfry-faults-postgres-")
        self._as_owner = []
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            owner = pwd.getpwnam("postgres")
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
            self._as_owner = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--init-groups", "--pdeathsig",
                              "INT"]
        else:
            self._as_owner = ["setpriv", "--pdeathsig", "INT"]
        self._process = None
        self.port = free_port()
        self.starts = 0
        self._run("initdb", "--no-sync", "--no-locale", "-E", "UTF8", "-A", "trust", "-U", "postgres", "-D", self._data)

    @property
    def _data(self):
        return os.path.join(self.folder, "data")

    @property
    def log_path(self):
        return os.path.join(self.folder, "server.log")

    def _run(self, program, *arguments):
        command = [*self._as_owner, os.path.join(self._bin, program), *arguments]
        subprocess.run(command, check=True, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=120)

    def start(self):
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": self.port,
            "unix_socket_directories": self.folder,
            "fsync": "on",
            "max_connections": 100,
            "shared_buffers": "32MB",
            "log_line_prefix": "%m [%p] ",
            **self._settings,
        }
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        command = [*self._as_owner, os.path.join(self._bin, "postgres"), "-D", self._data, *options]
        with open(self.log_path, "ab") as log:
            self._process = subprocess.Popen(command, cwd="/", stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        self.starts += 1
        end = time.monotonic() + START_S * PATIENCE
        while not self.answers():
            if self._process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"PostgreSQL does not start; see {self.log_path}")
            time.sleep(0.05)
        return self

    def answers(self):
        command = [os.path.join(self._bin, "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(command, check=False).returncode == 0

    def stop(self, immediate=True):
        if self._process is None:
            return
        self._process.send_signal(signal.SIGQUIT if immediate else signal.SIGINT)
        self._process.wait(timeout=60)
        self._process = None

    def restart(self, immediate=True, away_s=0.0):
        """What `pg_ctl restart` does, with a moment in between in which nobody is there."""
        self.stop(immediate)
        time.sleep(away_s)
        self.start()

    def new_database(self, name):
        self.query("CREATE DATABASE " + name, "postgres")
        return self.url(name)

    def url(self, database, port=None):
        return f"postgres://postgres@127.0.0.1:{port or self.port}/{database}"

    def query(self, text, database):
        """The answer as text: one row a line, columns separated by |."""
        command = [os.path.join(self._bin, "psql"), "-qAtX", "-v", "ON_ERROR_STOP=1", "-d", self.url(database), "-c",
                   text]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60, cwd="/").stdout.strip()

    def run_in(self, database):
        """What runs statements in a database that servers use."""
        return lambda statements: self.query(statements, database)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop(immediate=True)
        shutil.rmtree(self.folder, ignore_errors=True)
