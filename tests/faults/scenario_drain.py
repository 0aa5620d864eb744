"""SIGTERM under load: the server finishes what it has begun, ends with 0, and its successor goes on."""

import os
import time

from load import mixed
from poison import in_sqlite
from server import Server
from settings import SLOW
from world import Failure, World

SCHEDULES = 10 if SLOW else 30
DRAIN_S = 10


def drain(seed, folder, seconds):
    world = World("drain", seed, folder)
    path = os.path.join(folder, "belfry.db")
    with Server("belfry", "sqlite:" + path, folder, "--drain-seconds", str(DRAIN_S)) as server:
        world.servers = [server.start()]
        server.wait_until_healthy()
        world.poison(in_sqlite(path))
        start, end = world.window(seconds, SCHEDULES)
        world.create(*mixed(start, end, SCHEDULES))
        with world.start_target(reliable=True):
            world.wait_until(start)
            while time.time() < end - 1:
                time.sleep(world.rng.random())
                world.wait_for_a_fire()
                world.sometimes["ends while requests were in flight"] += world.target.counts["busy"] > 0
                _end(world, server)
                server.start()
                server.wait_until_it_listens()  # the program handles SIGTERM from then on
            world.wait_until(end + 1)
            server.wait_until_healthy()
            world.settle_and_check()
    # The targets lose nothing themselves, so a second attempt means that a claim was made and its answer cut off.
    if world.measured["repeats"]:
        raise Failure(f"{world.measured['repeats']} claims lost their answers while the server ended")
    world.must("ends", 2)
    world.must("ends while requests were in flight")
    return world


def _end(world, server):
    began = time.monotonic()
    code = server.terminate()
    took = time.monotonic() - began
    world.sometimes["ends"] += 1
    world.measured["longest_end_s"] = max(round(took, 2), world.measured.get("longest_end_s", 0))
    if code != 0 or not server.log().rstrip().endswith("ended"):
        raise Failure(f"SIGTERM ended it with {code} after {took:.1f} s:\n{server.log()[-2000:]}")
