# Written by tools/generate.py from belfry/_async/: do not edit.
"""Lists that come in pages."""

from __future__ import annotations

from typing import Any, Iterator, Callable, Optional


def pages(fetch: Callable[[Optional[str]], Any]) -> Iterator[Any]:
    """The items of all pages; `fetch` reads the page at a cursor."""
    cursor: Optional[str] = None
    while True:
        page = fetch(cursor)
        for item in page.items:
            yield item
        cursor = page.next_cursor
        if cursor is None:
            return
