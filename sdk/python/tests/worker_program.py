"""A worker in a process of its own, which tests kill and drain: worker_program.py URL QUEUE FOLDER [DRAIN_TIMEOUT]"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import Any, Dict

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from belfry import TaskContext, Worker  # noqa: E402

url, queue, folder = sys.argv[1:4]
worker = Worker(url, queue=queue, lease=1.5, poll=0.2,
                drain_timeout=float(sys.argv[4]) if len(sys.argv) > 4 else 30.0)


def mark(name: str) -> None:
    (Path(folder) / name).touch()


@worker.task("wait-for-file")
async def wait_for_file(input: Dict[str, Any], context: TaskContext) -> str:
    mark(f"started-{context.attempt}")
    try:
        while not (Path(folder) / "go").exists():
            await asyncio.sleep(0.02)
    except asyncio.CancelledError:
        mark("cancelled")
        raise
    return "done"


@worker.task("never-looks")
def never_looks(context: TaskContext) -> None:
    mark(f"started-{context.attempt}")
    time.sleep(3600)


worker.run()
