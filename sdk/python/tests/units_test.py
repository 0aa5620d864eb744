"""Parts that need no server: values and their JSON, functions in memory, a worker that may not work."""

from __future__ import annotations

import asyncio
import sys
import unittest
from dataclasses import dataclass, field, fields
from datetime import date, datetime, timedelta, timezone
from enum import Enum
from pathlib import Path
from typing import Any, Dict, List, Optional, Union

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import belfry  # noqa: E402
from belfry import ContractViolated, RateLimited, TaskContext, Worker, at, every, models  # noqa: E402
from belfry._codec import decode, encode, format_duration, parse_time  # noqa: E402
from belfry.errors import error_of  # noqa: E402
from belfry.testing import run_task  # noqa: E402
from belfry.worker.attempt import Attempt  # noqa: E402
from belfry.worker.completer import Completer  # noqa: E402
from belfry.worker.declared import apply  # noqa: E402
from stub_server import Stub  # noqa: E402


class Color(Enum):
    RED = "red"


@dataclass
class Leaf:
    when: datetime
    day: date = date(2026, 1, 1)
    color: Color = Color.RED


@dataclass
class Tree:
    name: str
    leaves: List[Leaf] = field(default_factory=list)
    by_name: Dict[str, Optional[Leaf]] = field(default_factory=dict)
    size: Union[int, str, None] = None


class Values(unittest.TestCase):
    def test_a_dataclass_is_read_from_json_and_written_again(self) -> None:
        leaf = {"when": "2026-11-18T02:00:00Z", "day": "2026-02-03", "color": "red"}
        tree = {"name": "oak", "leaves": [leaf], "by_name": {"a": leaf, "b": None}, "size": "big"}
        read = decode(Tree, tree)
        self.assertEqual(read.leaves[0], Leaf(datetime(2026, 11, 18, 2, tzinfo=timezone.utc), date(2026, 2, 3)))
        self.assertEqual(encode(read), tree)

    def test_an_error_names_the_place(self) -> None:
        for value, text in [({}, "name is missing"), ({"name": 1}, ".name: expected str, got int"),
                            ({"name": "x", "leaves": [{"when": "soon"}]}, ".leaves[0].when: 'soon' is not a time"),
                            ([], "expected dict, got list")]:
            with self.assertRaises(ValueError) as error:
                decode(Tree, value)
            self.assertIn(text, str(error.exception))

    def test_a_model_ignores_what_it_does_not_know(self) -> None:
        read = models.Interval.from_json({"every": "PT1H", "invented": 1})
        self.assertEqual((read, read.to_json()), (models.Interval("PT1H"), {"every": "PT1H"}))

    def test_a_record_of_the_table_keeps_the_names_of_its_columns(self) -> None:
        read = models.WorkflowScheduleRecord.from_json({"next_run_at": "2026-11-18T02:00:00Z"})
        self.assertEqual(read.to_json()["next_run_at"], "2026-11-18T02:00:00Z")

    def test_times(self) -> None:
        self.assertEqual(parse_time("2026-11-18T02:00:00.123456789+01:00").microsecond, 123456)
        with self.assertRaises(ValueError):
            at(datetime(2026, 1, 1))
        self.assertEqual(at(datetime(2026, 1, 1, tzinfo=timezone.utc)).at, ["2026-01-01T00:00:00Z"])
        for length, text in [(timedelta(hours=6), "PT6H"), (timedelta(days=1, seconds=90), "PT24H1M30S"),
                             (timedelta(milliseconds=250), "PT0.25S"), (timedelta(0), "PT0S")]:
            self.assertEqual(format_duration(length), text)
        self.assertEqual(every("6h").intervals, [models.Interval("6h")])

    def test_pydantic_models_are_inputs_and_results(self) -> None:
        try:
            import pydantic
        except ImportError:
            self.skipTest("pydantic is not installed")

        class Order(pydantic.BaseModel):
            amount: int

        self.assertEqual(encode(decode(Order, {"amount": "3"})), {"amount": 3})
        with self.assertRaises(ValueError):
            decode(Order, {})


