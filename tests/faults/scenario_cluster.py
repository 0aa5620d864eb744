"""Several servers on one PostgreSQL, one of them in trouble: frozen, killed, cut off from the database without notice,
or all its connections broken at once.

It starts with two; the third joins under load, and its database stands behind a line that can go dead. While the victim
is away, beyond its lease, the others fire everything; when it is back, nothing fires twice. The wall clock of one
server is wrong by an hour.
"""

import time

from cluster import Cluster
from fake_clock import FakeClock, library
from load import mixed
from proxy import Proxy
import moments
from server import Server, said
from settings import PATIENCE, SLOW
from world import Failure, World

SCHEDULES = 10 if SLOW else 30
AWAY_S = 4.5  # the lease of a server is 2 s, that of a worker 3 s
FAULT_S = AWAY_S + 2 * PATIENCE  # with all that belongs to it
HEALED_S = 40  # a statement whose answer is lost is waited for no longer than 35 s
SILENCE_S = 4  # the longest time without any delivery
DECIDED_S = 3  # a share that nobody looks after is delayed by a moment, not by more
# Unless the victim holds locks: its transaction is over when the database gives up waiting for it.
LOCKED_AWAY_S = 12
LOCKED_DECIDED_S = 8
BREAKS = 3
LOCKED = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = 'belfry' AND state = 'idle in transaction'"
    " AND clock_timestamp() - state_change > interval '0.3 s'"
)

TICKER_LATE_S = 2


def trouble(seed, folder, seconds):
    world = World("cluster", seed, folder)
    with Cluster() as cluster, Proxy(cluster.port) as line:
        store = cluster.new_database("belfry")
        behind = cluster.url("belfry", line.port)
        ahead = _an_hour_ahead(world, folder)
        with Server("one", store, folder) as one, Server("two", store, folder, environment=ahead) as two, Server(
            "three", behind, folder) as three:
            world.servers = [one.start(), two]
            # so that both find the database empty, or one the other at its tables
            time.sleep(world.rng.random() * 0.05)
            two.start().wait_until_healthy()
            one.wait_until_healthy()
            world.poison(cluster.run_in("belfry"))
            start, end = world.window(seconds, SCHEDULES)
            world.create(*mixed(start, end, SCHEDULES))
            with world.start_target():
                world.wait_until(start + 1)
                faults = _Faults(world, cluster, line)
                faults.freeze(world.rng.choice([one, two]))
                three.start().wait_until_healthy()
                world.servers.append(three)
                _go_on(world, faults, (one, two, three), end)
                world.wait_until(end + 1)
                for server in world.servers:
                    server.wait_until_healthy(HEALED_S)
                world.settle_and_check()
                faults.check_lags()
    for fault in ("freezes", "kills", "partitions", "broken connections"):
        world.must(fault)
    return world


def _an_hour_ahead(world, folder):
    """The wall clock of one server is wrong: the database's decides what is due, so nobody may notice."""
    if library() is None or SLOW:  # a sanitizer's runtime and libfaketime both have to be loaded first
        return {}
    clock = FakeClock(folder)
    clock.set(3600)
    world.sometimes["clocks that are wrong"] += 1
    return clock.environment()


def _go_on(world, faults, servers, end):
    """Each fault in a seeded order, and then all kinds again while there is time."""
    one, two, three = servers
    kinds = [lambda: faults.kill(world.rng.choice((one, two))), lambda: faults.cut_off(three),
             lambda: faults.break_connections(three)]
    world.rng.shuffle(kinds)
    again = [*kinds, lambda: faults.freeze(world.rng.choice(servers))]
    for count, kind in enumerate(kinds):
        faults.until = end - (len(kinds) - count - 1) * FAULT_S
        kind()
        world.check_safety()
    faults.until = end
    while time.time() < end - FAULT_S:
        world.rng.choice(again)()
        time.sleep(world.rng.random())
        world.check_safety()


