"""Judges what happened by what was acknowledged and what the targets received, in the manner of Jepsen's test of
Chronos.

It knows no rule of Belfry's own but these: an occurrence is delivered under one run and one key, which is
sha256(schedule id ":" epoch seconds); a run is delivered again only with a higher attempt number, after its lease was
over or its failure reported, and never after its success was acknowledged; what is missing has a recorded skip with a
reason.

`check_safety` may be asked at any time, even in the middle of a fault. `check` also wants everything to be there, so it
is for after healing.
"""

import hashlib
from collections import Counter, defaultdict
from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """Something that must not be."""

    kind: str
    schedule: str
    occurrence: float
    detail: str

    def __str__(self):
        return f"{self.kind}: {self.schedule} at {self.occurrence:.3f}: {self.detail}"


def expected_key(schedule_id, occurrence):
    return hashlib.sha256(f"{schedule_id}:{int(occurrence)}".encode()).hexdigest()


def check_safety(schedules, deliveries, reports):
    """Extras, early ones and doubles. `schedules`: those whose creation was acknowledged or found out later."""
    by_id = {each.id: each for each in schedules if each.id}
    allowed = {each.id: each.allowed() for each in schedules}
    findings = []
    for each in deliveries:
        findings += _check_delivery(by_id.get(each.schedule_id), allowed.get(each.schedule_id), each)
    findings += _check_identity(by_id, deliveries)
    findings += _check_attempts(by_id, deliveries, reports)
    return findings


def check(schedules, deliveries, reports, accounts):
    """Everything. `accounts`: by schedule id, from the ledger; a schedule that is not there has None."""
    findings = check_safety(schedules, deliveries, reports)
    delivered = defaultdict(lambda: defaultdict(set))  # schedule id → occurrence → run ids; a trigger is no occurrence
    by_hand = defaultdict(lambda: defaultdict(set))
    for each in deliveries:
        (by_hand if each.cause == "trigger" else delivered)[each.schedule_id][each.occurrence].add(each.run_id)
    succeeded = {each.run_id for each in reports if each.said == "succeeded" and each.answer == "ok"}
    for schedule in schedules:
        account = accounts.get(schedule.id)
        if account is None:
            findings.append(Finding("lost", schedule.name, 0, "its creation was acknowledged and it is gone"))
            continue
        findings += _check_missing(schedule, delivered[schedule.id], account)
        findings += _check_triggers(schedule, by_hand[schedule.id])
        for received in (delivered[schedule.id], by_hand[schedule.id]):
            findings += _check_ledger(schedule, received, succeeded, account)
        findings += _check_rows(schedule, delivered[schedule.id], account)
        findings += _check_audit(schedule, account)
    return findings


def _check_delivery(schedule, allowed, delivery):
    if schedule is None:
        return [Finding("extra", delivery.schedule_id, delivery.occurrence, "nobody knows of such a schedule")]
    found = []
    if delivery.cause == "trigger":
        if delivery.run_id not in schedule.triggers:
            found.append(Finding("extra", schedule.name, delivery.occurrence,
                                 f"nobody triggered run {delivery.run_id}"))
    elif delivery.occurrence not in allowed:
        found.append(Finding("extra", schedule.name, delivery.occurrence,
                             "the spec does not yield it, or it was paused"))
    # A server that doubts a step back goes on by the later time for a while.
    ahead = max((by for start, end, by in getattr(schedule, "clock_ahead", ()) if start <= delivery.received_at <= end),
                default=0)
    if delivery.occurrence > delivery.received_at + ahead:
        early = delivery.occurrence - delivery.received_at
        found.append(Finding("early", schedule.name, delivery.occurrence, f"received {early:.3f} s before its time"))
    return found


def _check_identity(by_id, deliveries):
    runs, keys = defaultdict(set), defaultdict(set)
    for each in deliveries:
        if each.cause != "trigger":
            runs[each.schedule_id, each.occurrence].add(each.run_id)
            keys[each.schedule_id, each.occurrence].add(each.key)
    found = []
    for (schedule_id, occurrence), ids in runs.items():
        name = by_id[schedule_id].name if schedule_id in by_id else schedule_id
        if len(ids) > 1:
            found.append(Finding("duplicate", name, occurrence, f"delivered under the runs {sorted(ids)}"))
        wrong = keys[schedule_id, occurrence] - {expected_key(schedule_id, occurrence)}
        if wrong:
            found.append(Finding("duplicate", name, occurrence, f"delivered under the keys {sorted(wrong)}"))
    return found


