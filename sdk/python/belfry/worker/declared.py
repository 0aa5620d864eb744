"""Schedules that a program declares beside its functions, and how a worker applies them at its start.

The label `belfry.owner` says which program a schedule belongs to. A worker replaces only its own schedules: it raises
NotTheOwner rather than change one that a person or another program made. An identical definition changes nothing on the
server, so workers may start as often as they like; a pause by an operator stays.
"""

from __future__ import annotations

import contextlib
import logging
from dataclasses import dataclass
from typing import Any, Dict, Iterable, List

from belfry._async.client import Client
from belfry.errors import NotTheOwner, ScheduleAlreadyExists, ScheduleNotFound
from belfry.models import Schedule, Spec, TargetRequest

log = logging.getLogger("belfry.worker")
OWNER = "belfry.owner"


@dataclass
class Declaration:
    name: str
    spec: Spec
    target: TargetRequest
    members: Dict[str, Any]  # further arguments of create_schedule

    def arguments(self, owner: str) -> Dict[str, Any]:
        labels = {**self.members.get("labels", {}), OWNER: owner}
        return {**self.members, "spec": self.spec, "target": self.target, "labels": labels}


async def apply(client: Client, owner: str, declarations: Iterable[Declaration], prune: bool) -> None:
    """Creates or replaces what is declared. With `prune`, deletes what has this owner and is not declared."""
    names: List[str] = []
    for declaration in declarations:
        names.append(declaration.name)
        await _apply_one(client, owner, declaration)
    if prune:
        await _prune(client, owner, names)


async def _prune(client: Client, owner: str, declared: List[str]) -> None:
    # The list is read to its end first: deleting would change the pages.
    stale = [each.name async for each in client.iter_schedules(label=f"{OWNER}:{owner}") if each.name not in declared]
    for name in stale:
        log.info("deleting schedule %s, which %s no longer declares", name, owner)
        with contextlib.suppress(ScheduleNotFound):  # another worker of this program was first
            await client.delete_schedule(name, reason=f"{owner} no longer declares it")


async def _apply_one(client: Client, owner: str, declaration: Declaration) -> None:
    arguments = declaration.arguments(owner)
    try:
        existing = await client.get_schedule(declaration.name)
    except ScheduleNotFound:
        try:
            await client.create_schedule(name=declaration.name, **arguments)
            return
        except ScheduleAlreadyExists:  # another worker of this program was first
            existing = await client.get_schedule(declaration.name)
    _expect_owner(existing, owner)
    await client.replace_schedule(declaration.name, **arguments)


def _expect_owner(schedule: Schedule, owner: str) -> None:
    found = (schedule.labels or {}).get(OWNER)
    if found != owner:
        raise NotTheOwner(f"schedule {schedule.name!r} belongs to {found or 'no program'}, not to {owner!r}; "
                          f"rename the declared schedule, or set the label {OWNER} of the other one to {owner!r}")
