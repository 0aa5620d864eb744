"""Workers against a real server: work, retries, cancellation, crashes, drains, lost leases, declared schedules."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Awaitable, Callable, Iterator, List, Optional

from real_server import HERE, PATIENCE_S, Served, eventually

import belfry
from belfry import (Client, NotTheOwner, RateLimited, RetryPolicy, TaskContext, Worker, cron, current_task, models,
                    task)

NEVER = cron("0 0 29 2 *")


@dataclass
class Report:
    region: str
    pages: int = 1


def with_client(test: Callable[[Any, Client], Awaitable[None]]) -> Callable[[Any], None]:
    def run(self: Any) -> None:
        async def work() -> None:
            async with Client(self.server.url) as client:
                await asyncio.wait_for(test(self, client), 4 * PATIENCE_S)

        asyncio.run(work())

    return run


async def until(look: Callable[[], Any]) -> None:
    for _ in range(int(PATIENCE_S / 0.02)):
        if look():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it never happened")


class Workers(Served):
    def worker(self, client: Client, **options: Any) -> Worker:
        self.queue = self.id().rsplit(".", 1)[-1]
        return Worker(client, **{"queue": self.queue, "poll": 0.2, **options})

    async def trigger(self, client: Client, kind: str, input: Any = None, **members: Any) -> belfry.RunHandle:
        name = f"{self.queue}-{kind}"
        await client.create_schedule(**{"name": name, "spec": NEVER, "target": task(kind, input, queue=self.queue),
                                        "overlap_policy": "allow_all", **members})
        return await client.schedule(name).trigger()

    @with_client
    async def test_functions_of_both_kinds_get_typed_inputs(self, client: Client) -> None:
        worker = self.worker(client)

        @worker.task("async")
        async def in_loop(report: Report, context: TaskContext) -> Report:
            assert current_task() is context
            return Report(report.region.upper(), report.pages + 1)

        @worker.task("thread")
        def in_thread(report: Report) -> Any:
            return {"thread": threading.current_thread().name, "run": current_task().run_id, "region": report.region}

        async with worker:
            first = await self.trigger(client, "async", {"region": "eu"})
            second = await self.trigger(client, "thread", Report("us"))
            self.assertEqual((await first.wait()).result, {"region": "EU", "pages": 2})
            self.assertEqual((await second.wait()).result,
                             {"thread": "belfry-task", "run": second.id, "region": "us"})
            wrong = await (await client.schedule(f"{self.queue}-async").trigger(input={"pages": "x"})).wait()
            self.assertEqual(wrong.status, "failed")
            self.assertIn("region is missing", wrong.error or "")
            unknown = await (await self.trigger(client, "unknown")).wait()
            self.assertIn("no function for the task kind", unknown.error or "")

    @with_client
    async def test_failures_are_tried_again_as_their_category_says(self, client: Client) -> None:
        worker = self.worker(client, categories={KeyError: "provider_error"})
        attempts: List[int] = []

        @worker.task("flaky")
        async def flaky(context: TaskContext) -> int:
            attempts.append(context.attempt)
            if context.attempt == 1:
                raise RateLimited("slow down", retry_after=0.05)
            if context.attempt == 2:
                raise KeyError("a class with a category")
            return context.attempt

        @worker.task("broken")
        async def broken(context: TaskContext) -> None:
            raise ValueError("no category")

        async with worker:
            policy = RetryPolicy(max_retries=5, backoff_ms=10, retry_on=["rate_limit", "provider_error"])
            run = await (await self.trigger(client, "flaky", retry_policy=policy)).wait()
            self.assertEqual((run.status, run.result, attempts), ("succeeded", 3, [1, 2, 3]))
            other = await (await self.trigger(client, "broken", retry_policy=policy)).wait()
            self.assertEqual((other.status, other.error), ("failed", "ValueError: no category"))

    @with_client
    async def test_a_cancelled_run_cancels_its_function(self, client: Client) -> None:
        worker = self.worker(client, lease=0.6)
        seen: List[str] = []

        @worker.task("async")
        async def in_loop(context: TaskContext) -> None:
            seen.append("started")
            try:
                await asyncio.sleep(PATIENCE_S)
            except asyncio.CancelledError:
                seen.append(f"async: {context.cancel_reason}")
                raise

        @worker.task("thread")
        def in_thread(context: TaskContext) -> None:
            seen.append("started")
            try:
                context.sleep(PATIENCE_S)
            except belfry.TaskCancelled as error:
                seen.append(f"thread: {error}")
                raise

        async with worker:
            for kind in ("async", "thread"):
                seen.clear()
                run = await self.trigger(client, kind)
                await until(lambda: seen == ["started"])
                await run.cancel(reason="by hand")
                await until(lambda: len(seen) == 2)
                self.assertEqual(seen[1], f"{kind}: the run is cancelled: by hand")
                self.assertEqual((await run.get()).status, "cancelled")

    @with_client
    async def test_a_timeout_ends_the_function(self, client: Client) -> None:
        worker = self.worker(client)

        @worker.task("slow")
        async def slow() -> None:
            await asyncio.sleep(PATIENCE_S)

        async with worker:
            run = await (await self.trigger(client, "slow", retry_policy=RetryPolicy(timeout_ms=200))).wait()
            self.assertEqual(run.status, "timed_out")

    @with_client
    async def test_a_lost_lease_stops_the_function_and_reports_nothing(self, client: Client) -> None:
        worker = self.worker(client, lease=0.6)
        stopped, redelivered = asyncio.Event(), asyncio.Event()

        @worker.task("slow")
        async def slow(context: TaskContext) -> str:
            if context.attempt > 1:
                redelivered.set()
                await stopped.wait()
                return "the second attempt"
            try:
                # Without renewals, the lease ends and the server gives the task to the next attempt.
                attempt, = worker.leases.held
                worker.leases.release(attempt)
                await redelivered.wait()
                worker.leases.hold(attempt)
                await asyncio.sleep(PATIENCE_S)
            except asyncio.CancelledError:
                stopped.set()
                raise
            return "the first attempt"

        async with worker:
            run = await self.trigger(client, "slow")
            await asyncio.wait_for(stopped.wait(), PATIENCE_S)
            self.assertEqual((await run.wait()).result, "the second attempt")

    @with_client
    async def test_long_work_keeps_its_lease(self, client: Client) -> None:
        worker = self.worker(client, lease=0.5)

        @worker.task("long")
        def long(context: TaskContext) -> int:
            context.sleep(2)
            return context.attempt

        async with worker:
            self.assertEqual((await (await self.trigger(client, "long")).wait()).result, 1)

    @with_client
    async def test_usage_is_charged_and_a_limit_cancels(self, client: Client) -> None:
        await client.put_assignee("spender", type="agent", policies={"spendingLimitCredits": 1})
        worker = self.worker(client, assignee="spender")
        cancelled = asyncio.Event()

        @worker.task("modest")
        async def modest(context: TaskContext) -> None:
            context.report_usage(credits=0.25, tokens=10, tools=["search"])
            context.report_usage(credits=0.25, tool_calls=1, tools=["search"])

        @worker.task("greedy")
        async def greedy(context: TaskContext) -> None:
            context.report_usage(credits=5)
            try:
                await asyncio.sleep(PATIENCE_S)
            except asyncio.CancelledError:
                cancelled.set()
                raise

        members: Any = {"assignee": {"type": "agent", "id": "spender"}, "approval_policy": {"requiresApproval": False}}
        async with worker:
            run = await (await self.trigger(client, "modest", **members)).wait()
            self.assertEqual(run.cost, models.Usage(credits=0.5, tokens=10, tool_calls=1, tools=["search"]))
            over = await self.trigger(client, "greedy", **members)
            await asyncio.wait_for(cancelled.wait(), PATIENCE_S)
            self.assertEqual((await over.wait()).status, "failed")

    @with_client
    async def test_many_tasks_at_the_same_time(self, client: Client) -> None:
        worker = self.worker(client, concurrency=5)
        running, most = 0, 0

        @worker.task("count")
        async def count() -> None:
            nonlocal running, most
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.02)
            running -= 1

        runs = [await client.start_task(task_kind="count", queue=self.queue) for _ in range(40)]
        async with worker:
            for run in runs:
                self.assertEqual((await client.run(run.id).wait()).status, "succeeded")
        self.assertEqual(most, 5)

    @with_client
    async def test_a_result_that_is_too_large_fails_the_task_and_not_its_neighbours(self, client: Client) -> None:
        worker = self.worker(client)

        @worker.task("large")
        async def large(size: int) -> str:
            return "x" * size

        runs = [await client.start_task(task_kind="large", queue=self.queue, input=size)
                for size in (10, 3 * 1024 * 1024, 900_000, 900_000, 900_000)]
        async with worker:
            ended = [await client.run(run.id).wait() for run in runs]
        self.assertEqual([run.status for run in ended], ["succeeded", "failed", *["succeeded"] * 3])

    @with_client
    async def test_work_survives_a_restart_of_the_server(self, client: Client) -> None:
        worker = self.worker(client, lease=20)
        started, go = asyncio.Event(), asyncio.Event()

        @worker.task("patient")
        async def patient(context: TaskContext) -> int:
            started.set()
            await go.wait()
            return context.attempt

        async with worker:
            run = await self.trigger(client, "patient")
            await asyncio.wait_for(started.wait(), PATIENCE_S)
            await asyncio.get_running_loop().run_in_executor(None, self.server.kill)
            go.set()
            await asyncio.get_running_loop().run_in_executor(None, self.server.start)
            self.assertEqual((await run.wait()).result, 1)

    @with_client
    async def test_events_continue_across_a_restart_of_the_server(self, client: Client) -> None:
        await client.create_schedule(name="watched", spec=NEVER, target=task("x", queue="unseen"),
                                     overlap_policy="allow_all")
        found: List[belfry.Event] = []

        async def follow() -> None:
            async for event in client.events(types=["run.dispatched"], schedule_id="watched"):
                found.append(event)

        following = asyncio.ensure_future(follow())
        runs = []
        try:
            # The stream begins somewhere during these.
            while not found:
                runs.append((await client.schedule("watched").trigger()).id)
                await asyncio.sleep(0.05)
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(None, self.server.kill)
            await loop.run_in_executor(None, self.server.start)
            for _ in range(3):
                runs.append((await client.schedule("watched").trigger()).id)
            await until(lambda: found[-1].data["runId"] == runs[-1])
        finally:
            following.cancel()
        seen = [event.data["runId"] for event in found]
        self.assertEqual(seen, runs[-len(seen):], "each once, in order, none missing")
        replayed = []
        async for event in client.events(types=["run.dispatched"], after=found[0].id):
            replayed.append(event.data["runId"])
            if replayed[-1] == runs[-1]:
                break
        self.assertEqual(replayed, seen[1:])

    @contextlib.contextmanager
    def process(self, folder: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
        program = subprocess.Popen([sys.executable, "-B", str(HERE / "worker_program.py"), self.server.url,
                                    self.queue, folder, *arguments])
        try:
            yield program
        finally:
            program.kill()
            program.wait()

    def start(self, kind: str) -> str:
        self.queue = self.id().rsplit(".", 1)[-1]
        return self.client.start_task(task_kind=kind, queue=self.queue).id

    def test_another_worker_does_the_task_of_a_killed_one(self) -> None:
        run = self.start("wait-for-file")
        with tempfile.TemporaryDirectory() as folder:
            with self.process(folder) as first:
                eventually((Path(folder) / "started-1").exists)
                first.send_signal(signal.SIGKILL)
                first.wait()
            (Path(folder) / "go").touch()
            with self.process(folder):
                self.assertEqual(self.client.run(run).wait().result, "done")
                self.assertTrue((Path(folder) / "started-2").exists())

    def test_a_drain_waits_for_running_functions(self) -> None:
        run = self.start("wait-for-file")
        with tempfile.TemporaryDirectory() as folder, self.process(folder) as program:
            eventually((Path(folder) / "started-1").exists)
            program.send_signal(signal.SIGTERM)
            later = self.client.start_task(task_kind="wait-for-file", queue=self.queue).id
            with self.assertRaises(subprocess.TimeoutExpired):
                program.wait(timeout=1)
            (Path(folder) / "go").touch()
            self.assertEqual(program.wait(timeout=PATIENCE_S), 0)
            ended = self.client.get_run(run)
            self.assertEqual((ended.status, ended.result, ended.attempts), ("succeeded", "done", 1))
            self.assertIn(self.client.get_run(later).status, ("queued", "succeeded"))

    def test_a_drain_that_takes_too_long_gives_tasks_back(self) -> None:
        run = self.start("wait-for-file")
        with tempfile.TemporaryDirectory() as folder:
            with self.process(folder, "0.1") as program:
                eventually((Path(folder) / "started-1").exists)
                program.send_signal(signal.SIGTERM)
                self.assertEqual(program.wait(timeout=PATIENCE_S), 0)
            self.assertTrue((Path(folder) / "cancelled").exists())
            (Path(folder) / "go").touch()
            with self.process(folder):
                self.assertEqual(self.client.run(run).wait().result, "done")

    def test_a_function_that_never_looks_does_not_hold_up_a_second_signal(self) -> None:
        self.start("never-looks")
        with tempfile.TemporaryDirectory() as folder, self.process(folder) as program:
            eventually((Path(folder) / "started-1").exists)
            program.send_signal(signal.SIGTERM)
            with self.assertRaises(subprocess.TimeoutExpired):
                program.wait(timeout=1)
            program.send_signal(signal.SIGTERM)
            self.assertEqual(program.wait(timeout=PATIENCE_S), 0)

    async def declare(self, client: Client, cron_text: str, *names: str, prune: bool = False,
                      owner: Optional[str] = None) -> None:
        worker = self.worker(client, prune=prune, owner=owner)

        @worker.task("nightly-work")
        async def nightly() -> None:
            pass

        for name in names:
            worker.schedule(name, cron=cron_text, timezone="Europe/Berlin", input={"full": True},
                            retry_policy=RetryPolicy(max_retries=2))(nightly)
        async with worker:
            await asyncio.sleep(0)

    @with_client
    async def test_declared_schedules_are_created_replaced_and_pruned(self, client: Client) -> None:
        await self.declare(client, "0 2 * * *", "declared-a", "declared-b")
        made = await client.get_schedule("declared-a")
        self.assertEqual((made.spec.cron, made.spec.timezone, made.labels, made.target.queue, made.target.input),
                         (["0 2 * * *"], "Europe/Berlin", {"belfry.owner": self.queue}, self.queue, {"full": True}))
        self.assertEqual((made.target.task_kind, made.retry_policy.max_retries), ("nightly-work", 2))
        await client.pause_schedule("declared-a")
        await self.declare(client, "0 2 * * *", "declared-a", "declared-b")
        again = await client.get_schedule("declared-a")
        self.assertEqual((again.version, again.status), (1, "paused"), "the same declaration changes nothing")
        await self.declare(client, "0 3 * * *", "declared-a", prune=True)
        changed = await client.get_schedule("declared-a")
        self.assertEqual((changed.version, changed.spec.cron, changed.status), (2, ["0 3 * * *"], "paused"))
        with self.assertRaises(belfry.ScheduleNotFound):
            await client.get_schedule("declared-b")
        with self.assertRaises(NotTheOwner):
            await self.declare(client, "0 4 * * *", "declared-a", owner="another-program")
        self.assertEqual((await client.get_schedule("declared-a")).version, 2)

    @with_client
    async def test_a_declared_schedule_runs_its_function(self, client: Client) -> None:
        worker = self.worker(client)

        @worker.task("tick")
        @worker.schedule("every-second", every="1s", input={"n": 1})
        async def tick(input: Any) -> Any:
            return input

        async with worker:
            await until(lambda: self.client.list_schedules(name_prefix="every-second").items)
            await until(lambda: list(self.client.iter_schedule_runs("every-second", status="succeeded")))
        await client.delete_schedule("every-second")


if __name__ == "__main__":
    unittest.main()
