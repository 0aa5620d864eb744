"""A wall clock that jumps for one process only: libfaketime, preloaded, reads the offset from a file. The machine's is
not touched."""

import glob
import os
import time

REMEMBERED_S = 5


def library():
    """None when it is not installed."""
    found = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
    return found[0] if found else None


class FakeClock:
    """Calling it tells the time as the server sees it."""

    def __init__(self, folder):
        self._path = os.path.join(folder, "faketime")
        self._offsets = []
        self.set(0)

    def environment(self):
        return {
            "LD_PRELOAD": library(),
            "FAKETIME_TIMESTAMP_FILE": self._path,
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }

    @property
    def offset(self):
        return self._offsets[-1][1]

    def set(self, offset):
        """Renamed into place, so that the server never reads half a number."""
        with open(self._path + ".new", "w", encoding="utf-8") as file:
            file.write(f"{offset:+d}s\n")
        os.rename(self._path + ".new", self._path)
        self._offsets.append((time.monotonic(), offset))

    def now(self):
        return time.time() + self.offset

    def __call__(self):
        """For targets: what was sent just before a jump back arrives after it, so the latest of the last seconds
        counts."""
        recent = [offset for at, offset in self._offsets if time.monotonic() - at < REMEMBERED_S]
        return time.time() + max([*recent, self.offset])
