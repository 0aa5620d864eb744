"""The rows of the table and how each is measured.

A group is a set of rows that are measured together. Its sides take turns, round after round, so that other load on the
machine affects all of them alike: Belfry, an earlier build of it, the bare database, other queues. A side returns
{(row, column): {figure: number}}; the table shows the median of each figure.
"""

import functools
from dataclasses import dataclass, field
from typing import Callable

from .places import redis
from .programs import belfry_bench, waits_of

BELFRY, BEFORE = "Belfry", "before"
NAMES = {"sqlite": "SQLite", "postgres": "PostgreSQL"}


@dataclass
class Row:
    key: str
    work: str
    unit: str  # "/s", "ms", "s" or "MB"
    goal: str = ""
    readme: bool = False


@dataclass
class Group:
    rows: list
    sides: list  # of functions
    rounds: int = 1


@dataclass
class Sizes:
    """How much work a measurement does. Small sizes are for trying out."""

    schedules: int = 50_000
    fire_rounds: int = 3
    herd_rounds: int = 10
    herd_every_s: int = 6
    tasks: int = 20_000
    waits: int = 300
    api_round_ms: int = 500
    idle_rounds: int = 60
    rounds: int = 3
    growth: tuple = (10_000, 100_000, 1_000_000)

    @classmethod
    def quick(cls):
        return cls(schedules=2_000, fire_rounds=2, herd_rounds=3, herd_every_s=2, tasks=1_000, waits=50,
                   api_round_ms=100, idle_rounds=5, rounds=1, growth=(1_000,))


@dataclass
class Context:
    """What the measurements share."""

    sizes: Sizes
    places: object
    peers: object
    bench: str
    earlier: str = ""         # another build's belfry-bench
    program: str = ""         # belfry itself
    ceilings: object = None
    stores: tuple = ("sqlite", "postgres")
    versions: dict = field(default_factory=dict)

    def builds(self):
        yield BELFRY, self.bench
        if self.earlier:
            yield BEFORE, self.earlier

    def sides_of_belfry(self, measure: Callable):
        """One side for each build. `measure(program, column)` returns what a side returns."""
        return [functools.partial(measure, program, column) for column, program in self.builds()]

    def bare_rate(self, store, *arguments):
        """What the bare program of the database reaches."""
        if store == "sqlite":
            return rate(self.ceilings.rate(store, *arguments))
        with self.places.postgres() as url:
            return rate(self.ceilings.rate(store, *arguments, url=url))


def rate(number):
    return {"": number}


def fires(context, store):
    sizes, key = context.sizes, f"fires-{store}"

    def belfry(program, column):
        with context.places.store(store) as place:
            found, _ = belfry_bench(program, "fire", "--schedules", sizes.schedules, "--rounds", sizes.fire_rounds,
                                    *place)
        result = {(key, column): rate(found[0]["firesPerSecond"])}
        if not context.ceilings and column == BELFRY:
            result[key, "bare statements"] = rate(found[0]["barePerSecond"])
        return result

    def ceiling():
        how = ["sync=FULL"] if store == "sqlite" else ["clients=1", "variant=mem"]  # the ids come from memory
        return {(key, "bare program"): context.bare_rate(store, "fire", f"total={sizes.schedules}",
                                                         f"due={sizes.schedules}", "batch=1000", *how)}

    row = Row(key, f"fires, {NAMES[store]}, {sizes.schedules:,} schedules", "/s", "0.7 of bare",
              readme=store == "sqlite")
    return Group([row], context.sides_of_belfry(belfry) + ([ceiling] if context.ceilings else []), sizes.rounds)


def herd(context, store):
    sizes, key = context.sizes, f"herd-{store}"

    def belfry(program, column):
        with context.places.store(store) as place:
            found, _ = belfry_bench(program, "herd", "--schedules", sizes.schedules, "--rounds", sizes.herd_rounds,
                                    "--every", sizes.herd_every_s, *place)
        return {(key, column): herd_figures(found)}

    goal = {"sqlite": "0.6 s", "postgres": "0.9 s"}[store]
    row = Row(key, f"{sizes.schedules:,} due at one instant until the last is committed, {NAMES[store]}, "
              f"{sizes.herd_rounds} rounds", "s", f"{goal}, the last round as fast as the first")
    return Group([row], context.sides_of_belfry(belfry))


