"""Belfry, a durable scheduler: a client and a worker.

`Client` is asynchronous, `SyncClient` is not. `Worker` does the tasks that schedules start.
"""

from belfry import errors, models
from belfry._async.client import Client
from belfry._async.event_stream import EventStream
from belfry._async.handles import RunHandle, ScheduleHandle
from belfry._sync.client import SyncClient
from belfry._sync.event_stream import SyncEventStream
from belfry._sync.handles import SyncRunHandle, SyncScheduleHandle
from belfry._version import VERSION as __version__
from belfry.errors import (AlreadyExists, APIError, BelfryError, CallTimeout, Conflict, ConnectionFailed, Exhausted,
                           FieldError, InvalidArgument, NotFound, NotTheOwner, OutcomeUnknown, PermissionDenied,
                           RunNotFound, RunNotOver, ScheduleAlreadyExists, ScheduleNotFound, ServerError,
                           Unauthenticated, Unavailable, UnexpectedResponse)
from belfry.events import Event
from belfry.models import (ApprovalPolicy, FailurePolicy, RetryPolicy, Run, Schedule, ScheduleHistoryEvent,
                           ScheduleHistoryPage, Spec, WorkflowScheduleRecord)
from belfry.specs import at, cron, every, task, workflow
from belfry.worker import (ContractViolated, ProviderError, RateLimited, TaskCancelled, TaskContext, TaskFailure,
                           TaskTimeout, Worker, current_task)

__all__ = [
    "APIError", "AlreadyExists", "ApprovalPolicy", "BelfryError", "CallTimeout", "Client", "Conflict",
    "ConnectionFailed", "ContractViolated", "Event", "EventStream",
    "Exhausted", "FailurePolicy", "FieldError", "InvalidArgument",
    "NotFound", "NotTheOwner", "OutcomeUnknown", "PermissionDenied", "ProviderError", "RateLimited", "RetryPolicy",
    "Run", "RunHandle", "RunNotFound", "RunNotOver", "Schedule", "ScheduleAlreadyExists", "ScheduleHandle",
    "ScheduleHistoryEvent", "ScheduleHistoryPage", "ScheduleNotFound", "ServerError", "Spec", "SyncClient",
    "SyncEventStream",
    "SyncRunHandle", "SyncScheduleHandle", "TaskCancelled", "TaskContext", "TaskFailure", "TaskTimeout",
    "Unauthenticated", "Unavailable", "UnexpectedResponse", "Worker", "WorkflowScheduleRecord", "__version__", "at",
    "cron", "current_task", "errors", "every", "models", "task", "workflow",
]
