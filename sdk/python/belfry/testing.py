"""Tests of workers: a task without a server, and a real server for a test.

    result = run_task(worker, "send-report", {"region": "eu"})
    with LocalServer() as server:
        client = SyncClient(server.url)
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from types import TracebackType
from typing import Any, List, Literal, Optional, Type

from belfry._codec import encode
from belfry.models import Target, Task, UsageReport
from belfry.worker.attempt import Attempt
from belfry.worker.failures import Category
from belfry.worker.worker import Worker

START_S = 60.0


@dataclass
class TaskResult:
    """How an attempt ended, as the worker would report it."""

    status: Literal["succeeded", "failed", "timed_out", "cancelled", "terminated"]
    result: Any
    error: Optional[str]
    category: Optional[Category]
    retry_after: Optional[float]
    usage: Optional[UsageReport]


def run_task(worker: Worker, kind: str, input: Any = None, *, attempt: int = 1, timeout: Optional[float] = None,
             cancel_after: Optional[float] = None) -> TaskResult:
    """Runs one attempt of a task in memory. After `cancel_after` seconds the run is cancelled."""
    return asyncio.run(run_task_async(worker, kind, input, attempt=attempt, timeout=timeout, cancel_after=cancel_after))


async def run_task_async(worker: Worker, kind: str, input: Any = None, *, attempt: int = 1,
                         timeout: Optional[float] = None, cancel_after: Optional[float] = None) -> TaskResult:
    made = Attempt(_task(kind, input, attempt, timeout), worker.functions.get(kind))
    if cancel_after is not None:
        asyncio.get_running_loop().call_later(cancel_after, made.stop, "lost", "the run is cancelled")
    end = await made.run()
    if end is None:
        return TaskResult("cancelled", None, made.context.cancel_reason, None, None, made.context.usage)
    wait_s = None if end.retry_after_ms is None else end.retry_after_ms / 1000
    return TaskResult(end.status, end.result, end.error, end.category, wait_s, end.usage)


def _task(kind: str, input: Any, attempt: int, timeout: Optional[float]) -> Task:
    now = datetime.now(timezone.utc)
    target = Target(type="task", version=None, input={}, metadata={}, queue="default", connection=None, priority=0)
    return Task(run_id="00000000-0000-8000-8000-000000000001", attempt=attempt, lease_until=now + timedelta(days=1),
                idempotency_key="test", instance_id=f"schedule:test:{now.isoformat()}",
                schedule_id="00000000-0000-7000-8000-000000000001", schedule_name="test", scheduled_at=now,
                cause="trigger", node=None, task_kind=kind, action=None, assignee=None, workflow_version=None,
                target=target, input={} if input is None else encode(input),
                timeout_ms=None if timeout is None else round(timeout * 1000))


class LocalServer:
    """`with LocalServer() as server`: a server on a free port and an empty SQLite store, gone with the block.

    `program` defaults to the variable BELFRY_PROGRAM, or to `belfry` in the PATH. `flags` are those of `belfry serve`.
    """

    def __init__(self, *flags: str, program: Optional[str] = None, folder: Optional[str] = None) -> None:
        found = program or os.environ.get("BELFRY_PROGRAM") or shutil.which("belfry")
        if not found:
            raise FileNotFoundError("there is no program belfry in the PATH; name it in BELFRY_PROGRAM")
        self.program = found
        self._flags = flags
        self._own_folder = None if folder else tempfile.TemporaryDirectory(prefix="belfry-")
        self.folder = folder or (self._own_folder.name if self._own_folder else "")
        self.url = ""
        self._process: Optional[subprocess.Popen[str]] = None
        self._lines: List[str] = []

    def start(self) -> None:
        """Starts it. After a stop, it comes back on the same port and store."""
        listen = self.url.split("//")[1] if self.url else "127.0.0.1:0"
        environment = {name: text for name, text in os.environ.items() if not name.startswith("BELFRY_")}
        self._lines = []
        self._process = subprocess.Popen(
            [self.program, "serve", "--listen", listen, "--data-dir", self.folder, *self._flags],
            stderr=subprocess.PIPE, text=True, env=environment)
        threading.Thread(target=self._read, args=(self._process,), daemon=True).start()
        self.url = self._said(r"listening on (https?://\S+:\d+)")

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr is not None
        for line in process.stderr:
            self._lines.append(line)

    def _said(self, pattern: str) -> str:
        end = time.monotonic() + START_S
        while time.monotonic() < end:
            found = re.search(pattern, "".join(self._lines))
            if found:
                return found.group(1)
            assert self._process is not None
            if self._process.poll() is not None:
                break
            time.sleep(0.02)
        raise RuntimeError("the server did not start:\n" + "".join(self._lines))

    def stop(self, number: int = signal.SIGTERM) -> None:
        """Stops it with a signal; SIGKILL is a crash."""
        if self._process is None:
            return
        self._process.send_signal(number)
        try:
            self._process.wait(timeout=START_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def __enter__(self) -> LocalServer:
        self.start()
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.stop(signal.SIGKILL)
        if self._own_folder:
            self._own_folder.cleanup()
