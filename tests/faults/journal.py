"""What targets saw, in files of their own outside the store: one JSON object a line, only ever appended."""

import glob
import json
import os
from dataclasses import dataclass

import moments


@dataclass(frozen=True)
class Delivery:
    """A task as a target received it."""

    schedule_id: str
    occurrence: float
    run_id: str
    attempt: int
    key: str
    cause: str
    received_at: float  # by the clock of the servers
    arrived: float  # by the monotonic clock, as is
    held_until: float  # the end of its lease, counted from when it was asked for: not later than the server's own


@dataclass(frozen=True)
class Report:
    """How a target told the end of an attempt: `said` succeeded or failed; `answer` ok, refused or unknown."""

    run_id: str
    attempt: int
    said: str
    answer: str
    at: float


class Journal:
    """One target's own file. A line is written before anything is told to a server."""

    def __init__(self, path):
        self._file = open(path, "a", encoding="utf-8")

    def received(self, task, now, arrived, held_until):
        names = ("runId", "attempt", "scheduleId", "scheduledAt", "idempotencyKey", "cause", "leaseUntil")
        times = {"receivedAt": now, "arrived": arrived, "heldUntil": held_until}
        self._write({"kind": "delivery", **{name: task[name] for name in names}, **times})

    def reported(self, run_id, attempt, said, answer, now):
        self._write({"kind": "report", "runId": run_id, "attempt": attempt, "said": said, "answer": answer, "at": now})

    def _write(self, line):
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()

    def close(self):
        self._file.close()


def read_all(folder, until=float("inf")):
    """Deliveries and reports of all targets up to a moment. While they are being written it has to lie before the
    reading: then whatever led to a line of one file is in the others."""
    deliveries, reports = [], []
    for path in sorted(glob.glob(os.path.join(folder, "*.journal"))):
        with open(path, encoding="utf-8") as file:
            for line in file:
                if not line.endswith("\n"):
                    continue  # being written just now
                read = json.loads(line)
                if read.get("receivedAt", read.get("at")) <= until:
                    _add(read, deliveries, reports)
    return deliveries, reports


def _add(line, deliveries, reports):
    if line["kind"] == "delivery":
        deliveries.append(
            Delivery(
                line["scheduleId"],
                moments.parse(line["scheduledAt"]),
                line["runId"],
                line["attempt"],
                line["idempotencyKey"],
                line["cause"],
                line["receivedAt"],
                line["arrived"],
                line["heldUntil"],
            )
        )
    else:
        reports.append(Report(line["runId"], line["attempt"], line["said"], line["answer"], line["at"]))
