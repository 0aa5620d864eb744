"""Asks every server's /health all the time and remembers what it said, so that a scenario can say when it had to say
what."""

import threading
import time
from dataclasses import dataclass

from server import said

EVERY_S = 0.05
ANSWER_S = 1.0


@dataclass(frozen=True)
class Look:
    at: float
    server: str
    status: int  # None: no answer in time
    said: str


class HealthWatch:
    def __init__(self, servers):
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._looks = []
        self._threads = [threading.Thread(target=self._watch, args=(each,), daemon=True) for each in servers]

    def _watch(self, server):
        while not self._ended.wait(EVERY_S):
            at = time.time()
            status, answer = server.health(ANSWER_S)
            with self._lock:
                self._looks.append(Look(at, server.name, status, said(answer)))

    def between(self, begin, end):
        with self._lock:
            return [each for each in self._looks if begin <= each.at <= end]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        for thread in self._threads:
            thread.join()
