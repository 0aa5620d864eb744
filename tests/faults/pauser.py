"""A client that pauses and resumes one schedule while servers die, and knows when it must have been silent."""

import time

import moments
from ledger import SCHEDULES


class Pauser:
    """Pausing twice is fine, so a pause is repeated until it is acknowledged; the answer says since when it holds."""

    def __init__(self, world, schedule):
        self._world = world
        self._schedule = schedule
        self._paused_at = None

    def pause(self):
        status, answer = self._world.ask("POST", f"{SCHEDULES}/{self._schedule.id}/pause", {"reason": "a test"})
        assert status == 200, answer
        self._paused_at = moments.parse(answer["pausedAt"])

    def resume(self):
        """Whether it resumed before or after an occurrence of the time of the request, nobody can know."""
        asked = time.time()
        status, answer = self._world.ask("POST", f"{SCHEDULES}/{self._schedule.id}/resume", {})
        # Resuming what is not paused is 422: then the first answer was lost.
        assert status == 200 or status == 422, answer
        self._schedule.silent.append((self._paused_at, asked))
        self._schedule.free.append((asked, time.time()))
