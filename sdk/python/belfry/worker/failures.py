"""How an attempt can fail. The category decides, with the retry policy of the schedule, whether it is tried again."""

from __future__ import annotations

import asyncio
from typing import Dict, Literal, Mapping, Optional, Type

import httpx

from belfry.errors import BelfryError

Category = Literal["timeout", "provider_error", "rate_limit", "contract_violated"]
Categories = Mapping[Type[BaseException], Category]


class TaskFailure(BelfryError):
    """Raise it in a task: the attempt failed. `retry_after` is the least delay of the next attempt, in seconds."""

    category: Optional[Category] = None

    def __init__(self, message: str = "", *, category: Optional[Category] = None,
                 retry_after: Optional[float] = None) -> None:
        super().__init__(message)
        self.category = category or type(self).category
        self.retry_after = retry_after


class TaskTimeout(TaskFailure):
    """Something took too long."""

    category = "timeout"


class ProviderError(TaskFailure):
    """A system that the task needs does not work."""

    category = "provider_error"


class RateLimited(TaskFailure):
    """A system that the task needs asks to wait."""

    category = "rate_limit"


class ContractViolated(TaskFailure):
    """The input is wrong: another attempt would fail, too."""

    category = "contract_violated"


class TaskCancelled(BelfryError):
    """The function should end: its run was cancelled, its lease was lost, or its time is over."""


USUAL: Categories = {
    TimeoutError: "timeout",
    asyncio.TimeoutError: "timeout",
    httpx.TimeoutException: "timeout",
    httpx.TransportError: "provider_error",
    ConnectionError: "provider_error",
}


def category_of(error: BaseException, categories: Categories) -> Optional[Category]:
    """Of the nearest class of the error that has one."""
    if isinstance(error, TaskFailure):
        return error.category
    known: Dict[Type[BaseException], Category] = {**USUAL, **categories}
    return next((known[kind] for kind in type(error).__mro__ if kind in known), None)
