"""The schedules that faults happen to: simple times, all kinds of policies."""

from known import Known, Timing

NO_EXCUSE = {"overlapPolicy": "allow_all", "missedRunPolicy": "fire_all", "maxBackfill": 10000}


def every_second(start, end, count):
    """Schedules of every second that have no excuse for anything; half of them call late what is late at all."""
    timing = Timing(every=1, start=start, end=end)
    return [Known(f"second-{n}", timing, {**NO_EXCUSE, "missedGrace": "PT0S" if n % 2 else "PT60S"})
            for n in range(count)]


def mixed(start, end, count):
    """`count` of every second, and some of every other kind."""
    second = Timing(every=1, start=start, end=end)
    two = Timing(every=2, start=start, end=end, cron="*/2 * * * * *")
    instants = Timing(instants=tuple(range(start, end + 1, 3)))
    missing = {"overlapPolicy": "allow_all", "missedRunPolicy": "skip", "missedGrace": "PT1S"}
    schedules = every_second(start, end, count)
    schedules += [Known(f"cron-{n}", two, NO_EXCUSE) for n in range(4)]
    schedules += [Known(f"instants-{n}", instants, NO_EXCUSE) for n in range(2)]
    schedules += [Known(f"skips-missed-{n}", second, missing, frozenset({"missed_run"})) for n in range(4)]
    schedules += [Known("fires-once", second, {**missing, "missedRunPolicy": "fire_once"}, frozenset({"missed_run"}))]
    schedules += [Known(f"skips-overlap-{n}", second, {**NO_EXCUSE, "overlapPolicy": "skip"},
                        frozenset({"overlap_in_flight"})) for n in range(2)]
    schedules += [Known(f"buffers-{n}", two, {**NO_EXCUSE, "overlapPolicy": "buffer_all"}) for n in range(2)]
    return schedules
