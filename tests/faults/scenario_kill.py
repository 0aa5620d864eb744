"""One server killed with -9 at seeded moments, again and again, and started again on the same store."""

import os
import time

from cluster import Cluster
from creator import Creator
from known import Known, Timing
from load import NO_EXCUSE, mixed
from pauser import Pauser
from poison import in_sqlite
from server import Server
from settings import SLOW
from world import World

SCHEDULES = 10 if SLOW else 30
LIFE_S = 2.5 if SLOW else 0.5  # the longest that a server lives
BIRTHS = 8
BIRTH_S = 0.4 if SLOW else 0.05
LONG_OUTAGE_S = 2.5  # longer than the grace of those that skip what they missed


def on_sqlite(seed, folder, seconds):
    world = World("kill_sqlite", seed, folder)
    path = os.path.join(folder, "belfry.db")
    _kill(world, "sqlite:" + path, in_sqlite(path), seconds)
    return world


def on_postgres(seed, folder, seconds):
    world = World("kill_postgres", seed, folder)
    with Cluster() as cluster:
        _kill(world, cluster.new_database("belfry"), cluster.run_in("belfry"), seconds)
    return world


def _kill(world, store, damage, seconds):
    with Server("belfry", store, world.folder) as server:
        _kill_at_birth(world, server)
        world.servers = [server.start()]
        server.wait_until_healthy()
        world.poison(damage)
        start, end = world.window(seconds, SCHEDULES)
        paused = Known("paused", Timing(every=1, start=start, end=end), NO_EXCUSE)
        world.create(*mixed(start, end, SCHEDULES), paused)
        with world.start_target(), Creator(world, end) as creator:
            world.wait_until(start)
            _kill_until(world, server, end, Pauser(world, paused))
            world.wait_until(end + 1)
            server.wait_until_healthy()
            creator.find_out()
            world.settle_and_check()
    world.must("kills", int(seconds / LIFE_S / 6))
    world.must("kills while requests were in flight", max(1, world.sometimes["kills"] // 10))
    world.must("long outages")
    world.must("shown as unreadable")


def _kill_at_birth(world, server):
    """While it makes its tables: whoever comes next finds them whole or not there."""
    for _ in range(BIRTHS):
        server.start()
        time.sleep(world.rng.random() * BIRTH_S)
        world.sometimes["kills at birth"] += 1
        server.kill()


def _kill_until(world, server, end, pauser):
    pause_at, resume_at = sorted(world.rng.uniform(time.time() + 1, end - 1) for _ in range(2))
    paused = resumed = False
    while time.time() < end - 1:
        _wait_for_a_moment(world)
        world.sometimes["kills"] += 1
        world.sometimes["kills while requests were in flight"] += world.target.counts["busy"] > 0
        world.sometimes["kills before it was ready"] += "ready" not in server.log()
        server.kill()
        if world.sometimes["kills"] % 12 == 5:
            world.sometimes["long outages"] += 1
            time.sleep(LONG_OUTAGE_S)
        else:
            time.sleep(world.rng.choice((0, 0, 0.05, 0.3)))
        server.start()
        if not paused and time.time() > pause_at:
            pauser.pause()
            paused = True
        elif paused and not resumed and time.time() > resume_at:
            pauser.resume()
            resumed = True
        world.check_safety()
    if paused and not resumed:
        pauser.resume()


def _wait_for_a_moment(world):
    """Many are aimed at the first hundredths of a second, when everything fires, and some at the start of the
    server."""
    kind = world.rng.random()
    time.sleep(world.rng.random() * (0.1 if kind < 0.2 else LIFE_S))
    if kind > 0.6:
        world.wait_for_a_fire()
