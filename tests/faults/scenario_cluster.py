"""Several servers on one PostgreSQL, one of them in trouble: frozen, killed, or cut off from the database without notice.

It starts with two; the third joins under load, and its database stands behind a line that can go dead. While the victim is away,
beyond its lease, the others fire everything; when it is back, nothing fires twice.
"""

import time

from cluster import Cluster
from load import mixed
from proxy import Proxy
from server import Server
from settings import PATIENCE, SLOW
from world import Failure, World

SCHEDULES = 10 if SLOW else 30
AWAY_S = 5  # the lease of a server is 2 s, that of a worker 3 s
DECIDED_S = 3  # a share that nobody looks after is delayed by a moment, not by more
SILENCE_S = 4  # the longest time without any delivery


def trouble(seed, folder, seconds):
    world = World("cluster", seed, folder)
    with Cluster() as cluster, Proxy(cluster.port) as line:
        store = cluster.new_database("belfry")
        behind = cluster.url("belfry", line.port)
        with Server("one", store, folder) as one, Server("two", store, folder) as two, Server("three", behind, folder) as three:
            world.servers = [one.start(), two]
            one.wait_until_healthy()
            two.start().wait_until_healthy()
            start, end = world.window(seconds, SCHEDULES)
            world.create(*mixed(start, end, SCHEDULES))
            with world.start_target():
                world.wait_until(start + 1)
                _freeze(world, world.rng.choice([one, two]))
                three.start().wait_until_healthy()
                world.servers.append(three)
                faults = [lambda: _freeze(world, three), lambda: _kill(world, world.rng.choice([one, two])), lambda: _cut_off(world, three, line)]
                _go_on(world, faults, end)
                world.wait_until(end + 1)
                for server in world.servers:
                    server.wait_until_healthy(40)
                world.settle_and_check()
                _check_lags(world)
    for fault in ("freezes", "kills", "partitions"):
        world.must(fault)
    return world


def _go_on(world, faults, end):
    """All of them in a seeded order, and again while there is time; the first round is whole, so the window has to be long enough."""
    world.rng.shuffle(faults)
    done = 0
    while done < len(faults) or time.time() < end - AWAY_S - 2:
        faults[done % len(faults)]()
        done += 1
        time.sleep(world.rng.random())
        world.check_safety()


def _freeze(world, victim):
    """Half of the time in the moment in which everything fires, so that it may hold locks."""
    if world.rng.random() < 0.5:
        now = time.time()
        time.sleep(int(now) + 1 + world.rng.random() * 0.03 - now)
    world.sometimes["freezes"] += 1
    victim.freeze()
    try:
        _away(world, f"{victim.name} frozen")
    finally:
        victim.thaw()


def _kill(world, victim):
    world.sometimes["kills"] += 1
    victim.kill()
    _away(world, f"{victim.name} killed")
    victim.start()


def _cut_off(world, victim, line):
    world.sometimes["partitions"] += 1
    line.blackhole()
    _away(world, f"{victim.name} cut off")
    line.heal()
    world.measured["longest_healing_s"] = max(round(victim.wait_until_healthy(60), 1), world.measured.get("longest_healing_s", 0))


def _away(world, what):
    """While the victim is away, deliveries go on."""
    begin = time.time()
    world.measured.setdefault("away", []).append((what, begin, begin + AWAY_S))
    last, since, silence = world.target.counts["delivered"], begin, 0.0
    while time.time() < begin + AWAY_S:
        time.sleep(0.05)
        now = world.target.counts["delivered"]
        if now != last:
            last, since = now, time.time()
        silence = max(silence, time.time() - since)
    world.measured["longest_silence_s"] = round(max(silence, world.measured.get("longest_silence_s", 0)), 2)
    if silence > SILENCE_S * PATIENCE:
        raise Failure(f"{what}: no delivery for {silence:.1f} s")


def _check_lags(world):
    """Every occurrence that came due while a server was away was decided in time by the others."""
    away = world.measured.pop("away")
    names = {each.id: each.name for each in world.schedules}
    worst = (0.0, "")
    for schedule_id, account in world.accounts().items():
        for row in account.rows:
            if row.cause == "tick" and row.dispatch == "dispatched":
                during = [what for what, begin, end in away if begin - 1 <= row.occurrence <= end]
                lag = row.decided_at - row.occurrence
                if during and lag > worst[0]:
                    worst = (lag, f"{names[schedule_id]} at {row.occurrence:.0f} was decided {lag:.1f} s late while {during[0]}")
    world.measured["longest_lag_s"] = round(worst[0], 2)
    if worst[0] > DECIDED_S * PATIENCE:
        raise Failure(worst[1])
