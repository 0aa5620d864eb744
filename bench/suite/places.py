"""Private servers that stop with the benchmarks: PostgreSQL and Redis, in temporary folders, on loopback."""

import contextlib
import os
import socket
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests", "faults"), os.path.join(ROOT, "tests", "support", "servers")]

from brokers import PASSWORD, USER, Broker  # noqa: E402  pylint: disable=wrong-import-position
from cluster import Cluster, programs  # noqa: E402  pylint: disable=wrong-import-position

# The rest is PostgreSQL's default; above all, every commit waits for the disk.
POSTGRES = {"shared_buffers": "256MB", "max_connections": 200}


class Missing(Exception):
    """Something that a measurement needs is not installed. The text says what."""


class Places:
    """`with Places() as places`: empty databases. PostgreSQL starts when it is first needed."""

    def __init__(self):
        self._open = contextlib.ExitStack()
        self._cluster = None
        self._made = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._open.close()

    @contextlib.contextmanager
    def postgres(self):
        """The URL of an empty database. The checkpoint keeps the writes of the last one out of the measurement."""
        if not programs():
            raise Missing("PostgreSQL is not installed")
        if not self._cluster:
            self._cluster = self._open.enter_context(Cluster(**POSTGRES))
        self._made += 1
        name = f"bench_{self._made}"
        url = self._cluster.new_database(name)
        self._cluster.query("CHECKPOINT", "postgres")
        try:
            yield url
        finally:
            self._cluster.query(f"DROP DATABASE {name} WITH (FORCE)", "postgres")

    @contextlib.contextmanager
    def store(self, kind):
        """The options that give a belfry-bench command an empty store. Without any it makes a SQLite file itself."""
        if kind == "sqlite":
            yield []
        else:
            with self.postgres() as url:
                yield ["--store", url]


@contextlib.contextmanager
def redis(appendfsync):
    """The URL of an empty Redis that appends every write to its file and syncs it: "always" or "everysec"."""
    try:
        server = Broker("redis")
        server.__enter__()
    except FileNotFoundError as error:
        raise Missing("Redis is not installed") from error
    try:
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as line:
            for command in (f"AUTH {USER} {PASSWORD}", f"CONFIG SET appendfsync {appendfsync}",
                            "CONFIG SET appendonly yes"):
                line.sendall(command.encode() + b"\r\n")
                if (answer := line.recv(200)) != b"+OK\r\n":
                    raise RuntimeError(f"Redis answers {answer!r} to {command.split()[0]}")
        yield server.url
    finally:
        server.__exit__()
