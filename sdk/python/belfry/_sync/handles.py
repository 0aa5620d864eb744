# Written by tools/generate.py from belfry/_async/: do not edit.
"""Handles: one schedule or one run, so that a program names it once."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Iterator, Optional, Union

from belfry import models
from belfry.errors import RunNotOver

if TYPE_CHECKING:
    from datetime import datetime

    from belfry._sync.client import SyncClient

POLL_FIRST_S = 0.1
POLL_MAX_S = 5.0
ENDED = frozenset(["succeeded", "failed", "cancelled", "terminated", "timed_out", "skipped"])


class SyncScheduleHandle:
    """A schedule, by its id or name. A method sends one request, like the client's method of a similar name."""

    def __init__(self, client: SyncClient, schedule_id: str) -> None:
        self.client = client
        self.id = schedule_id

    def get(self) -> models.Schedule:
        return self.client.get_schedule(self.id)

    def patch(self, patch: Any, *, if_match: Union[int, str, None] = None) -> models.Schedule:
        """Changes parts of the definition: a merge patch, in which None restores a default."""
        return self.client.patch_schedule(self.id, patch, if_match=if_match)

    def delete(self, *, reason: Optional[str] = None, purge: Optional[bool] = None) -> models.Schedule:
        return self.client.delete_schedule(self.id, reason=reason, purge=purge)

    def pause(self, *, reason: Optional[str] = None,
                    until: Union[datetime, str, None] = None) -> models.Schedule:
        return self.client.pause_schedule(self.id, reason=reason, until=until)

    def resume(self, *, reason: Optional[str] = None) -> models.Schedule:
        return self.client.resume_schedule(self.id, reason=reason)

    def trigger(self, *, input: Any = None, overlap_policy: Optional[models.OverlapPolicy] = None,
                      reason: Optional[str] = None, idempotency_key: Optional[str] = None) -> SyncRunHandle:
        """Starts a run now. `record` of the handle says whether it was dispatched, buffered or skipped."""
        run = self.client.trigger_schedule(self.id, input=input, overlap_policy=overlap_policy, reason=reason,
                                                 idempotency_key=idempotency_key)
        return SyncRunHandle(self.client, run.id, run)

    def backfill(self, from_: Union[datetime, str], to: Union[datetime, str], *,
                       concurrency: Optional[int] = None) -> models.Backfill:
        made = self.client.backfill_schedule(self.id, from_=from_, to=to, concurrency=concurrency)
        assert isinstance(made, models.Backfill)  # the other one is the answer to a dry run
        return made

    def history(self, *, limit: Optional[int] = None,
                      after_sequence: Optional[int] = None) -> models.ScheduleHistoryPage:
        """A page of its audit events, oldest first."""
        return self.client.get_schedule_history(self.id, limit=limit, after_sequence=after_sequence)

    def iter_history(self, *, limit: Optional[int] = None,
                     after_sequence: Optional[int] = None) -> Iterator[models.ScheduleHistoryEvent]:
        """All its audit events, oldest first."""
        return self.client.iter_schedule_history(self.id, limit=limit, after_sequence=after_sequence)

    def iter_runs(self, *, status: Optional[models.RunStatus] = None,
                  limit: Optional[int] = None) -> Iterator[models.Run]:
        """Its runs, newest occurrence first."""
        return self.client.iter_schedule_runs(self.id, status=status, limit=limit)

    def preview(self, n: Optional[int] = None) -> models.Forecast:
        """Its next decisions."""
        return self.client.preview_schedule(self.id, n=n)

    def why(self, at: Union[datetime, str]) -> models.Why:
        """Why it did or will do what it does at this time."""
        return self.client.why_schedule(self.id, at=at)

    def health(self) -> models.ScheduleHealth:
        return self.client.get_schedule_health(self.id)


class SyncRunHandle:
    """A run. `record` is what the server said last, if it was asked."""

    def __init__(self, client: SyncClient, run_id: str, record: Optional[models.Run] = None) -> None:
        self.client = client
        self.id = run_id
        self.record = record

    def get(self) -> models.Run:
        self.record = self.client.get_run(self.id)
        return self.record

    def cancel(self, *, reason: Optional[str] = None) -> models.Run:
        """Asks the worker to stop: it learns so with its next heartbeat."""
        self.record = self.client.cancel_run(self.id, reason=reason)
        return self.record

    def terminate(self, *, reason: Optional[str] = None) -> models.Run:
        self.record = self.client.terminate_run(self.id, reason=reason)
        return self.record

    def approve(self, *, comment: Optional[str] = None) -> models.Run:
        self.record = self.client.approve_run(self.id, comment=comment)
        return self.record

    def reject(self, *, comment: Optional[str] = None) -> models.Run:
        self.record = self.client.reject_run(self.id, comment=comment)
        return self.record

    def iter_events(self, *, limit: Optional[int] = None) -> Iterator[models.RunEvent]:
        return self.client.iter_run_events(self.id, limit=limit)

    def nodes(self) -> models.Walk:
        """The nodes of its workflow and their states."""
        return self.client.get_run_nodes(self.id)

    def wait(self, *, timeout: float = 300.0) -> models.Run:
        """Asks until the run has ended. Raises RunNotOver after `timeout` seconds."""
        pause, waited = POLL_FIRST_S, 0.0
        while True:
            run = self.get()
            if run.status in ENDED:
                return run
            if waited >= timeout:
                raise RunNotOver(f"run {self.id} is {run.status} after {timeout} s")
            time.sleep(pause)
            waited += pause
            pause = min(pause * 1.5, POLL_MAX_S)
