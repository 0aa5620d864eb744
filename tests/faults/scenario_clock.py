"""The wall clock jumps: forward by a day and back by an hour. No burst, one record for what was missed, no re-fire, no
hang."""

import os
import time
from collections import Counter

import ledger
import moments
from fake_clock import FakeClock, library
from known import Known, Timing
from ledger import SCHEDULES
from poison import in_sqlite
from server import Server, said
from settings import PATIENCE, SLOW
from skipped import Skipped
from world import Failure, World

DAY_S = 86_400
HOUR_S = 3_600
GRACE_S = 60
CATCHUP = 20  # of one schedule in one tick
BACKFILL = 100
CAUGHT_UP_S = 20
CONFIRM_S = 2  # how long a step must hold; less than what the clock remembers of it
ROUND_S = 30  # how long a round takes, about
ROUNDS_MAX = 5  # every round is a day of seconds to look at


def jumps(seed, folder, seconds):
    if library() is None:
        raise Skipped("libfaketime is not installed")
    if SLOW:
        raise Skipped("a sanitizer's runtime and libfaketime both have to be loaded first")
    clock = FakeClock(folder)
    world = World("clock", seed, folder, clock=clock)
    rounds = min(ROUNDS_MAX, max(1, int(seconds / ROUND_S)))
    flags = ("--max-catchup-per-tick", str(CATCHUP), "--clock-step-confirm", f"{CONFIRM_S}s")
    path = os.path.join(folder, "belfry.db")
    with Server("belfry", "sqlite:" + path, folder, *flags, environment=clock.environment()) as server:
        world.servers = [server.start()]
        server.wait_until_healthy()
        world.poison(in_sqlite(path))
        world.create(*_schedules(int(clock.now()), rounds))
        with world.start_target():
            world.wait_until(clock.now() + 4)
            for _ in range(rounds):
                _jump_forward(world, server, clock)
                time.sleep(2 + world.rng.random())
                _jump_back_and_forth(world, server, clock)
                time.sleep(2)
            _pause_all(world, clock)
            world.settle_and_check()
    world.must("jumps forward")
    world.must("jumps back")
    return world


def _schedules(now, rounds):
    timing = Timing(every=1, start=now + 3, end=now + (rounds + 1) * DAY_S)
    policies = {"overlapPolicy": "allow_all", "missedGrace": f"PT{GRACE_S}S", "maxBackfill": BACKFILL}
    missed = frozenset({"missed_run"})
    return [
        Known("skip", timing, {**policies, "missedRunPolicy": "skip"}, missed),
        Known("fire_once", timing, {**policies, "missedRunPolicy": "fire_once"}, missed),
        Known("fire_all", timing, {**policies, "missedRunPolicy": "fire_all"}, missed),
    ]


def _in_the_middle_of_a_second(clock):
    time.sleep((1.5 - clock.now() % 1) % 1)


def _state(world, schedule):
    return world.ask("GET", f"{SCHEDULES}/{schedule.id}")[1]


def _jump_forward(world, server, clock):
    """What lies between is too late for every policy but for its last part."""
    before = {each.id: len(ledger.read(server, each.id).rows) for each in world.schedules}
    _in_the_middle_of_a_second(clock)
    clock.set(clock.offset + DAY_S)
    world.sometimes["jumps forward"] += 1
    began = time.monotonic()
    while not all(_caught_up(world, each, clock) for each in world.schedules):
        if time.monotonic() - began > CAUGHT_UP_S * PATIENCE:
            raise Failure(f"not caught up {CAUGHT_UP_S * PATIENCE} s after a jump forward by a day; /health says "
                          f"{server.health()}")
        time.sleep(0.1)
    world.measured["longest_catchup_s"] = max(round(time.monotonic() - began, 1),
                                              world.measured.get("longest_catchup_s", 0))
    for schedule in world.schedules:
        rows = ledger.read(server, schedule.id).rows  # newest first
        _check_catchup(schedule, rows[: len(rows) - before[schedule.id]])


def _caught_up(world, schedule, clock):
    upcoming = _state(world, schedule)["nextRunAt"]
    return upcoming is not None and moments.parse(upcoming) > clock.now() - 2


def _check_catchup(schedule, rows):
    ranges = [row for row in rows if row.dispatch == "skipped"]
    if len(ranges) != 1 or not DAY_S - 2 * GRACE_S - BACKFILL - 60 < ranges[0].last - ranges[0].occurrence < DAY_S:
        raise Failure(f"{schedule.name}: a day was missed, and the records of it are {ranges}")
    per_tick = Counter(row.decided_at for row in rows)
    if max(per_tick.values()) > CATCHUP:
        raise Failure(f"{schedule.name}: {max(per_tick.values())} decisions in one tick; {CATCHUP} are allowed")
    fired = sum(1 for row in rows if row.dispatch == "dispatched")
    most = {"skip": 0, "fire_once": 1, "fire_all": BACKFILL}[schedule.name] + GRACE_S + CAUGHT_UP_S * PATIENCE
    if fired > most:
        raise Failure(f"{schedule.name}: {fired} runs after a jump; at most {most} were expected")


def _jump_back_and_forth(world, server, clock):
    """An hour back: nothing fires for an hour, and everything else works. When the hour is over, it goes on."""
    _in_the_middle_of_a_second(clock)
    clock.set(clock.offset - HOUR_S)
    doubted = (clock.now() - 1, clock.now() + CONFIRM_S + 5, HOUR_S)
    for each in world.schedules:
        each.clock_ahead = [*getattr(each, "clock_ahead", ()), doubted]
    world.sometimes["jumps back"] += 1
    _wait_until_put_back(server)
    runs = {each.id: _state(world, each)["runCount"] for each in world.schedules}
    time.sleep(3)
    for schedule in world.schedules:
        again = _state(world, schedule)["runCount"] - runs[schedule.id]
        if again > 0:
            raise Failure(f"{schedule.name}: {again} runs after a jump back by an hour")
    status, run = world.ask("POST", f"{SCHEDULES}/{world.schedules[0].id}/trigger", {})
    if status != 200 or run["dispatchStatus"] != "dispatched":
        raise Failure(f"a trigger after a jump back answers {status}: {run}")
    world.schedules[0].triggers.add(run["id"])
    time.sleep(1)
    clock.set(clock.offset + HOUR_S)
    began = time.monotonic()
    while not all(_state(world, each)["runCount"] > runs[each.id] + 2 for each in world.schedules):
        if time.monotonic() - began > CAUGHT_UP_S * PATIENCE:
            raise Failure(
                f"nothing fires {CAUGHT_UP_S * PATIENCE} s after the hour is over; /health says {server.health()}")
        time.sleep(0.1)


def _wait_until_put_back(server):
    """The new time is confirmed, and the server says that the store is ahead of it."""
    began = time.monotonic()
    while True:
        status, answer = server.health()
        if status != 200:
            raise Failure(f"/health says {status} {answer} after a jump back")
        if answer["clock"]["decidedUntil"] and answer["clock"]["stepMs"] is None and answer["status"] == "degraded":
            return
        if time.monotonic() - began > CAUGHT_UP_S * PATIENCE:
            raise Failure(f"/health does not say that the clock was put back: {answer}")
        time.sleep(0.1)


def _pause_all(world, clock):
    _in_the_middle_of_a_second(clock)
    for schedule in world.schedules:
        status, answer = world.ask("POST", f"{SCHEDULES}/{schedule.id}/pause", {})
        if status != 200:
            raise Failure(f"pausing answers {status}: {answer}")
        schedule.silent.append((moments.parse(answer["pausedAt"]), float("inf")))