def _check_attempts(by_id, deliveries, reports):
    of_run = defaultdict(list)
    for each in deliveries:
        of_run[each.run_id].append(each)
    failed = {(each.run_id, each.attempt) for each in reports if each.said == "failed"}
    done = {each.run_id: each for each in reports if each.said == "succeeded" and each.answer == "ok"}
    found = []

    def add(delivery, detail):
        name = by_id[delivery.schedule_id].name if delivery.schedule_id in by_id else delivery.schedule_id
        found.append(Finding("repeat", name, delivery.occurrence, f"run {delivery.run_id}: {detail}"))

    for run_id, all_of_it in of_run.items():
        ordered = sorted(all_of_it, key=lambda each: (each.attempt, each.received_at))
        for before, after in zip(ordered, ordered[1:]):
            if before.attempt == after.attempt:
                add(after, f"attempt {after.attempt} was delivered twice")
            elif after.arrived < before.held_until and (run_id, before.attempt) not in failed:
                add(after, f"attempt {after.attempt} came while the lease of attempt {before.attempt} was held")
        end = done.get(run_id)
        if end and ordered[-1].attempt > end.attempt:
            add(ordered[-1], f"attempt {ordered[-1].attempt} came although attempt {end.attempt} had succeeded")
    return found


def _check_missing(schedule, delivered, account):
    """Every occurrence that was not delivered needs a skip that names it, for a reason that this schedule may have."""
    missing = schedule.expected() - set(delivered)
    skips = [row for row in account.rows if row.dispatch == "skipped" and row.cause != "trigger"]
    others = {row.occurrence: row for row in account.rows if row.dispatch != "skipped" and row.cause != "trigger"}
    found = []
    for occurrence in sorted(missing):
        covering = [row for row in skips if row.occurrence <= occurrence <= row.last]
        if not covering:
            row = others.get(occurrence)
            ran = row and f"its run {row.run_id} is {row.dispatch}, {row.status}"
            state = ran or "it has neither a run nor a skip"
            found.append(Finding("missing", schedule.name, occurrence, state))
        elif len(covering) > 1:
            found.append(Finding("duplicate", schedule.name, occurrence, f"{len(covering)} records skip it"))
        elif covering[0].reason not in schedule.excuses:
            found.append(Finding("unexcused", schedule.name, occurrence,
                                 f"skipped for {covering[0].reason or 'no reason'}"))
    return found


def _check_triggers(schedule, by_hand):
    missing = schedule.triggers - {each for ids in by_hand.values() for each in ids}
    return [Finding("missing", schedule.name, 0, f"the triggered run {run_id} was not delivered")
            for run_id in sorted(missing)]


def _check_ledger(schedule, delivered, succeeded, account):
    """The books of the servers and those of the targets tell the same."""
    found = []
    by_run = {row.run_id: row for row in account.rows}
    for occurrence, run_ids in delivered.items():
        for run_id in run_ids:
            row = by_run.get(run_id)
            if row is None:
                found.append(Finding("lost", schedule.name, occurrence,
                                     f"the delivered run {run_id} is not in the ledger"))
            elif row.dispatch != "dispatched":
                found.append(Finding("contradiction", schedule.name, occurrence,
                                     f"delivered, and the ledger says {row.dispatch}"))
            elif run_id in succeeded and row.status != "succeeded":
                found.append(Finding("lost", schedule.name, occurrence,
                                     f"its success was acknowledged, and the ledger says {row.status}"))
            elif row.status not in ("succeeded", "cancelled", "terminated"):
                found.append(Finding("unfinished", schedule.name, occurrence, f"run {run_id} is {row.status}"))
    return found


def _check_rows(schedule, delivered, account):
    """A slot has one row, and what was skipped was not delivered."""
    found = []
    slots = Counter((row.occurrence, row.cause) for row in account.rows)
    for (occurrence, cause), count in slots.items():
        if count > 1:
            found.append(Finding("duplicate", schedule.name, occurrence, f"{count} rows of cause {cause}"))
    for row in account.rows:
        if row.dispatch != "skipped" or row.cause != "tick":
            continue
        for occurrence in _covered(row, delivered):
            found.append(Finding("contradiction", schedule.name, occurrence, f"delivered and skipped for {row.reason}"))
    return found


def _covered(row, delivered):
    if row.last == row.occurrence:
        return [row.occurrence] if row.occurrence in delivered else []
    return sorted(each for each in delivered if row.occurrence <= each <= row.last)


def _check_audit(schedule, account):
    gapless = list(range(1, len(account.sequences) + 1))
    if account.sequences and account.sequences == gapless:
        return []
    at = next((index for index, pair in enumerate(zip(account.sequences, gapless)) if pair[0] != pair[1]),
              len(account.sequences))
    return [Finding("audit", schedule.name, 0, f"its events are not numbered from 1 without gaps: look after {at}")]
