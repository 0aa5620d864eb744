"""Tests of a worker: one task in memory, and one with a real server. Run it with pytest."""

from __future__ import annotations

import asyncio

from report_worker import worker

from belfry import Client, Worker
from belfry.testing import LocalServer, run_task

pytest_plugins = ["belfry.pytest_plugin"]


def test_the_report_is_sent() -> None:
    assert run_task(worker, "send-report", {"region": "eu"}).result == "sent the report of eu"


def test_a_report_needs_a_region() -> None:
    result = run_task(worker, "send-report", {})
    assert (result.status, result.category) == ("failed", "contract_violated")


def test_the_worker_does_the_task_of_a_real_server(belfry_server: LocalServer) -> None:
    async def work() -> None:
        async with Client(belfry_server.url) as client:
            real = Worker(client, queue="reports", poll=0.2)
            real.functions = worker.functions
            async with real:
                run = await client.start_task(task_kind="send-report", queue="reports", input={"region": "us"})
                assert (await client.run(run.id).wait()).result == "sent the report of us"

    asyncio.run(work())
