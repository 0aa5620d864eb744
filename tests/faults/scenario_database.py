"""The database restarted under load as by a crash (`pg_ctl -m immediate`): servers say so, and recover alone."""

import time

from cluster import Cluster
from health_watch import HealthWatch
from load import mixed
from server import Server
from settings import PATIENCE, SLOW
from world import Failure, World

SCHEDULES = 10 if SLOW else 30
RESTARTS_MIN = 2
RECOVERED_S = 12  # a wait between two tries is 5 s at most
NOTICED_S = 10  # a server says what its workers met, and an idle one asks its database every few seconds


def restarts(seed, folder, seconds):
    world = World("database", seed, folder)
    with Cluster() as cluster:
        store = cluster.new_database("belfry")
        with Server("one", store, folder) as one, Server("two", store, folder) as two:
            world.servers = [one.start(), two]
            one.wait_until_healthy()
            two.start().wait_until_healthy()
            world.poison(cluster.run_in("belfry"))
            start, end = world.window(seconds, SCHEDULES)
            world.create(*mixed(start, end, SCHEDULES))
            with world.start_target(), HealthWatch(world.servers) as watch:
                world.wait_until(start + 1)
                while world.sometimes["restarts"] < RESTARTS_MIN or time.time() < end - 3:
                    _restart(world, cluster, watch)
                    time.sleep(world.rng.random() * 2)
                world.wait_until(end + 1)
                for server in world.servers:
                    server.wait_until_healthy()
                world.settle_and_check()
    world.must("restarts", RESTARTS_MIN)
    world.must("restarts while requests were in flight")
    world.must("servers that said the database was away", len(world.servers))
    return world


def _restart(world, cluster, watch):
    lives = [each.lives for each in world.servers]
    if world.rng.random() < 0.7 or not world.sometimes["restarts"]:
        world.wait_for_a_fire()
    world.sometimes["restarts"] += 1
    world.sometimes["restarts while requests were in flight"] += world.target.counts["busy"] > 0
    begin = time.time()
    cluster.stop(immediate=True)
    time.sleep(0.3 + world.rng.random() * 1.2)
    if world.rng.random() < 0.5 or not world.sometimes["servers that said the database was away"]:
        _wait_until_noticed(world, watch, begin)
    cluster.start()
    back = time.time()
    for server in world.servers:
        world.measured["longest_recovery_s"] = max(round(server.wait_until_healthy(RECOVERED_S), 2),
                                                   world.measured.get("longest_recovery_s", 0))
    if time.time() - back > RECOVERED_S * PATIENCE:
        raise Failure(f"the servers took {time.time() - back:.1f} s to recover")
    if lives != [each.lives for each in world.servers] or not all(each.alive for each in world.servers):
        raise Failure("a server ended because its database was away")


def _wait_until_noticed(world, watch, begin):
    until = time.time() + NOTICED_S * PATIENCE
    for server in world.servers:
        while not any(each.server == server.name and (each.status, each.said) != (200, "ok")
                      for each in watch.between(begin, time.time())):
            if time.time() > until:
                raise Failure(
                    f"/health of {server.name} said ok for {time.time() - begin:.1f} s while the database was away")
            time.sleep(0.05)
        world.sometimes["servers that said the database was away"] += 1
