"""Keeps the leases of running attempts, and stops attempts whose lease is lost.

A lease is renewed three times in its length. A lease that could not be renewed in time is lost, whatever the server
would say: another worker may have the task already.
"""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Dict, List, Optional, Tuple

from belfry._async.client import Client
from belfry.errors import APIError, ConnectionFailed
from belfry.models import Leases, LostLease
from belfry.worker.attempt import Attempt

log = logging.getLogger("belfry.worker")
LEASES_MAX = 1000
LEASE_MIN_MS = 100
Key = Tuple[str, int, Optional[str]]


class LeaseKeeper:
    def __init__(self, client: Client, lease_s: float) -> None:
        self._client = client
        self._lease_s = lease_s
        self._held: Dict[Key, Attempt] = {}
        self._wake = asyncio.Event()

    def hold(self, attempt: Attempt) -> None:
        self._held[attempt.key] = attempt

    def release(self, attempt: Attempt) -> None:
        self._held.pop(attempt.key, None)

    def wake(self) -> None:
        """Renews now: there is usage to report."""
        self._wake.set()

    @property
    def held(self) -> List[Attempt]:
        return list(self._held.values())

    async def run(self) -> None:
        while True:
            try:
                await asyncio.wait_for(self._wake.wait(), self._lease_s / 3)
            except asyncio.TimeoutError:
                pass
            self._wake.clear()
            held = [attempt for attempt in self.held if attempt.stopped != "lost"]
            for start in range(0, len(held), LEASES_MAX):
                await self._renew(held[start:start + LEASES_MAX])

    async def _renew(self, attempts: List[Attempt]) -> None:
        began = time.monotonic()
        try:
            answer: Leases = await asyncio.wait_for(self._client.heartbeat_tasks(
                leases=[attempt.lease for attempt in attempts], lease_ms=round(self._lease_s * 1000)), self._lease_s / 2)
        except (APIError, ConnectionFailed, asyncio.TimeoutError) as error:
            log.warning("cannot renew %d leases: %s", len(attempts), error)
            for attempt in attempts:
                if attempt.lease_ends <= time.monotonic():
                    attempt.stop("lost", "the lease ended because the server could not be reached")
            return
        lost = {(each.run_id, each.attempt, each.node): each for each in answer.lost}
        for attempt in attempts:
            if attempt.key in lost:
                attempt.stop("lost", reason_of(lost[attempt.key]))
            else:
                attempt.lease_ends = began + self._lease_s

    async def give_back(self, attempts: List[Attempt]) -> None:
        """Shortens the leases as far as the server allows, so that another worker gets the tasks soon."""
        for start in range(0, len(attempts), LEASES_MAX):
            try:
                await self._client.heartbeat_tasks(
                    leases=[attempt.lease for attempt in attempts[start:start + LEASES_MAX]], lease_ms=LEASE_MIN_MS)
            except (APIError, ConnectionFailed) as error:
                log.warning("cannot give leases back; they end by themselves: %s", error)


def reason_of(lost: LostLease) -> str:
    if lost.limit is not None:
        return f"the attempt used more than {lost.limit.limit} allows"
    if lost.run_status in ("queued", "running"):
        return "another worker has the task"
    return f"the run is {lost.run_status}" + (f": {lost.reason}" if lost.reason else "")
