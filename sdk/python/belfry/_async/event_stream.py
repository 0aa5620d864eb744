"""The stream of a tenant's events, which reconnects by itself."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import AsyncIterator, Dict, Optional, Type

import httpx

from belfry._call import json_or_none
from belfry.errors import APIError, ConnectionFailed, error_of
from belfry.events import Event, EventParser

# The server sends a comment every 15 seconds, so a silent stream is a broken one.
SILENCE_S = 40.0
RECONNECT_MAX_S = 15.0


class EventStream:
    """Iterate over it. `last_id` is the position from which another stream could continue (`after`)."""

    def __init__(self, http: httpx.AsyncClient, url: str, headers: Dict[str, str], timeout: float,
                 after: Optional[str]) -> None:
        self._http, self._url = http, url
        self._headers = {**headers, "Accept": "text/event-stream"}
        self._timeout = httpx.Timeout(timeout, read=SILENCE_S)
        self._parser = EventParser(last_id=after)
        self._response: Optional[httpx.Response] = None
        self._lines: Optional[AsyncIterator[str]] = None
        self._failures = 0

    @property
    def last_id(self) -> Optional[str]:
        return self._parser.last_id

    def __aiter__(self) -> EventStream:
        return self

    async def __anext__(self) -> Event:
        while True:
            try:
                event = self._parser.feed((await self._line()).rstrip("\r\n"))
                if event is not None:
                    self._failures = 0
                    return event
            except StopAsyncIteration:
                await self._reconnect_after(self._parser.retry_s)
            except ConnectionFailed:
                await self._reconnect_after(self._parser.retry_s * 2.0 ** self._failures)
            except APIError as error:
                if error.status not in (502, 503, 504) and error.retry_after is None:
                    raise
                usual = self._parser.retry_s * 2.0 ** self._failures
                await self._reconnect_after(usual if error.retry_after is None else error.retry_after)

    async def _line(self) -> str:
        try:
            if self._lines is None:
                self._lines = await self._connect()
            return await self._lines.__anext__()
        except httpx.HTTPError as error:
            raise ConnectionFailed(f"the event stream broke: {error!r}") from error

    async def _connect(self) -> AsyncIterator[str]:
        position = {} if self.last_id is None else {"Last-Event-ID": self.last_id}
        request = self._http.build_request("GET", self._url, headers={**self._headers, **position},
                                           timeout=self._timeout)
        self._response = await self._http.send(request, stream=True)
        if self._response.status_code != 200:
            problem = json_or_none(await self._response.aread())
            raise error_of(self._response.status_code, problem, self._response.headers)
        return self._response.aiter_lines()

    async def _reconnect_after(self, seconds: float) -> None:
        self._parser.cut()
        self._failures = min(self._failures + 1, 10)
        await self.aclose()
        await asyncio.sleep(min(seconds, RECONNECT_MAX_S))

    async def aclose(self) -> None:
        response, self._response, self._lines = self._response, None, None
        if response is not None:
            await response.aclose()

    async def __aenter__(self) -> EventStream:
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        await self.aclose()
