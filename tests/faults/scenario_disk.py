"""The disk runs full under a server on SQLite: it stays up and says so, and goes on by itself when there is room again.

Killed on the full disk and started again it may refuse, with a reason; with room it goes on where it was.
"""

import contextlib
import os
import sqlite3
import subprocess
import time

from load import every_second
from poison import in_sqlite
from server import Server, said
from settings import PATIENCE, SLOW
from skipped import Skipped
from world import Failure, World

SCHEDULES = 10 if SLOW else 30
DISK = "48m"
NOTICED_S = 20
RESUMED_S = 12  # a wait between two tries is 5 s at most


class SmallDisk:
    """`with SmallDisk(folder) as disk`: a file system in memory that can be filled up."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "disk")

    def __enter__(self):
        os.mkdir(self.path)
        command = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "belfry-faults", self.path]
        mounted = subprocess.run(command, capture_output=True, text=True, check=False)
        if mounted.returncode != 0:
            raise Skipped(f"a small disk cannot be mounted: {mounted.stderr.strip()}")
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", self.path], check=False)

    @property
    def _filler(self):
        return os.path.join(self.path, "filler")

    def fill(self):
        """Takes every byte that is left."""
        with open(self._filler, "ab", buffering=0) as file:
            for size in (1 << 20, 1 << 12):
                try:
                    while True:
                        file.write(b"\0" * size)
                except OSError:
                    continue

    def shorten_log(self):
        """What the log has room for goes through on a full disk, and after some writing that is a lot."""
        with contextlib.closing(sqlite3.connect(os.path.join(self.path, "belfry.db"), timeout=30)) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def free(self):
        os.remove(self._filler)


def full(seed, folder, seconds):
    world = World("disk", seed, folder)
    with SmallDisk(folder) as disk, Server("belfry", f"sqlite:{disk.path}/belfry.db", folder) as server:
        world.servers = [server.start()]
        server.wait_until_healthy()
        world.poison(in_sqlite(f"{disk.path}/belfry.db"))
        start, end = world.window(seconds, SCHEDULES)
        world.create(*every_second(start, end, SCHEDULES))
        with world.start_target():
            world.wait_until(start + 1)
            while True:
                _run_full(world, server, disk)
                if time.time() > end - 4:
                    break
                time.sleep(1 + world.rng.random())
            world.wait_until(end + 1)
            server.wait_until_healthy()
            world.settle_and_check()
    world.must("times the disk was full")
    world.must("requests refused while it was full")
    world.must("kills on a full disk")
    return world


def _run_full(world, server, disk):
    before = world.target.counts["status_503"]
    disk.shorten_log()
    disk.fill()
    end = time.monotonic() + NOTICED_S * PATIENCE
    while True:  # what the log has room for still goes through
        disk.fill()
        status, answer = server.health()
        if not server.alive:
            raise Failure("the server ended because its disk was full")
        if status is not None and (status == 503 or said(answer) != "ok"):
            break
        if time.monotonic() > end:
            raise Failure(f"/health says ok although the disk has been full for {NOTICED_S * PATIENCE} s")
        time.sleep(0.1)
    world.sometimes["times the disk was full"] += 1
    time.sleep(1 + world.rng.random() * 2)
    if not server.alive:
        raise Failure("the server ended because its disk was full")
    world.sometimes["requests refused while it was full"] += world.target.counts["status_503"] - before
    if world.sometimes["times the disk was full"] % 2 == 0:
        _restart_on_full_disk(world, server)
    disk.free()
    if not server.alive:
        server.start()
    world.measured["longest_recovery_s"] = max(round(server.wait_until_healthy(RESUMED_S), 1),
                                               world.measured.get("longest_recovery_s", 0))


def _restart_on_full_disk(world, server):
    """It may refuse to start and say why, or come up degraded; whichever it is, it must not spoil the file."""
    world.sometimes["kills on a full disk"] += 1
    server.kill()
    server.start()
    time.sleep(1 * PATIENCE)
    if not server.alive and "error: " not in server.log():
        raise Failure(f"on a full disk it ended without a reason: {server.log()}")
