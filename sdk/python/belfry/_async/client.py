"""The client: sends calls, repeats what may be repeated, and turns responses into values and errors."""

from __future__ import annotations

import asyncio
import os
from types import TracebackType
from typing import Any, AsyncIterator, List, Mapping, Optional, Sequence, Type, TypeVar
from urllib.parse import urlencode

import httpx

from belfry import _calls as calls
from belfry import models
from belfry._async.event_stream import EventStream
from belfry._async.handles import RunHandle, ScheduleHandle
from belfry._async.operations import Operations
from belfry._async.pages import pages
from belfry._call import Call, query_of, segment
from belfry._version import VERSION
from belfry.errors import APIError, CallTimeout, ConnectionFailed

T = TypeVar("T")

HISTORY_LIMIT_MAX = 500


class Client(Operations):
    """Belfry's API. Has a method for every operation; `schedule()` and `run()` return handles.

    `url`, `token` and `tenant` default to the environment: BELFRY_URL, BELFRY_TOKEN, BELFRY_TENANT. A request takes at
    most `timeout` seconds and is repeated at most `max_retries` times, if that is safe.
    """

    def __init__(self, url: Optional[str] = None, *, token: Optional[str] = None, tenant: Optional[str] = None,
                 timeout: float = 30.0, max_retries: int = 2, headers: Optional[Mapping[str, str]] = None,
                 verify: Any = True, http_client: Optional[httpx.AsyncClient] = None) -> None:
        self.url = (url or os.environ.get("BELFRY_URL") or "http://127.0.0.1:8642").rstrip("/")
        self.tenant = tenant or os.environ.get("BELFRY_TENANT") or "default"
        self.timeout = timeout
        self.max_retries = max_retries
        token = token or os.environ.get("BELFRY_TOKEN")
        self._headers = {"User-Agent": f"belfry-python/{VERSION}",
                         **({"Authorization": f"Bearer {token}"} if token else {}), **(headers or {})}
        self._owns_http = http_client is None
        self._http = http_client or httpx.AsyncClient(verify=verify)

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        if self._owns_http:
            await self._http.aclose()

    def with_tenant(self, tenant: str) -> Client:
        """A client of another tenant that shares the connections of this one."""
        other = Client(self.url, tenant=tenant, timeout=self.timeout, max_retries=self.max_retries,
                       http_client=self._http)
        other._headers = self._headers
        return other

    def schedule(self, schedule_id: str) -> ScheduleHandle:
        """A handle for a schedule, by its id or name. Sends nothing."""
        return ScheduleHandle(self, schedule_id)

    def run(self, run_id: str) -> RunHandle:
        """A handle for a run. Sends nothing."""
        return RunHandle(self, run_id)

    async def get_schedule_history(self, schedule_id: str, *, limit: Optional[int] = None,
                                   after_sequence: Optional[int] = None) -> models.ScheduleHistoryPage:
        """A page of a schedule's audit events, oldest first.

        `limit` is 1 to 500 (default 100); a value outside is clamped. For the next page, pass `next_cursor` of the
        last one as `after_sequence`.
        """
        clamped = None if limit is None else max(1, min(limit, HISTORY_LIMIT_MAX))
        return await self.send(calls.get_schedule_history(self.tenant, schedule_id, limit=clamped,
                                                          after_sequence=after_sequence))

    def iter_schedule_history(self, schedule_id: str, *, limit: Optional[int] = None,
                              after_sequence: Optional[int] = None) -> AsyncIterator[models.ScheduleHistoryEvent]:
        """All audit events of a schedule, oldest first. `limit` is the size of a page."""
        return pages(lambda cursor: self.get_schedule_history(
            schedule_id, limit=limit, after_sequence=after_sequence if cursor is None else int(cursor)))

    def events(self, *, types: Optional[Sequence[str]] = None, schedule_id: Optional[str] = None,
               after: Optional[str] = None) -> EventStream:
        """Follows the events of the tenant, without an end: `async for event in client.events(types=["run.*"])`.

        Reconnects by itself, behind the last event, when the server ends the stream or is away. Raises APIError if the
        server rejects the request.
        """
        query = query_of({"types": types, "schedule": schedule_id})
        url = f"{self.url}/api/tenants/{segment(self.tenant)}/events" + (f"?{urlencode(query)}" if query else "")
        return EventStream(self._http, url, self._headers, self.timeout, after)

    async def workflow_schedule_records(self) -> List[models.WorkflowScheduleRecord]:
        """The schedules of the tenant as rows of the table `workflow_schedules`, with the names of its columns."""
        return await self.send(Call("POST", "/rpc/fn_workflow_get_schedules",
                                    {200: List[models.WorkflowScheduleRecord]}, repeatable=True, content=b"{}",
                                    headers={"Content-Type": "application/json", "X-Namespace": self.tenant}))

    async def send(self, call: Call[T]) -> T:
        """Sends a call, and repeats it if that is safe. Raises APIError or ConnectionFailed."""
        retries = 0
        while True:
            try:
                return await self._send_once(call)
            except (APIError, ConnectionFailed) as error:
                delay = call.delay_before_retry(error, retries) if retries < self.max_retries else None
                if delay is None:
                    raise
            retries += 1
            await asyncio.sleep(delay)

    async def _send_once(self, call: Call[T]) -> T:
        url = self.url + call.path + (f"?{urlencode(call.query)}" if call.query else "")
        timeout = httpx.Timeout(self.timeout, read=self.timeout + call.waits_s)
        try:
            response = await self._http.request(call.method, url, content=call.content, timeout=timeout,
                                                headers={**self._headers, **call.sent_headers()})
        except httpx.TimeoutException as error:
            raise CallTimeout(f"{call.method} {url}: no response in {self.timeout} s") from error
        except (httpx.ConnectError, httpx.UnsupportedProtocol) as error:
            raise ConnectionFailed(f"cannot connect to {self.url}: {error}", sent=False) from error
        except httpx.HTTPError as error:
            raise ConnectionFailed(f"{call.method} {url}: {error!r}") from error
        return call.result(response.status_code, response.content, response.headers)

