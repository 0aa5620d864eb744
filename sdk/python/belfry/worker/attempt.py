"""One attempt at a task, from the claim to the item that completes it.

The worker may stop an attempt before its function ends, for one of three reasons:
- lost: the server gave the task away or ended the run. Nothing is reported: the report would be rejected.
- timeout: the time of the task is over. Reported as timed out.
- drain: the worker shuts down and can wait no longer. The lease is given back, which costs the task no retry.
"""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any, Callable, Literal, Optional, Tuple

from belfry._codec import encode
from belfry.models import HeldLease, Task, TaskCompletion
from belfry.worker.context import TaskContext
from belfry.worker.failures import TaskFailure, category_of
from belfry.worker.functions import TaskFunction

log = logging.getLogger("belfry.worker")
Stop = Literal["lost", "timeout", "drain"]
ERROR_MAX = 64 * 1024
RETRY_AFTER_MAX_S = 3600.0


class Attempt:
    def __init__(self, task: Task, function: Optional[TaskFunction], lease_s: float = 30.0,
                 on_usage: Callable[[], None] = lambda: None) -> None:
        self.task = task
        self.function = function
        self.context = TaskContext(task, on_usage)
        self.stopped: Optional[Stop] = None
        self.lease_ends = time.monotonic() + lease_s
        self._work: Optional[asyncio.Future[Any]] = None

    @property
    def key(self) -> Tuple[str, int, Optional[str]]:
        return self.task.run_id, self.task.attempt, self.task.node

    @property
    def lease(self) -> HeldLease:
        return HeldLease(self.task.run_id, self.task.attempt, self.task.node, self.context.usage)

    def stop(self, why: Stop, reason: str) -> None:
        """Asks the function to end: an `async` one by cancellation, another one through its context."""
        if self.stopped is not None:
            return
        self.stopped = why
        self.context._cancel(reason)
        if self._work is not None and self.function is not None and self.function.is_async:
            self._work.cancel()

    async def run(self) -> Optional[TaskCompletion]:
        """Runs the function. None if there is nothing to report."""
        if self.function is None:
            return self._ended("failed", category="contract_violated",
                               error=f"this worker has no function for the task kind {self.task.task_kind!r}")
        timer = self._timer()
        completion: Optional[TaskCompletion] = None
        try:
            self._work = asyncio.ensure_future(self.function.call(self.context))
            completion = self._succeeded(await self._work)
        except asyncio.CancelledError:
            if self.stopped is None:  # not the function: the worker itself is cancelled
                if not self._work or not self._work.cancelled():
                    raise
                completion = self._ended("failed", error="the function cancelled itself")
        except Exception as error:  # whatever a function raises ends its attempt, not the worker
            completion = self._failed(error)
        finally:
            if timer is not None:
                timer.cancel()
        if self.stopped == "timeout":
            return self._ended("timed_out", category="timeout", error=self.context.cancel_reason)
        return None if self.stopped else completion

    def _timer(self) -> Optional[asyncio.TimerHandle]:
        if not self.task.timeout_ms:
            return None
        reason = f"the attempt took longer than {self.task.timeout_ms} ms"
        return asyncio.get_running_loop().call_later(self.task.timeout_ms / 1000, self.stop, "timeout", reason)

    def _succeeded(self, value: Any) -> TaskCompletion:
        try:
            return self._ended("succeeded", result=encode(value))
        except (TypeError, ValueError) as error:
            return self._ended("failed", category="contract_violated", error=f"the result is not JSON: {error}")

    def _failed(self, error: Exception) -> TaskCompletion:
        assert self.function is not None
        category = category_of(error, self.function.categories)
        if self.stopped is None and not isinstance(error, TaskFailure):
            log.warning("task %s of run %s failed", self.task.task_kind, self.task.run_id, exc_info=error)
        text = str(error) if isinstance(error, TaskFailure) else f"{type(error).__name__}: {error}"
        wait_s = getattr(error, "retry_after", None)
        wait_ms = round(min(max(wait_s, 0), RETRY_AFTER_MAX_S) * 1000) if isinstance(wait_s, (int, float)) else None
        return self._ended("timed_out" if category == "timeout" else "failed", category=category,
                           error=text[:ERROR_MAX], retry_after_ms=wait_ms)

    def _ended(self, status: Literal["succeeded", "failed", "timed_out"], **members: Any) -> TaskCompletion:
        return TaskCompletion(self.task.run_id, self.task.attempt, status, node=self.task.node,
                              usage=self.context.usage, **members)
