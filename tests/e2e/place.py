"""Where a test's server keeps its store: SQLite, or a PostgreSQL of its own. BELFRY_E2E_STORE says which."""

import contextlib
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "cli"), os.path.join(HERE, "..", "faults")]

from cluster import Cluster  # noqa: E402  pylint: disable=wrong-import-position
from server import Server  # noqa: E402  pylint: disable=wrong-import-position

STORE = os.environ.get("BELFRY_E2E_STORE", "sqlite")


@contextlib.contextmanager
def store_flags():
    """Flags for a server on an empty store."""
    if STORE == "sqlite":
        yield []
        return
    with Cluster() as cluster:
        cluster.new_database("belfry")
        yield ["--store", cluster.url("belfry")]


@contextlib.contextmanager
def running_server(*flags, **environment):
    with store_flags() as store, tempfile.TemporaryDirectory() as folder:
        key = os.path.join(folder, "key")  # on PostgreSQL an operator has to name one
        with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="ascii") as file:
            file.write(os.urandom(32).hex())
        with _ready(Server(*store, "--secret-key-file", key, *flags, **environment), store) as server:
            yield server


@contextlib.contextmanager
def _ready(starting, store):
    with starting as server:
        server.store_flags = store or ["--data-dir", server.folder]  # for commands that work on the same store
        server.wait_until_ready()
        yield server
