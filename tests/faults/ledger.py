"""What the servers say afterwards: runs, skips and the audit stream of every schedule, read page by page."""

from dataclasses import dataclass, field

import moments

SCHEDULES = "/api/tenants/default/schedules"


@dataclass(frozen=True)
class Row:
    """A run as the ledger has it. `last` is the end of the range when one record stands for several occurrences."""

    run_id: str
    occurrence: float
    cause: str
    dispatch: str
    status: str
    reason: str
    last: float
    attempts: int
    decided_at: float


@dataclass
class Account:
    """One schedule's part of the ledger."""

    rows: list = field(default_factory=list)
    sequences: list = field(default_factory=list)
    status: str = ""


def _pages(server, path, limit):
    cursor = ""
    while True:
        status, answer = server.ask("GET", f"{path}?limit={limit}{cursor}", timeout=30)
        if status != 200:
            raise AssertionError(f"{path} answered {status}: {answer}")
        yield from answer["items"]
        if not answer["nextCursor"]:
            return
        cursor = "&cursor=" + answer["nextCursor"]


def _row(run):
    occurrence = moments.parse(run["scheduledAt"])
    return Row(
        run_id=run["id"],
        occurrence=occurrence,
        cause=run["cause"],
        dispatch=run["dispatchStatus"],
        status=run["status"],
        reason=run["reason"] or "",
        last=moments.parse(run["range"]["last"]) if run["range"] else occurrence,
        attempts=run["attempts"],
        decided_at=moments.parse(run["decidedAt"]),
    )


def read(server, schedule_id):
    """The account of one schedule; None when there is no such schedule."""
    path = f"{SCHEDULES}/{schedule_id}"
    status, schedule = server.ask("GET", path, timeout=30)
    if status == 404:
        return None
    if status != 200:
        raise AssertionError(f"{path} answered {status}: {schedule}")
    account = Account(status=schedule["status"])
    account.rows = [_row(run) for run in _pages(server, path + "/runs", 1000)]
    account.sequences = [event["sequence"] for event in _pages(server, path + "/history", 500)]
    return account
