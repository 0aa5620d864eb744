"""Reports ended attempts: as many as there are with one request, one request at a time."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import List, Tuple

from belfry import _calls as calls
from belfry._async.client import Client
from belfry._call import json_body
from belfry.errors import APIError, ConnectionFailed, Exhausted, ServerError, Unavailable
from belfry.models import TaskCompletion, TaskOutcome
from belfry.worker.attempt import ERROR_MAX, Attempt

log = logging.getLogger("belfry.worker")
ITEMS_MAX = 1000
RESULT_MAX = 1024 * 1024
# The server takes 2 MiB. It rejects more without reading it, and the client sees only a broken connection.
REQUEST_MAX = 1536 * 1024
PAUSE_S = 0.5

Item = Tuple[Attempt, TaskCompletion, "asyncio.Future[None]"]


class Completer:
    def __init__(self, client: Client) -> None:
        self._client = client
        self._waiting: List[Item] = []
        self._wake = asyncio.Event()

    async def complete(self, attempt: Attempt, completion: TaskCompletion) -> None:
        """Returns when the server knows, or when the lease is lost."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        size = size_of(completion)
        if completion.result is not None and size > RESULT_MAX + 1024:
            completion = rejected(completion, f"the result has more than {RESULT_MAX} bytes")
        self._waiting.append((attempt, completion, done))
        self._wake.set()
        await done

    async def run(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._waiting:
                await self._send(self._next_batch())

    def _next_batch(self) -> List[Item]:
        count, size = 0, 0
        for _, completion, _ in self._waiting[:ITEMS_MAX]:
            size += size_of(completion)
            if count and size > REQUEST_MAX:
                break
            count += 1
        items, self._waiting = self._waiting[:count], self._waiting[count:]
        return items

    async def _send(self, items: List[Item]) -> None:
        may_be_known = False  # whether the server may have recorded an earlier request
        while items := self._still_held(items):
            try:
                outcomes = await self._complete([completion for _, completion, _ in items])
            except (ConnectionFailed, ServerError, Exhausted) as error:
                may_be_known = may_be_known or not is_unchanged(error)
                log.warning("cannot complete %d tasks, trying again: %s", len(items), error)
                await asyncio.sleep(PAUSE_S)
                continue
            except APIError as error:
                await self._split(items, error)
                return
            for item, outcome in zip(items, outcomes):
                self._settle(item, outcome, may_be_known)
            return

    async def _complete(self, completions: List[TaskCompletion]) -> List[TaskOutcome]:
        # The client must not repeat a request whose outcome is unknown: then nobody could tell a lost lease from a
        # completion that was recorded before.
        call = calls.complete_tasks(self._client.tenant, items=completions)
        return (await self._client.send(replace(call, repeatable=False))).items

    def _still_held(self, items: List[Item]) -> List[Item]:
        for attempt, _, done in items:
            if attempt.stopped == "lost" and not done.done():
                done.set_result(None)
        return [item for item in items if not item[2].done()]

    async def _split(self, items: List[Item], error: APIError) -> None:
        """The server rejects the request: together the items are too large, or one of them is invalid."""
        if len(items) > 1:
            await self._send(items[:len(items) // 2])
            await self._send(items[len(items) // 2:])
            return
        self._reject(items[0], error.detail)

    def _reject(self, item: Item, detail: str) -> None:
        attempt, completion, done = item
        if completion.category == "contract_violated" and completion.result is None:
            log.error("the server rejects the completion of run %s: %s", attempt.task.run_id, detail)
            done.set_result(None)
            return
        failed = rejected(completion, f"the server rejects the completion: {detail}")
        self._waiting.append((attempt, failed, done))
        self._wake.set()

    def _settle(self, item: Item, outcome: TaskOutcome, may_be_known: bool) -> None:
        attempt, _, done = item
        problem = outcome.problem
        if not outcome.ok and problem is not None and problem.code == "invalid_argument":
            self._reject(item, problem.detail)
            return
        if not outcome.ok and problem is not None and may_be_known and problem.code == "conflict":
            log.debug("run %s: an earlier request completed it", attempt.task.run_id)
        elif not outcome.ok and problem is not None:
            log.warning("run %s was not completed: %s", attempt.task.run_id, problem.detail)
        if outcome.limit is not None:
            log.warning("run %s has failed: it used more than %s", attempt.task.run_id, outcome.limit.limit)
        if not done.done():
            done.set_result(None)


def is_unchanged(error: Exception) -> bool:
    """Whether the server has certainly recorded nothing."""
    return isinstance(error, (Unavailable, Exhausted)) or (isinstance(error, ConnectionFailed) and not error.sent)


def size_of(completion: TaskCompletion) -> int:
    """Bytes of its JSON, or a little more."""
    result = 0 if completion.result is None else len(json_body(completion.result)[0])
    return result + 6 * len(completion.error or "") + 1024


def rejected(completion: TaskCompletion, error: str) -> TaskCompletion:
    """The completion of an attempt whose result cannot be reported."""
    return TaskCompletion(completion.run_id, completion.attempt, "failed", node=completion.node,
                          category="contract_violated", usage=completion.usage, error=error[:ERROR_MAX])
