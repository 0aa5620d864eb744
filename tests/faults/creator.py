"""A client that goes on creating schedules while servers die, so that some of its answers are lost."""

import random
import threading
import time

import client
from known import Known, Timing
from ledger import SCHEDULES
from load import NO_EXCUSE
from settings import PATIENCE


class Creator:
    """Creates short schedules while faults happen. An answer that was lost leaves the creation unknown until somebody
    looks."""

    def __init__(self, world, until, every_s=0.7):
        self._world = world
        self._until = until
        self._every_s = every_s
        self._rng = random.Random(f"creator/{world.seed}")
        self.asked = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._create, daemon=True)

    def _create(self):
        number = 0
        # Room for the slowest request, so that the whole window lies after whatever came of it.
        while not self._ended.is_set() and time.time() + 8 * PATIENCE < self._until:
            start = int(time.time()) + 4 * PATIENCE
            schedule = Known(f"made-{number}", Timing(every=1, start=start, end=start + 2), NO_EXCUSE)
            if self._ask(schedule):
                number += 1
                self.asked.append(schedule)
            self._ended.wait(self._rng.random() * 2 * self._every_s)

    def _ask(self, schedule):
        """Whether the request went out."""
        ports = self._world.ports()
        if not ports:
            return False
        try:
            status, answer = client.ask(self._rng.choice(ports), "POST", SCHEDULES, schedule.body(),
                                        client.TIMEOUT_S * PATIENCE)
        except client.Refused:
            return False
        except client.Unknown:
            return True
        if status == 201:
            schedule.id = answer["id"]
        return status == 201 or answer.get("code") == "outcome_unknown"

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        self._thread.join()

    def find_out(self):
        """After healing: what became of those whose answer was lost. All that exist are the world's from now on."""
        for schedule in self.asked:
            if schedule.id:
                self._world.sometimes["creations acknowledged under faults"] += 1
            else:
                self._world.sometimes["creations unknown"] += 1
                status, answer = self._world.ask("GET", f"{SCHEDULES}/{schedule.name}")
                schedule.id = answer["id"] if status == 200 else ""
            if schedule.id:
                self._world.schedules.append(schedule)
