"""Turns an asynchronous module into its synchronous twin, so that both clients have one source."""

import re

REPLACEMENTS = [
    (r"async (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\bAsync(Iterator|Client|Awaitable)\b", r"\1"),
    (r"\bAsyncBaseTransport\b", "BaseTransport"),
    (r"\bAwaitable\[([^\[\]]+)\]", r"\1"),
    (r"from typing import Awaitable, ", "from typing import "),
    (r"\b__a(enter|exit|iter|next)__\b", r"__\1__"),
    (r"\bStopAsyncIteration\b", "StopIteration"),
    (r"\b(EventStream)\b", r"Sync\1"),
    (r"\baiter_lines\b", "iter_lines"),
    (r"\baread\b", "read"),
    (r"\baclose\b", "close"),
    (r"\basyncio\b", "time"),
    (r"\bbelfry\._async\b", "belfry._sync"),
    (r"(?<!httpx\.)\bClient\b", "SyncClient"),
    (r"\b(Schedule|Run)Handle\b", r"Sync\1Handle"),
    (r"\ban asynchronous\b", "a synchronous"),
]
NOTE = "# Written by tools/generate.py from belfry/_async/: do not edit.\n"


def without_async(text: str) -> str:
    for pattern, replacement in REPLACEMENTS:
        text = re.sub(pattern, replacement, text)
    return NOTE + text
