"""RFC 3339 texts and seconds since 1970, which is what everything here counts in."""

from datetime import datetime, timezone


def parse(text):
    """Seconds since 1970, with their fraction."""
    return datetime.fromisoformat(text).timestamp()


def show(seconds):
    """`2026-01-02T03:04:05Z`, with the fraction when there is one."""
    moment = datetime.fromtimestamp(seconds, timezone.utc)
    return moment.isoformat(timespec="milliseconds" if moment.microsecond else "seconds").replace("+00:00", "Z")
