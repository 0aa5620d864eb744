"""A real server for a test case, on the store that BELFRY_E2E_STORE names, with the code of tests/e2e."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any, Callable, Iterator, List, Optional, Set, TypeVar

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE.parent), str(HERE), str(ROOT / "tests/e2e")]

from place import store_flags  # noqa: E402  # type: ignore[import]
from server import Server  # noqa: E402  # type: ignore[import]

from belfry import SyncClient  # noqa: E402

PATIENCE_S = 60
FLAGS = ("--min-interval", "1s", "--auth", "off")
T = TypeVar("T")


def eventually(look: Callable[[], T], what: str = "it") -> T:
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"{what} never happened")


class RestartableServer:
    """Comes back on the same address and the same store."""

    def __init__(self, flags: List[str], folder: str) -> None:
        self._flags = flags
        self._folder = folder
        self._server: Any = None
        self.url = ""

    def start(self) -> None:
        listen = self.url.split("//")[1] if self.url else "127.0.0.1:0"
        self._server = Server(*self._flags, *FLAGS, folder=self._folder, listen=listen).__enter__()
        self._server.wait_until_ready()
        self.url = self._server.url

    def kill(self) -> None:
        self._server.__exit__(None, None, None)


@contextlib.contextmanager
def restartable_server() -> Iterator[RestartableServer]:
    with store_flags() as store, tempfile.TemporaryDirectory() as folder:
        key = os.path.join(folder, "key")  # on PostgreSQL an operator has to name one
        with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="ascii") as file:
            file.write(os.urandom(32).hex())
        server = RestartableServer([*store, "--secret-key-file", key], folder)
        server.start()
        try:
            yield server
        finally:
            server.kill()


class RecordingClient(SyncClient):
    """Remembers which of its methods were called."""

    seen: Set[str] = set()

    def __getattribute__(self, name: str) -> Any:
        RecordingClient.seen.add(name)
        return super().__getattribute__(name)


class Served(unittest.TestCase):
    server: RestartableServer
    client: SyncClient
    maxDiff: Optional[int] = None

    @classmethod
    def setUpClass(cls) -> None:
        context = restartable_server()
        cls.server = context.__enter__()
        cls.addClassCleanup(context.__exit__, None, None, None)
        cls.client = RecordingClient(cls.server.url)
        cls.addClassCleanup(cls.client.close)
