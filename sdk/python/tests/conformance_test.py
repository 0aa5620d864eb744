"""The cases that every SDK passes: sdk/conformance/cases.json."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
import sys
import unittest
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import belfry  # noqa: E402
from belfry import Client, SyncClient, TaskContext, TaskFailure, Worker, errors  # noqa: E402
from belfry._codec import Model, encode  # noqa: E402
from stub_server import Request, Response, Stub  # noqa: E402

CASES = json.loads((HERE.parents[1] / "conformance/cases.json").read_text(encoding="utf-8"))
PATIENCE_S = 30
ARGUMENTS = {"schedule": "schedule_id", "run": "run_id", "webhook": "webhook_id", "backfill": "backfill_id",
             "assignment": "assignment_id", "key": "key_id"}


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name.replace("-", "_")).lower().replace("from", "from_")


def method_name(operation: str) -> str:
    if operation == "stream":
        return "events"
    if operation.startswith("iterate:"):
        return "iter_" + snake(operation.split(":")[1]).split("_", 1)[1]
    return snake(operation)


def call(client: Any, case: Dict[str, Any]) -> Any:
    method = getattr(client, method_name(case["operation"]))
    known = inspect.signature(method).parameters
    arguments = {}
    for name, value in case["arguments"].items():
        mapped = ARGUMENTS.get(name, name)
        arguments[mapped if mapped in known else snake(name)] = value
    return method(**arguments)


def fits(expected: Any, found: Any) -> bool:
    """Whether `found` has the members that are expected."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(fits(value, found.get(name)) for name, value in expected.items())
    if isinstance(expected, list):
        return isinstance(found, list) and len(found) == len(expected) and all(map(fits, expected, found))
    return bool(expected == found)


def as_json(value: Any) -> Any:
    if isinstance(value, list):
        return [as_json(each) for each in value]
    return value.to_json() if isinstance(value, Model) else encode(value)


class Conformance(unittest.TestCase):
    maxDiff = None

    def expect_requests(self, expected: List[Dict[str, Any]], found: List[Request], same: List[str]) -> None:
        self.assertEqual([(each["method"], each["path"]) for each in expected],
                         [(each.method, each.path) for each in found])
        for wanted, got in zip(expected, found):
            if "query" in wanted:
                self.assertEqual(wanted["query"], got.query)
            if "body" in wanted:
                self.assertEqual(wanted["body"], got.body)
            for name, value in wanted.get("headers", {}).items():
                sent = {key.lower(): text for key, text in got.headers.items()}.get(name.lower())
                self.assertTrue(sent if value == "*" else sent == value, f"{name}: {sent!r} instead of {value!r}")
        for name in same:
            self.assertEqual(len({each.headers.get(name) for each in found}), 1, f"the same {name} in every request")

    def expect_error(self, expected: Dict[str, Any], error: BaseException) -> None:
        self.assertIs(type(error), getattr(errors, expected["type"]), repr(error))
        for name in ("status", "code", "detail"):
            if name in expected:
                self.assertEqual(getattr(error, name), expected[name])
        if "errors" in expected:
            places = [{"pointer": each.pointer, "detail": each.detail} for each in error.errors]  # type: ignore[attr-defined]
            self.assertEqual(places, expected["errors"])

    def expect_result(self, case: Dict[str, Any], found: Any) -> None:
        if isinstance(case["result"], list) or isinstance(case["result"], dict):
            given = as_json(found)
            # Our models leave absent members out.
            expected = json.loads(json.dumps(case["result"]), object_hook=lambda each: {
                name: value for name, value in each.items() if value is not None})
            self.assertTrue(fits(expected, given), f"{given} instead of {expected}")
        else:
            self.assertEqual(found, case["result"])

    def check_client(self, case: Dict[str, Any], run: Callable[[Dict[str, Any], str], Any]) -> None:
        with Stub(lambda _: case["responses"][min(len(stub.requests), len(case["responses"])) - 1]) as stub:
            try:
                found = run(case, stub.url)
            except belfry.BelfryError as error:
                self.assertIn("error", case, repr(error))
                self.expect_error(case["error"], error)
            else:
                self.assertNotIn("error", case, "no error was raised")
                self.expect_result(case, found)
        self.expect_requests(case["requests"], stub.requests, case.get("sameHeaders", []))


