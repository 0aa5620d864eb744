"""What a client knows about a schedule: what it asked for, what was acknowledged, and so what must happen.

The specs are so simple that their occurrences can be counted on fingers: whole multiples of some seconds, or a list.
"""

from dataclasses import dataclass, field

import moments


@dataclass(frozen=True)
class Timing:
    """Every `every` seconds from `start` to `end`, both included, or the `instants`. Whole seconds since 1970."""

    every: int = 0
    start: int = 0
    end: int = 0
    instants: tuple = ()
    cron: str = ""  # how to say `every` as an expression; without one it is said as an interval

    def occurrences(self):
        if self.instants:
            return set(self.instants)
        first = -(-self.start // self.every) * self.every
        return set(range(first, self.end + 1, self.every))

    def spec(self):
        if self.instants:
            return {"at": [moments.show(each) for each in sorted(self.instants)]}
        window = {"startAt": moments.show(self.start), "endAt": moments.show(self.end)}
        if self.cron:
            return {"cron": [self.cron], "timezone": "UTC", **window}
        return {"intervals": [{"every": f"PT{self.every}S"}], **window}


@dataclass
class Known:
    """A schedule as its creator knows it."""

    name: str
    timing: Timing
    policies: dict = field(default_factory=dict)
    # The reasons for which an occurrence may be skipped; none means that every one must be delivered
    excuses: frozenset = frozenset()
    id: str = ""  # empty: the answer to the creation was lost, and it may exist or not
    silent: list = field(default_factory=list)  # (after, until]: nothing of this time may fire
    free: list = field(default_factory=list)  # (after, until]: a request was under way, so both are right
    triggers: set = field(default_factory=set)  # ids of the runs that somebody asked for by hand

    def body(self):
        retry = {"maxRetries": 1000, "backoffMs": 100}
        target = {"type": "task", "taskKind": "ring", "input": {"name": self.name}}
        return {"name": self.name, "spec": self.timing.spec(), "target": target, "retryPolicy": retry, **self.policies}

    def allowed(self):
        """What may be delivered."""
        return {each for each in self.timing.occurrences() if not _inside(each, self.silent)}

    def expected(self):
        """What must have an outcome."""
        return {each for each in self.allowed() if not _inside(each, self.free)}


def _inside(moment, ranges):
    return any(after < moment <= until for after, until in ranges)
