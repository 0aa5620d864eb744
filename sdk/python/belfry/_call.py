"""A call of the API as data, and what its response means. No I/O: the clients send it."""

from __future__ import annotations

import json
import random
import uuid
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Dict, Generic, Mapping, Optional, Tuple, TypeVar
from urllib.parse import quote

from belfry._codec import decode, encode, format_time
from belfry.errors import APIError, ConnectionFailed, OutcomeUnknown, UnexpectedResponse, error_of

T = TypeVar("T")

BACKOFF_FIRST_S = 0.25
BACKOFF_MAX_S = 8.0
RETRY_AFTER_MAX_S = 60.0  # a longer wait is the caller's decision


@dataclass(frozen=True)
class Call(Generic[T]):
    method: str
    path: str
    returns: Mapping[int, Any]  # status → type of the result
    query: Dict[str, str] = field(default_factory=dict)
    headers: Dict[str, str] = field(default_factory=dict)
    content: Optional[bytes] = None
    resource: str = ""
    repeatable: bool = False  # a second request changes nothing more
    waits_s: float = 0  # how long the server may wait before it responds

    def sent_headers(self) -> Dict[str, str]:
        """The headers of the request. The server writes some resources as text or as JSON, so the call says which."""
        return {"Accept": "*/*" if str in self.returns.values() else "application/json", **self.headers}

    def result(self, status: int, content: bytes, headers: Mapping[str, str]) -> T:
        """The value of a response. Raises APIError."""
        if status in self.returns:
            kind = self.returns[status]
            if kind is None or not content:
                return None  # type: ignore[return-value]
            if kind is str:
                return content.decode("utf-8")  # type: ignore[return-value]
            return self._decoded(kind, status, content, headers)
        raise error_of(status, json_or_none(content), headers, self.resource)

    def _decoded(self, kind: Any, status: int, content: bytes, headers: Mapping[str, str]) -> T:
        try:
            value: T = decode(kind, json.loads(content))
        except ValueError as error:
            raise UnexpectedResponse(status, "unexpected_response",
                                     f"{self.method} {self.path}: the response is not one of Belfry's: {error}",
                                     request_id=headers.get("X-Request-Id")) from error
        return value

    def delay_before_retry(self, error: Exception, retries: int) -> Optional[float]:
        """Seconds, or None if the request must not be repeated."""
        backoff = random.uniform(0.5, 1.0) * min(BACKOFF_FIRST_S * 2.0 ** retries, BACKOFF_MAX_S)
        if isinstance(error, ConnectionFailed):
            return backoff if self.repeatable or not error.sent else None
        if not isinstance(error, APIError):
            return None
        if error.status == 429:
            wait = error.retry_after  # without it, waiting does not help
        elif error.status == 503 and (self.repeatable or not isinstance(error, OutcomeUnknown)):
            wait = backoff if error.retry_after is None else error.retry_after
        elif error.status in (502, 504) and self.repeatable:  # a proxy's
            wait = backoff
        else:
            return None
        return wait if wait is not None and wait <= RETRY_AFTER_MAX_S else None


def segment(value: Any) -> str:
    """One part of a path."""
    text = str(value)
    if not text:
        raise ValueError("a name or an id must not be empty")
    return quote(text, safe="")


def query_of(values: Mapping[str, Any]) -> Dict[str, str]:
    return {name: _in_query(value) for name, value in values.items() if value is not None}


def _in_query(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return format_time(value)
    if isinstance(value, (list, tuple)):
        return ",".join(str(each) for each in value)
    return str(value)


def body_of(members: Mapping[str, Any]) -> Tuple[bytes, Dict[str, str]]:
    """Members that are None are not sent: the server uses their defaults."""
    return json_body({name: value for name, value in members.items() if value is not None})


def json_body(value: Any) -> Tuple[bytes, Dict[str, str]]:
    return json.dumps(encode(value), ensure_ascii=False).encode(), {"Content-Type": "application/json"}


def text_body(content: str, media_type: str) -> Tuple[bytes, Dict[str, str]]:
    return content.encode(), {"Content-Type": media_type}


def idempotency(key: Optional[str]) -> Dict[str, str]:
    return {"Idempotency-Key": key or str(uuid.uuid4())}


def if_match(version: Any) -> Dict[str, str]:
    """`version` is the member of that name, or a whole ETag."""
    if version is None:
        return {}
    text = str(version)
    return {"If-Match": text if text.endswith('"') else f'"{text}"'}


def json_or_none(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return None