def options(case: Dict[str, Any]) -> Dict[str, Any]:
    return {snake(name): value for name, value in case.get("options", {}).items()}


def run_sync(case: Dict[str, Any], url: str) -> Any:
    with SyncClient(url, **options(case)) as client:
        answer = call(client, case)
        if not hasattr(answer, "__next__"):
            return answer
        found: List[Any] = []
        for item in answer:
            found.append(item)
            if case["operation"] == "stream" and len(found) == len(case["result"]):
                break
        return found


def run_async(case: Dict[str, Any], url: str) -> Any:
    async def run() -> Any:
        async with Client(url, **options(case)) as client:
            answer = call(client, case)
            if not hasattr(answer, "__anext__"):
                return await answer
            found: List[Any] = []
            async for item in answer:
                found.append(item)
                if case["operation"] == "stream" and len(found) == len(case["result"]):
                    break
            await answer.aclose()
            return found

    return asyncio.run(asyncio.wait_for(run(), PATIENCE_S))


class WorkerCase:
    """A worker with one function, and a server that has one task for it."""

    def __init__(self, case: Dict[str, Any], is_async: bool) -> None:
        self.case = case
        self.is_async = is_async
        self.task = {**CASES["task_defaults"], **case["task"]}
        self.claims: List[Any] = []
        self.completions: List[Any] = []
        self.cancelled = False
        self.finished = asyncio.Event()

    def answer(self, request: Request) -> Response:
        if request.path.endswith("/claim"):
            self.claims.append(request.body)
            return {"status": 200, "body": {"items": [self.task] if len(self.claims) == 1 else []}}
        if request.path.endswith("/heartbeat"):
            keys = [{name: each.get(name) for name in ("runId", "attempt", "node")} for each in request.body["leases"]]
            lost = self.case["heartbeat"] == "lost"
            extra = self.case.get("lost", {})
            return {"status": 200, "body": {"items": [] if lost else keys,
                                            "lost": [{**each, **extra} for each in keys] if lost else []}}
        self.completions += request.body["items"]
        return {"status": 200, "body": {"items": [
            {"runId": each["runId"], "attempt": each["attempt"], "node": each.get("node"), "ok": True, "retryAt": None,
             "limit": None} for each in request.body["items"]]}}

    def handle(self, context: TaskContext) -> Any:
        handler = self.case["handler"]
        if "throws" in handler:
            thrown = handler["throws"]
            if thrown["type"] == "failure":
                raise TaskFailure(thrown["message"], category=thrown["category"],
                                  retry_after=thrown["retryAfterMs"] / 1000)
            raise TimeoutError(thrown["message"]) if thrown["type"] == "timeout" else KeyError(thrown["message"])
        if "reports" in handler:
            used = handler["reports"]
            context.report_usage(credits=used["credits"], tokens=used["tokens"], tool_calls=used["toolCalls"],
                                 tools=used["tools"])
        return handler["returns"]

    def register(self, worker: Worker) -> None:
        if self.is_async:
            @worker.task("work")
            async def work(context: TaskContext) -> Any:
                if not self.case["handler"].get("waits"):
                    return self.handle(context)
                try:
                    await asyncio.sleep(PATIENCE_S)
                except asyncio.CancelledError:
                    self.cancelled = True
                    raise
        else:
            @worker.task("work")
            def work_in_thread(context: TaskContext) -> Any:
                if not self.case["handler"].get("waits"):
                    return self.handle(context)
                try:
                    context.sleep(PATIENCE_S)
                except belfry.TaskCancelled:
                    self.cancelled = True
                    raise

    async def run(self, url: str) -> None:
        given = self.case.get("options", {})
        async with Client(url) as client:
            worker = Worker(client, queue=given.get("queue", "default"), concurrency=given.get("concurrency", 10),
                            lease=given.get("leaseMs", 30000) / 1000, poll=0.01)
            self.register(worker)
            async with worker:
                end = asyncio.get_running_loop().time() + PATIENCE_S
                while not (self.completions or (self.cancelled and self.case["completion"] is None)):
                    if asyncio.get_running_loop().time() > end:
                        raise AssertionError("the task never ended")
                    await asyncio.sleep(0.02)


