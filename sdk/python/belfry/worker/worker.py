"""The worker composes its parts: it claims tasks while it has room, and drains when it is asked to stop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
from types import TracebackType
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Type, TypeVar, Union

from belfry._async.client import Client
from belfry.errors import APIError, ConnectionFailed, InvalidArgument, NotFound, PermissionDenied, Unauthenticated
from belfry.models import Spec, Task
from belfry.specs import cron as cron_spec
from belfry.specs import every as every_spec
from belfry.specs import task as task_target
from belfry.worker.attempt import Attempt
from belfry.worker.completer import Completer
from belfry.worker.declared import Declaration, apply
from belfry.worker.failures import Categories
from belfry.worker.functions import TaskFunction
from belfry.worker.leases import LeaseKeeper

log = logging.getLogger("belfry.worker")
F = TypeVar("F", bound=Callable[..., Any])
PAUSE_FIRST_S, PAUSE_MAX_S = 0.25, 10.0
CLAIM_MAX = 1000
# Repeating a claim cannot help: the credential, the tenant or an argument is wrong.
FINAL = (Unauthenticated, PermissionDenied, NotFound, InvalidArgument)


class Worker:
    """Does the tasks of a queue with the functions that `task` registers.

    concurrency    tasks at the same time
    lease          seconds after which the server gives the task of a dead worker to another one
    poll           seconds that a claim waits for a task; a stop waits for the claim that is under way
    drain_timeout  seconds that a stop waits for running functions before it cancels them
    owner          which program declared schedules belong to; the same for all workers of the program
    prune          whether to delete schedules of this owner that are no longer declared
    assignee       claim the tasks of this agent or team
    """

    def __init__(self, url: Union[str, Client, None] = None, *, queue: Union[str, Sequence[str]] = "default",
                 concurrency: int = 10, name: Optional[str] = None, lease: float = 30.0, poll: float = 5.0,
                 drain_timeout: float = 30.0, owner: Optional[str] = None, prune: bool = False,
                 assignee: Optional[str] = None, categories: Optional[Categories] = None, **client: Any) -> None:
        self._owns_client = not isinstance(url, Client)
        self.client = url if isinstance(url, Client) else Client(url, **client)
        self.queues = [queue] if isinstance(queue, str) else list(queue)
        self.concurrency = concurrency
        self.name = name or f"{socket.gethostname()}:{os.getpid()}"
        self.lease, self.poll, self.drain_timeout = lease, poll, drain_timeout
        self.owner = owner or self.queues[0]
        self.prune = prune
        self.assignee = assignee
        self.functions: Dict[str, TaskFunction] = {}
        self._categories: Categories = categories or {}
        self._declared: List[Callable[[], Declaration]] = []
        self._free = concurrency
        self._running: Set[asyncio.Task[None]] = set()
        self._background: Optional[asyncio.Task[None]] = None

    def task(self, kind: str, *, categories: Optional[Categories] = None) -> Callable[[F], F]:
        """Registers a function: `@worker.task("send-report")`. `categories` says which exceptions are what kind of
        failure."""
        def register(function: F) -> F:
            if kind in self.functions:
                raise ValueError(f"the task {kind!r} has a function already")
            self.functions[kind] = TaskFunction(kind, function, {**self._categories, **(categories or {})})
            return function

        return register

    def schedule(self, name: str, *, cron: Union[str, Sequence[str], None] = None, every: Optional[str] = None,
                 spec: Optional[Spec] = None, timezone: Optional[str] = None, input: Any = None,
                 queue: Optional[str] = None, **members: Any) -> Callable[[F], F]:
        """Declares a schedule of a function beside `task`. Further arguments are those of `create_schedule`."""
        if [cron, every, spec].count(None) != 2:
            raise ValueError(f"schedule {name!r} needs exactly one of cron, every and spec")
        if cron is not None:
            spec = cron_spec(*([cron] if isinstance(cron, str) else cron))
        elif every is not None:
            spec = every_spec(every)
        assert spec is not None
        spec.timezone = timezone or spec.timezone
        times = spec

        def declare(function: F) -> F:
            self._declared.append(lambda: Declaration(
                name, times, task_target(self._kind_of(name, function), input, queue=queue or self.queues[0]), members))
            return function

        return declare

    def _kind_of(self, schedule: str, function: Callable[..., Any]) -> str:
        for kind, each in self.functions.items():
            if each.function is function:
                return kind
        raise ValueError(f"the function of schedule {schedule!r} is no task: add @worker.task")

    @property
    def declarations(self) -> List[Declaration]:
        return [each() for each in self._declared]

    def run(self) -> None:
        """Works until SIGTERM or SIGINT, then drains. A second signal cancels the running functions."""
        asyncio.run(self._run_with_signals())

    async def _run_with_signals(self) -> None:
        loop = asyncio.get_running_loop()
        work = asyncio.ensure_future(self.run_async())

        def interrupt() -> None:
            if self._stopping.is_set():
                self._abandon.set()
            self.stop()

        await asyncio.sleep(0)  # run_async makes its events
        for each in (signal.SIGTERM, signal.SIGINT):
            with contextlib.suppress(NotImplementedError):  # not on Windows
                loop.add_signal_handler(each, interrupt)
        await work

    def stop(self) -> None:
        """Asks the worker to drain: it claims no more, and `run_async` returns when running functions have ended."""
        self._stopping.set()

    async def run_async(self) -> None:
        """Works until `stop`."""
        self._stopping, self._abandon = asyncio.Event(), asyncio.Event()
        self._room = asyncio.Event()
        self._free = self.concurrency
        self.leases = LeaseKeeper(self.client, self.lease)
        self._completer = Completer(self.client)
        await apply(self.client, self.owner, self.declarations, self.prune)
        services = [asyncio.ensure_future(self.leases.run()), asyncio.ensure_future(self._completer.run())]
        claims = [asyncio.ensure_future(self._claim_loop(queue)) for queue in self.queues]
        log.info("worker %s claims from %s", self.name, ", ".join(self.queues))
        try:
            await asyncio.gather(*claims)
            await self._drain()
        finally:
            for each in [*claims, *services, *self._running]:
                each.cancel()
            await asyncio.gather(*claims, *services, *self._running, return_exceptions=True)
            if self._owns_client:
                await self.client.aclose()

    async def __aenter__(self) -> Worker:
        """Works in the background; the end of the block stops and drains it."""
        self._background = asyncio.ensure_future(self.run_async())
        await asyncio.sleep(0)
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        assert self._background is not None
        self.stop()
        await self._background

    async def _claim_loop(self, queue: str) -> None:
        pause = PAUSE_FIRST_S
        while not self._stopping.is_set():
            reserved = await self._reserve()
            if not reserved:
                continue
            tasks: List[Task] = []
            try:
                tasks = (await self.client.claim_tasks(
                    worker=self.name, queue=queue, assignee=self.assignee, limit=reserved,
                    lease_ms=round(self.lease * 1000), wait_ms=round(self.poll * 1000))).items
                pause = PAUSE_FIRST_S
            except (APIError, ConnectionFailed) as error:
                if isinstance(error, FINAL):
                    log.error("cannot claim from %s, stopping: %s", queue, error)
                    raise
                log.warning("cannot claim from %s, trying again: %s", queue, error)
                await self._pause(pause)
                pause = min(pause * 2, PAUSE_MAX_S)
            finally:
                self._give_room(reserved - len(tasks))
            for task in tasks:
                self._start(task)

    async def _reserve(self) -> int:
        """A fair share of the free places, at least one; 0 when it is time to stop."""
        while self._free <= 0 and not self._stopping.is_set():
            self._room.clear()
            await _first_of(self._room, self._stopping)
        if self._stopping.is_set():
            return 0
        share = min(-(-self._free // len(self.queues)), CLAIM_MAX)
        self._free -= share
        return share

    def _give_room(self, places: int) -> None:
        self._free += places
        if places:
            self._room.set()

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)

    def _start(self, task: Task) -> None:
        loop = asyncio.get_running_loop()

        def report() -> None:
            loop.call_soon_threadsafe(self.leases.wake)

        attempt = Attempt(task, self.functions.get(task.task_kind), self.lease, report)
        self.leases.hold(attempt)
        running = asyncio.ensure_future(self._run_attempt(attempt))
        self._running.add(running)
        running.add_done_callback(self._running.discard)

    async def _run_attempt(self, attempt: Attempt) -> None:
        try:
            completion = await attempt.run()
            if completion is not None:
                await self._completer.complete(attempt, completion)
            elif attempt.stopped == "lost":
                log.info("run %s was stopped: %s", attempt.task.run_id, attempt.context.cancel_reason)
        finally:
            if attempt.stopped != "drain":
                self.leases.release(attempt)
            self._give_room(1)

    async def _drain(self) -> None:
        if self._running:
            log.info("draining: %d tasks are running", len(self._running))
        abandon = asyncio.ensure_future(self._abandon.wait())
        ended = asyncio.ensure_future(_all_ended(self._running))
        await asyncio.wait([ended, abandon], timeout=self.drain_timeout, return_when=asyncio.FIRST_COMPLETED)
        abandon.cancel()
        ended.cancel()
        left = [attempt for attempt in self.leases.held if attempt.stopped is None]
        for attempt in left:
            attempt.stop("drain", "the worker shuts down")
        await asyncio.sleep(0)
        if left:
            await self.leases.give_back(left)


async def _all_ended(running: Set[asyncio.Task[None]]) -> None:
    while running:
        await asyncio.wait(list(running))


async def _first_of(*events: asyncio.Event) -> None:
    waits = [asyncio.ensure_future(each.wait()) for each in events]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in waits:
            each.cancel()