class _Faults:
    """What happens to the victims, and what the others did meanwhile."""

    def __init__(self, world, cluster, line):
        self._world = world
        self._cluster = cluster
        self._line = line
        self._away = []  # (what, begin, end, how late a decision may be)
        self.until = 0.0  # a fault may take longer than usual when it ends before

    def freeze(self, victim):
        """Half of the time in the moment in which everything fires, so that it may hold locks."""
        if self._world.rng.random() < 0.5:
            self._world.wait_for_a_fire(0.03)
        self._world.sometimes["freezes"] += 1
        victim.freeze()
        try:
            self._watch(f"{victim.name} is frozen")
        finally:
            victim.thaw()

    def kill(self, victim):
        self._world.sometimes["kills"] += 1
        victim.kill()
        self._watch(f"{victim.name} is dead")
        victim.start()

    def cut_off(self, victim):
        if self._world.rng.random() < 0.5:
            self._world.wait_for_a_fire(0.03)
        self._world.sometimes["partitions"] += 1
        self._line.blackhole()
        try:
            self._watch(f"{victim.name} is cut off")
            status, answer = victim.health()
            # With damaged rows it is degraded anyway; that its ticker has not stepped for a while is what has to show.
            silent = status != 200 or time.time() - moments.parse(answer["ticker"]["lastStep"]) > TICKER_LATE_S
            if status == 200 and said(answer) == "ok" and not silent:
                raise Failure(f"{victim.name} is cut off from its database, and its /health says ok")
        finally:
            self._line.heal()
        self._healed(victim)

    def break_connections(self, victim):
        """All at once and several times, when everything fires: some break inside a commit, and its outcome is
        unknown."""
        for _ in range(BREAKS):
            self._world.wait_for_a_fire(0.03)
            self._world.sometimes["broken connections"] += self._line.cut()
        self._healed(victim)

    def _healed(self, victim):
        took = victim.wait_until_healthy(HEALED_S)
        self._world.measured["longest_healing_s"] = max(round(took, 1),
                                                        self._world.measured.get("longest_healing_s", 0))

    def _watch(self, what):
        """While the victim is away, deliveries go on."""
        begin = time.time()
        time.sleep(0.4)
        locked = self._cluster.query(LOCKED, "belfry") != "0"
        self._world.sometimes["times it held locks"] += locked
        end = begin + AWAY_S
        if locked:
            end = max(end, min(self.until, begin + LOCKED_AWAY_S))
        silence = self._longest_silence(end)
        self._world.measured["longest_silence_s"] = round(max(silence,
                                                              self._world.measured.get("longest_silence_s", 0)), 2)
        if silence > SILENCE_S * PATIENCE:
            raise Failure(f"while {what}, there was no delivery for {silence:.1f} s")
        self._away.append((what + (" and holds locks" if locked else ""), begin, end,
                           (LOCKED_DECIDED_S if locked else DECIDED_S) * PATIENCE))

    def _longest_silence(self, end):
        last, since, silence = self._world.target.counts["deliveries"], time.time(), 0.0
        while time.time() < end:
            time.sleep(0.05)
            now = self._world.target.counts["deliveries"]
            if now != last:
                last, since = now, time.time()
            silence = max(silence, time.time() - since)
        return silence

    def check_lags(self):
        """Every occurrence that came due while a server was away was decided in time by the others."""
        world = self._world
        # others wait for their runs
        names = {each.id: each.name for each in world.schedules if each.policies["overlapPolicy"] == "allow_all"}
        late, longest = [], 0.0
        for schedule_id, account in world.accounts().items():
            for row in account.rows if schedule_id in names else ():
                lag = row.decided_at - row.occurrence
                for what, begin, end, bound in self._away:
                    if begin - 1 <= row.occurrence <= end:
                        longest = max(longest, lag)
                        if lag > bound:
                            late.append(f"{names[schedule_id]} at {row.occurrence:.0f} was decided {lag:.1f} s late "
                                        f"while {what}")
        world.measured["longest_lag_s"] = round(longest, 2)
        if late:
            raise Failure(f"{len(late)} occurrences were late; the first: {late[0]}")