def check_worker(test: Conformance, case: Dict[str, Any], is_async: bool) -> None:
    async def run() -> WorkerCase:
        checked = WorkerCase(case, is_async)
        with Stub(checked.answer) as stub:
            await checked.run(stub.url)
        return checked

    checked = asyncio.run(run())
    test.assertEqual(checked.cancelled, case.get("cancelled", False))
    if case["completion"] is None:
        test.assertEqual(checked.completions, [])
    else:
        test.assertEqual(len(checked.completions), 1)
        test.assertTrue(fits(case["completion"], checked.completions[0]), checked.completions[0])
    test.assertTrue(fits(case.get("claim", {}), checked.claims[0]), checked.claims[0])


def check_declared(test: Conformance, case: Dict[str, Any]) -> None:
    def answer(request: Request) -> Response:
        name: Optional[str] = request.path.split("/schedules/")[1] if "/schedules/" in request.path else None
        labels = case["existing"].get(name)
        if request.path.endswith("/claim"):
            return {"status": 200, "body": {"items": []}}
        if request.method == "GET" and name is None:
            owned = [each for each, its in case["existing"].items()
                     if request.query["label"] == f"belfry.owner:{its.get('belfry.owner')}"]
            return {"status": 200, "body": {"items": [{"name": each} for each in owned], "nextCursor": None}}
        if request.method == "GET" and labels is None:
            return {"status": 404, "body": {"status": 404, "code": "not_found", "detail": f"there is no schedule {name}"}}
        return {"status": 201 if request.method == "POST" else 200, "body": {"name": name, "labels": labels}}

    async def run(url: str) -> None:
        async with Client(url) as client:
            worker = Worker(client, owner=case["owner"], prune=case.get("prune", False), poll=0.01)
            for each in case["declares"]:
                @worker.schedule(each["name"], cron=each["cron"], timezone=each["timezone"], input=each.get("input"))
                @worker.task(each["taskKind"])
                def work() -> None:
                    pass
            async with worker:
                while not any(each.path.endswith("/claim") for each in stub.requests):
                    assert worker._background is not None
                    if worker._background.done():
                        break
                    await asyncio.sleep(0.01)

    with Stub(answer) as stub:
        try:
            asyncio.run(run(stub.url))
            test.assertNotIn("error", case)
        except belfry.BelfryError as error:
            test.assertIn("error", case, repr(error))
            test.expect_error(case["error"], error)
    writes = [each for each in stub.requests if each.method != "GET" and not each.path.endswith("/claim")]
    test.assertEqual([(each.method, each.path) for each in writes],
                     [(each["method"], each["path"]) for each in case["writes"]])
    for wanted, got in zip(case["writes"], writes):
        test.assertTrue(fits(wanted.get("body", {}) if got.body else {}, got.body or {}), got.body)


def add(kind: str, case: Dict[str, Any], check: Callable[[Conformance], None]) -> None:
    name = f"test_{kind}_" + re.sub(r"\W+", "_", case["name"])
    assert not hasattr(Conformance, name), name
    setattr(Conformance, name, check)


for each_case in CASES["client"]:
    add("client", each_case, lambda self, case=each_case: self.check_client(case, run_async))  # type: ignore[misc]
    add("sync_client", each_case, lambda self, case=each_case: self.check_client(case, run_sync))  # type: ignore[misc]
for each_case in CASES["worker"]:
    add("worker", each_case, lambda self, case=each_case: check_worker(self, case, True))  # type: ignore[misc]
    add("worker_in_thread", each_case, lambda self, case=each_case: check_worker(self, case, False))  # type: ignore[misc]
for each_case in CASES["declared"]:
    add("declared", each_case, lambda self, case=each_case: check_declared(self, case))  # type: ignore[misc]


if __name__ == "__main__":
    unittest.main()
