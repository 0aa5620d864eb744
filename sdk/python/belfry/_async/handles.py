"""Handles: one schedule or one run, so that a program names it once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, AsyncIterator, Optional, Union

from belfry import models
from belfry.errors import RunNotOver

if TYPE_CHECKING:
    from datetime import datetime

    from belfry._async.client import Client

POLL_FIRST_S = 0.1
POLL_MAX_S = 5.0
ENDED = frozenset(["succeeded", "failed", "cancelled", "terminated", "timed_out", "skipped"])


class ScheduleHandle:
    """A schedule, by its id or name. A method sends one request, like the client's method of a similar name."""

    def __init__(self, client: Client, schedule_id: str) -> None:
        self.client = client
        self.id = schedule_id

    async def get(self) -> models.Schedule:
        return await self.client.get_schedule(self.id)

    async def patch(self, patch: Any, *, if_match: Union[int, str, None] = None) -> models.Schedule:
        """Changes parts of the definition: a merge patch, in which None restores a default."""
        return await self.client.patch_schedule(self.id, patch, if_match=if_match)

    async def delete(self, *, reason: Optional[str] = None, purge: Optional[bool] = None) -> models.Schedule:
        return await self.client.delete_schedule(self.id, reason=reason, purge=purge)

    async def pause(self, *, reason: Optional[str] = None,
                    until: Union[datetime, str, None] = None) -> models.Schedule:
        return await self.client.pause_schedule(self.id, reason=reason, until=until)

    async def resume(self, *, reason: Optional[str] = None) -> models.Schedule:
        return await self.client.resume_schedule(self.id, reason=reason)

    async def trigger(self, *, input: Any = None, overlap_policy: Optional[models.OverlapPolicy] = None,
                      reason: Optional[str] = None, idempotency_key: Optional[str] = None) -> RunHandle:
        """Starts a run now. `record` of the handle says whether it was dispatched, buffered or skipped."""
        run = await self.client.trigger_schedule(self.id, input=input, overlap_policy=overlap_policy, reason=reason,
                                                 idempotency_key=idempotency_key)
        return RunHandle(self.client, run.id, run)

    async def backfill(self, from_: Union[datetime, str], to: Union[datetime, str], *,
                       concurrency: Optional[int] = None) -> models.Backfill:
        made = await self.client.backfill_schedule(self.id, from_=from_, to=to, concurrency=concurrency)
        assert isinstance(made, models.Backfill)  # the other one is the answer to a dry run
        return made

    async def history(self, *, limit: Optional[int] = None,
                      after_sequence: Optional[int] = None) -> models.ScheduleHistoryPage:
        """A page of its audit events, oldest first."""
        return await self.client.get_schedule_history(self.id, limit=limit, after_sequence=after_sequence)

    def iter_history(self, *, limit: Optional[int] = None,
                     after_sequence: Optional[int] = None) -> AsyncIterator[models.ScheduleHistoryEvent]:
        """All its audit events, oldest first."""
        return self.client.iter_schedule_history(self.id, limit=limit, after_sequence=after_sequence)

    def iter_runs(self, *, status: Optional[models.RunStatus] = None,
                  limit: Optional[int] = None) -> AsyncIterator[models.Run]:
        """Its runs, newest occurrence first."""
        return self.client.iter_schedule_runs(self.id, status=status, limit=limit)

    async def preview(self, n: Optional[int] = None) -> models.Forecast:
        """Its next decisions."""
        return await self.client.preview_schedule(self.id, n=n)

    async def why(self, at: Union[datetime, str]) -> models.Why:
        """Why it did or will do what it does at this time."""
        return await self.client.why_schedule(self.id, at=at)

    async def health(self) -> models.ScheduleHealth:
        return await self.client.get_schedule_health(self.id)


class RunHandle:
    """A run. `record` is what the server said last, if it was asked."""

    def __init__(self, client: Client, run_id: str, record: Optional[models.Run] = None) -> None:
        self.client = client
        self.id = run_id
        self.record = record

    async def get(self) -> models.Run:
        self.record = await self.client.get_run(self.id)
        return self.record

    async def cancel(self, *, reason: Optional[str] = None) -> models.Run:
        """Asks the worker to stop: it learns so with its next heartbeat."""
        self.record = await self.client.cancel_run(self.id, reason=reason)
        return self.record

    async def terminate(self, *, reason: Optional[str] = None) -> models.Run:
        self.record = await self.client.terminate_run(self.id, reason=reason)
        return self.record

    async def approve(self, *, comment: Optional[str] = None) -> models.Run:
        self.record = await self.client.approve_run(self.id, comment=comment)
        return self.record

    async def reject(self, *, comment: Optional[str] = None) -> models.Run:
        self.record = await self.client.reject_run(self.id, comment=comment)
        return self.record

    def iter_events(self, *, limit: Optional[int] = None) -> AsyncIterator[models.RunEvent]:
        return self.client.iter_run_events(self.id, limit=limit)

    async def nodes(self) -> models.Walk:
        """The nodes of its workflow and their states."""
        return await self.client.get_run_nodes(self.id)

    async def wait(self, *, timeout: float = 300.0) -> models.Run:
        """Asks until the run has ended. Raises RunNotOver after `timeout` seconds."""
        pause, waited = POLL_FIRST_S, 0.0
        while True:
            run = await self.get()
            if run.status in ENDED:
                return run
            if waited >= timeout:
                raise RunNotOver(f"run {self.id} is {run.status} after {timeout} s")
            await asyncio.sleep(pause)
            waited += pause
            pause = min(pause * 1.5, POLL_MAX_S)
