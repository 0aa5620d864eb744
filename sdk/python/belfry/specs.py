"""Short ways to write the common specs and targets."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Mapping, Optional, Union

from belfry._codec import encode, format_duration, format_time
from belfry.models import Interval, Spec, TargetRequest


def cron(*expressions: str, timezone: Optional[str] = None) -> Spec:
    """`cron("0 2 * * *", timezone="Europe/Berlin")`"""
    return Spec(cron=list(expressions), timezone=timezone)


def every(interval: Union[timedelta, str], *, offset: Union[timedelta, str, None] = None) -> Spec:
    """`every(timedelta(hours=6))` or `every("6h")`"""
    return Spec(intervals=[Interval(_duration(interval), None if offset is None else _duration(offset))])


def at(*times: Union[datetime, str]) -> Spec:
    """Single points in time."""
    return Spec(at=[format_time(each) if isinstance(each, datetime) else each for each in times])


def task(kind: str, input: Any = None, *, queue: Optional[str] = None, priority: Optional[int] = None,
         metadata: Optional[Mapping[str, str]] = None) -> TargetRequest:
    """A target that a worker does: `task("send-report", {"region": "eu"})`"""
    return TargetRequest(type="task", task_kind=kind, input=encode(input), queue=queue, priority=priority,
                         metadata=None if metadata is None else dict(metadata))


def workflow(kind: str, input: Any = None, *, version: Optional[int] = None) -> TargetRequest:
    """A target that is a deployed workflow."""
    return TargetRequest(type="workflow", workflow_kind=kind, input=encode(input), version=version)


def _duration(value: Union[timedelta, str]) -> str:
    return format_duration(value) if isinstance(value, timedelta) else value
