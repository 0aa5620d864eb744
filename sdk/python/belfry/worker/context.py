"""What a function may know and say about the attempt that it makes."""

from __future__ import annotations

import contextvars
import threading
from datetime import datetime
from typing import Callable, List, Optional, Sequence

from belfry.models import Task, UsageReport
from belfry.worker.failures import TaskCancelled

_current: contextvars.ContextVar[TaskContext] = contextvars.ContextVar("belfry_task")


def current_task() -> TaskContext:
    """The context of the task that this code works for. Raises LookupError outside of a task."""
    return _current.get()


class TaskContext:
    """One attempt at a task. Safe to use from any thread."""

    def __init__(self, task: Task, on_usage: Callable[[], None] = lambda: None) -> None:
        self.task = task
        self.cancel_reason: Optional[str] = None
        self._cancelled = threading.Event()
        self._lock = threading.Lock()
        self._on_usage = on_usage
        self._credits = 0.0
        self._tokens = 0
        self._tool_calls = 0
        self._tools: List[str] = []

    @property
    def run_id(self) -> str:
        return self.task.run_id

    @property
    def attempt(self) -> int:
        """1 for the first."""
        return self.task.attempt

    @property
    def idempotency_key(self) -> str:
        """The same for every attempt. Send it with every call that changes something elsewhere."""
        return self.task.idempotency_key

    @property
    def scheduled_at(self) -> datetime:
        """The time of the occurrence, not of the attempt."""
        return self.task.scheduled_at

    @property
    def cancelled(self) -> bool:
        """Whether the function should end. An `async` function is cancelled as well, so it need not look."""
        return self._cancelled.is_set()

    def raise_if_cancelled(self) -> None:
        """Raises TaskCancelled. A function that is not `async` calls it between its steps."""
        if self.cancelled:
            raise TaskCancelled(self.cancel_reason or "cancelled")

    def sleep(self, seconds: float) -> None:
        """Sleeps in a function that is not `async`, and raises TaskCancelled as soon as it should end."""
        self._cancelled.wait(seconds)
        self.raise_if_cancelled()

    def report_usage(self, *, credits: float = 0, tokens: int = 0, tool_calls: int = 0,
                     tools: Sequence[str] = ()) -> None:
        """Adds what was used since the last report. The server learns it at once and ends an attempt that uses more
        than its assignee may: the function is cancelled then."""
        with self._lock:
            self._credits = round(self._credits + credits, 6)
            self._tokens += tokens
            self._tool_calls += tool_calls
            self._tools += [each for each in tools if each not in self._tools]
        self._on_usage()

    @property
    def usage(self) -> Optional[UsageReport]:
        """The sum of all reports; None if there was none."""
        with self._lock:
            if not (self._credits or self._tokens or self._tool_calls or self._tools):
                return None
            return UsageReport(self._credits, self._tokens, self._tool_calls, list(self._tools))

    def _cancel(self, reason: str) -> None:
        self.cancel_reason = reason
        self._cancelled.set()

    def _enter(self) -> None:
        _current.set(self)