class InMemory(unittest.TestCase):
    def setUp(self) -> None:
        self.worker = Worker("http://127.0.0.1:1")

    def test_a_function_may_take_nothing_the_input_the_context_or_both(self) -> None:
        worker = self.worker
        worker.task("none")(lambda: 1)
        worker.task("input")(lambda input: input)

        @worker.task("context")
        def with_context(context: TaskContext) -> int:
            return context.attempt

        @worker.task("both")
        async def with_both(context: TaskContext, order: Dict[str, int]) -> Any:
            return [context.run_id != "", order["n"]]

        self.assertEqual([run_task(worker, kind, {"n": 1}, attempt=4).result
                          for kind in ("none", "input", "context", "both")], [1, {"n": 1}, 4, [True, 1]])
        with self.assertRaises(TypeError):
            worker.task("wrong")(lambda one, two: None)
        with self.assertRaises(ValueError):
            worker.task("none")(lambda: 2)

    def test_failures(self) -> None:
        def fail(error: Exception) -> Any:
            def function() -> None:
                raise error

            return function

        for kind, error, expected in [
                ("a", RateLimited("wait", retry_after=2), ("failed", "rate_limit", 2.0)),
                ("b", ContractViolated("bad"), ("failed", "contract_violated", None)),
                ("c", ConnectionResetError("gone"), ("failed", "provider_error", None)),
                ("d", TimeoutError(), ("timed_out", "timeout", None)),
                ("e", RuntimeError(), ("failed", None, None))]:
            self.worker.task(kind)(fail(error))
            result = run_task(self.worker, kind)
            self.assertEqual((result.status, result.category, result.retry_after), expected)
        self.worker.task("odd")(lambda: object())
        self.assertIn("not JSON", run_task(self.worker, "odd").error or "")

    def test_cancellation_and_timeouts(self) -> None:
        @self.worker.task("wait")
        async def wait() -> None:
            await asyncio.sleep(60)

        self.assertEqual(run_task(self.worker, "wait", cancel_after=0.01).status, "cancelled")
        self.assertEqual(run_task(self.worker, "wait", timeout=0.01).status, "timed_out")

    def test_a_schedule_needs_a_task_and_one_kind_of_times(self) -> None:
        with self.assertRaises(ValueError):
            self.worker.schedule("x", cron="@daily", every="1h")
        self.worker.schedule("x", cron="@daily")(lambda: None)
        with self.assertRaises(ValueError):
            self.worker.declarations

    def test_a_worker_without_permission_ends_with_an_error(self) -> None:
        problem = {"status": 403, "code": "forbidden", "detail": "requires the role worker", "errors": []}
        with Stub(lambda _: {"status": 403, "body": problem}) as stub:
            with self.assertRaises(belfry.PermissionDenied):
                asyncio.run(asyncio.wait_for(Worker(stub.url).run_async(), 60))

    def test_a_worker_of_a_missing_tenant_ends_with_an_error(self) -> None:
        problem = {"status": 404, "code": "not_found", "detail": "there is no tenant x", "errors": []}
        with Stub(lambda _: {"status": 404, "body": problem}) as stub:
            with self.assertRaises(belfry.NotFound), self.assertLogs("belfry.worker", "ERROR") as logged:
                asyncio.run(asyncio.wait_for(Worker(stub.url, tenant="x").run_async(), 60))
        self.assertIn("there is no tenant x", logged.output[0])

    def test_a_response_that_is_not_json_is_an_error_of_this_package(self) -> None:
        for text in ("<html>Welcome</html>", "[1]"):
            with self.subTest(text), Stub(lambda _, text=text: {"status": 200, "text": text}) as stub:
                with belfry.SyncClient(stub.url) as client, self.assertRaises(belfry.BelfryError) as error:
                    client.get_schedule("x")
                self.assertIn("not one of Belfry's", str(error.exception))

    def test_a_prune_reads_the_whole_list_first_and_ignores_what_is_gone(self) -> None:
        gone = {"status": 404, "code": "not_found", "detail": "there is no schedule b", "errors": []}
        schedules = [models.Schedule(**{each.name: None for each in fields(models.Schedule)}) for _ in "ab"]
        deleted: List[str] = []

        class Listed(belfry.Client):
            async def iter_schedules(self, **_: Any) -> Any:
                for name, schedule in zip("ab", schedules):
                    assert not deleted, "deleting changes the pages"
                    schedule.name = name
                    yield schedule

            async def delete_schedule(self, schedule_id: str, **_: Any) -> None:
                deleted.append(schedule_id)
                raise error_of(404, gone, {}, "schedule")

        asyncio.run(apply(Listed("http://127.0.0.1:1"), "me", [], prune=True))
        self.assertEqual(deleted, ["a", "b"])


class RepeatedCompletion(unittest.TestCase):
    """The response to the first completion is lost, so the worker repeats it and gets a conflict."""

    def test_is_no_warning(self) -> None:
        for first, level in [({"close": True}, "DEBUG"), (None, "WARNING")]:
            with self.subTest(level), self.assertLogs("belfry.worker", "DEBUG") as logged:
                self.assertEqual(asyncio.run(asyncio.wait_for(self.complete(first), 60)), 2 if first else 1)
            said = [each.levelname for each in logged.records if "complete" in each.getMessage()
                    and "trying again" not in each.getMessage()]
            self.assertEqual(said, [level])

    async def complete(self, first: Optional[Dict[str, Any]]) -> int:
        problem = {"type": "about:blank", "title": "Conflict", "status": 409, "code": "conflict",
                   "detail": "the lease was lost", "errors": []}
        conflict = {"status": 200, "body": {"items": [{"runId": "r1", "attempt": 1, "node": None, "ok": False,
                                                       "problem": problem}]}}
        answers = [first] * bool(first) + [conflict]
        with Stub(lambda _: answers.pop(0)) as stub:
            async with belfry.Client(stub.url) as client:
                completer = Completer(client)
                service = asyncio.ensure_future(completer.run())
                members = {each.name: None for each in fields(models.Task)}
                attempt = Attempt(models.Task(**{**members, "run_id": "r1", "attempt": 1}), None)
                await completer.complete(attempt, models.TaskCompletion("r1", 1, "succeeded"))
                service.cancel()
            return len(stub.requests)


if __name__ == "__main__":
    unittest.main()
