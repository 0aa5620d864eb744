"""Lists that come in pages."""

from __future__ import annotations

from typing import Awaitable, Any, AsyncIterator, Callable, Optional


async def pages(fetch: Callable[[Optional[str]], Awaitable[Any]]) -> AsyncIterator[Any]:
    """The items of all pages; `fetch` reads the page at a cursor."""
    cursor: Optional[str] = None
    while True:
        page = await fetch(cursor)
        for item in page.items:
            yield item
        cursor = page.next_cursor
        if cursor is None:
            return
