#!/usr/bin/env python3
"""Compares the worker with raw HTTP calls: python3 bench/throughput.py [TASKS [ROUNDS]]

Starts a server of its own on an empty SQLite store; BELFRY_PROGRAM names the program. Every round does the same number
of tasks, whose function does nothing, in three ways, in turns: with the routes claim and complete, with the route
exchange, and with the SDK's Worker. All use httpx and one batch size. The ratio compares the Worker with the better raw
way, by the medians of the rounds.
"""

from __future__ import annotations

import asyncio
import logging
import statistics
import sys
import time
from pathlib import Path
from typing import Any, Awaitable, Callable, Dict, List

import httpx

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from belfry import Client, Worker  # noqa: E402
from belfry.testing import LocalServer  # noqa: E402

BATCHES = (10, 100)
FILL_MAX = 1000
# The server runs nothing else, and no lease must end during a round.
LEASE_MS = 60000


async def fill(client: Client, queue: str, tasks: int) -> None:
    for start in range(0, tasks, FILL_MAX):
        count = min(FILL_MAX, tasks - start)
        await client.start_tasks(items=[{"taskKind": "nothing", "queue": queue}] * count)


class Raw:
    """What a program without the SDK would do."""

    def __init__(self, url: str) -> None:
        self._root = f"{url}/api/tenants/default/tasks/"
        self._http = httpx.AsyncClient()

    async def post(self, path: str, body: Dict[str, Any]) -> Any:
        response = await self._http.post(self._root + path, json=body)
        response.raise_for_status()
        return response.json()

    def claim(self, queue: str, batch: int) -> Dict[str, Any]:
        return {"worker": "raw", "queue": queue, "limit": batch, "leaseMs": LEASE_MS}

    def ended(self, items: List[Any]) -> List[Dict[str, Any]]:
        return [{"runId": each["runId"], "attempt": each["attempt"], "node": each["node"], "status": "succeeded",
                 "result": None} for each in items]

    async def two_routes(self, queue: str, tasks: int, batch: int) -> float:
        began, done = time.perf_counter(), 0
        while done < tasks:
            items = (await self.post("claim", self.claim(queue, batch)))["items"]
            answer = await self.post("complete", {"items": self.ended(items)})
            done += sum(each["ok"] for each in answer["items"])
        return time.perf_counter() - began

    async def exchange(self, queue: str, tasks: int, batch: int) -> float:
        began, done = time.perf_counter(), 0
        items = (await self.post("claim", self.claim(queue, batch)))["items"]
        while done < tasks:
            answer = await self.post("exchange", {"completions": self.ended(items), "claim": self.claim(queue, batch)})
            done += sum(each["ok"] for each in answer["outcomes"])
            items = answer["tasks"]
        return time.perf_counter() - began


async def sdk(url: str, queue: str, tasks: int, batch: int) -> float:
    worker = Worker(url, queue=queue, concurrency=batch, poll=0.2, lease=LEASE_MS / 1000)
    called, last = 0, asyncio.Event()

    @worker.task("nothing")
    async def nothing() -> None:
        nonlocal called
        called += 1
        if called == tasks:
            last.set()

    began = time.perf_counter()
    async with worker:
        await last.wait()
        while worker.leases.held:  # until the server has acknowledged every completion
            await asyncio.sleep(0.001)
        return time.perf_counter() - began


async def measure(url: str, tasks: int, rounds: int, batch: int) -> None:
    client, raw = Client(url), Raw(url)
    ways: Dict[str, Callable[[str], Awaitable[float]]] = {
        "claim + complete": lambda queue: raw.two_routes(queue, tasks, batch),
        "exchange": lambda queue: raw.exchange(queue, tasks, batch),
        "Worker": lambda queue: sdk(url, queue, tasks, batch),
    }
    rates: Dict[str, List[float]] = {name: [] for name in ways}
    for turn in range(rounds + 1):  # the first one warms up
        order = list(ways.items())
        order = order[turn % len(order):] + order[:turn % len(order)]
        for number, (name, way) in enumerate(order):
            queue = f"b{batch}-{turn}-{number}"
            await fill(client, queue, tasks)
            seconds = await way(queue)
            if turn > 0:
                rates[name].append(tasks / seconds)
    medians = {name: statistics.median(each) for name, each in rates.items()}
    better = max(medians["claim + complete"], medians["exchange"])
    for name, median in medians.items():
        print(f"batch {batch:4}  {name:17} {median:7.0f} tasks/s  ({min(rates[name]):.0f} to {max(rates[name]):.0f})")
    print(f"batch {batch:4}  ratio             {medians['Worker'] / better:7.2f}")


def main() -> None:
    logging.getLogger("httpx").setLevel(logging.WARNING)
    tasks = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    for batch in BATCHES:
        with LocalServer("--auth", "off") as server:
            asyncio.run(measure(server.url, tasks, rounds, batch))


if __name__ == "__main__":
    main()
