"""The judges are judged: a store is damaged behind a server's back, and the whole chain from target to checker has to
notice.

While the server is dead, one schedule's cursor is put back and its runs are forgotten, another's is put forward, and of
a third an audit event is removed: what a scheduler would do that fires twice, loses occurrences, or keeps no books.
"""

import contextlib
import os
import sqlite3

from load import every_second
from server import Server
from world import Failure, World

WINDOW_S = 6
MOVED_US = 2_000_000
EXPECTED = {"second-0": "repeat", "second-1": "missing", "second-2": "audit"}


def planted(seed, folder, _):
    world = World("planted", seed, folder)
    path = os.path.join(folder, "belfry.db")
    with Server("belfry", "sqlite:" + path, folder) as server:
        world.servers = [server.start()]
        server.wait_until_healthy()
        start, end = world.window(WINDOW_S, len(EXPECTED))
        world.create(*every_second(start, end, len(EXPECTED) + 1))
        with world.start_target(reliable=True):
            world.wait_until(start + WINDOW_S / 2 + 0.5)
            server.kill()
            with contextlib.closing(sqlite3.connect(path)) as database, database:
                _damage(database)
            server.start()
            world.wait_until(end + 1)
            server.wait_until_healthy()
            _expect_findings(world)
    return world


def _damage(database):
    keys = dict(database.execute("SELECT name, schedule_key FROM schedules"))
    fires_twice, loses, keeps_no_books = (keys[name] for name in EXPECTED)
    slots_per_ms = 4
    (cursor,) = database.execute("SELECT next_fire_us FROM schedule_state WHERE schedule_key = ?",
                                 (fires_twice,)).fetchone()
    database.execute("DELETE FROM runs WHERE schedule_key = ? AND slot >= ?",
                     (fires_twice, (cursor - MOVED_US) // 1000 * slots_per_ms))
    move = ("UPDATE schedule_state SET next_fire_us = next_fire_us + :by, "
            "next_occurrence_us = next_occurrence_us + :by WHERE schedule_key = :key")
    database.execute(move, {"by": -MOVED_US, "key": fires_twice})
    database.execute(move, {"by": MOVED_US, "key": loses})
    database.execute("DROP TRIGGER events_are_never_removed")
    database.execute("DELETE FROM events WHERE schedule_key = ? AND sequence = 2", (keeps_no_books,))


def _expect_findings(world):
    try:
        world.settle_and_check()
    except Failure as failure:
        found = {(each.schedule, each.kind) for each in failure.findings}
        if found != set(EXPECTED.items()):
            raise Failure(f"planted {EXPECTED}, and the checker found {found}: {failure}") from failure
        world.sometimes["planted faults found"] = len(found)
        os.remove(os.path.join(world.folder, "findings.txt"))
        return
    raise Failure("the checker found nothing in a store that was damaged")
