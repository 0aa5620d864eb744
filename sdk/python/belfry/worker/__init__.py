"""The worker: claims tasks, runs functions, and reports how they ended."""

from belfry.worker.context import TaskContext, current_task
from belfry.worker.failures import ContractViolated, ProviderError, RateLimited, TaskCancelled, TaskFailure, TaskTimeout
from belfry.worker.worker import Worker

__all__ = ["ContractViolated", "ProviderError", "RateLimited", "TaskCancelled", "TaskContext", "TaskFailure",
           "TaskTimeout", "Worker", "current_task"]