def herd_figures(found):
    """The first, the median and the last round of a herd, in seconds."""
    last = [each["maxMs"] / 1000 for each in found if each["round"] != "all"]
    return {"first": last[0], "median": sorted(last)[len(last) // 2], "last": last[-1]}


def tasks(context, store):
    sizes = context.sizes
    batched, single, wait = (f"{what}-{store}" for what in ("batched", "single", "wait"))

    def belfry(program, column):
        with context.places.store(store) as place:
            found, said = belfry_bench(program, "tasks", "--tasks", sizes.tasks, "--rounds", 2, "--waits", sizes.waits,
                                       *place)
        middle = found[-1]
        result = {(batched, column): rate(middle["batchedPerSecond"]),
                  (single, column): rate(middle["singlePerSecond"]), (wait, column): waits_of(said)}
        if column == BELFRY:
            result[batched, "bare statements"] = rate(middle["barePerSecond"])
        return result

    def ceiling():
        return {(batched, "bare program"): context.bare_rate(store, "life", f"n={sizes.tasks}", "batch=100")}

    def peer(column, driver, server):
        with server() as url:
            found = context.peers.measure(driver, url=url, jobs=sizes.tasks, single=sizes.tasks // 4,
                                          waits=sizes.waits, batch=100, workers=8)
        context.versions[found["peer"]] = found["version"]
        return {(batched, column): rate(found["batchedPerSecond"]), (single, column): rate(found["singlePerSecond"]),
                (wait, column): {"p50": found["waitP50Ms"], "p99": found["waitP99Ms"]}}

    name = NAMES[store]
    is_sqlite = store == "sqlite"
    rows = [Row(batched, f"claim and complete in batches of 100, {name}", "/s",
                "0.6 of bare" if is_sqlite else "faster than graphile-worker", readme=not is_sqlite),
            Row(single, f"claim and complete one by one, 8 workers, {name}", "/s",
                "10,000/s" if is_sqlite else "twice graphile-worker"),
            Row(wait, f"trigger to the waiting worker, {name}", "ms", "" if is_sqlite else "p50 under 1.5 ms",
                readme=not is_sqlite)]
    sides = context.sides_of_belfry(belfry) + ([ceiling] if context.ceilings else [])
    if not is_sqlite:  # other queues have nothing to compare with a file
        sides += [functools.partial(peer, *each) for each in (
            ("graphile-worker", "graphile", context.places.postgres),
            ("pg-boss", "pg_boss", context.places.postgres),
            ("BullMQ, Redis synced always", "bullmq", functools.partial(redis, "always")),
            ("BullMQ, Redis synced every second", "bullmq", functools.partial(redis, "everysec")))]
    return Group(rows, sides, sizes.rounds)


def api(context, store):
    sizes = context.sizes
    requests = {"create": ("create over HTTP", "10,000/s", "5,000/s"),
                "trigger": ("trigger over HTTP", "10,000/s", "5,000/s"),
                "get one": ("get one over HTTP", "0.5 of /healthz", "0.5 of /healthz")}

    def key(request):
        return f"{request.replace(' ', '-')}-{store}"

    def belfry(program, column):
        with context.places.store(store) as place:
            found, _ = belfry_bench(program, "api", "--schedules", min(10_000, sizes.schedules), "--connections", 32,
                                    "--rounds", 5, "--round-ms", sizes.api_round_ms, *place)
        by_request = {each["request"]: each for each in found}
        result = {}
        for request in requests:
            result[key(request), column] = rate(by_request[request]["perSecond"])
            if column == BELFRY:
                floor = by_request["nothing (/healthz)"]["perSecond"]
                result[key(request), "`/healthz`"] = rate(floor)
        return result

    rows = [Row(key(request), f"{work}, 32 connections, {NAMES[store]}", "/s", goals[store == "postgres"],
                readme=request == "create" and store == "sqlite")
            for request, (work, *goals) in requests.items()]
    return Group(rows, context.sides_of_belfry(belfry))


def idle(context, store):
    sizes, key = context.sizes, f"idle-{store}"

    def belfry(program, column):
        with context.places.store(store) as place:
            found, _ = belfry_bench(program, "herd", "--schedules", 1, "--every", 1, "--rounds", sizes.idle_rounds,
                                    *place)
        return {(key, column): {"p50": found[-1]["p50Ms"], "p99": found[-1]["p99Ms"]}}

    row = Row(key, f"one schedule on an idle server, late by, {NAMES[store]}", "ms",
              "1 and 3 ms" if store == "sqlite" else "1.5 and 5 ms", readme=store == "sqlite")
    return Group([row], context.sides_of_belfry(belfry))


KINDS = (fires, herd, tasks, api, idle)


def groups(context):
    return [kind(context, store) for kind in KINDS for store in context.stores]
