"""What can go wrong in a call. Every class is a BelfryError; the response of the server is an APIError."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Type


class BelfryError(Exception):
    """Base class of everything that this package raises."""


class ConnectionFailed(BelfryError):
    """The server could not be reached, or the connection broke. If `sent`, a change may have been made or not."""

    def __init__(self, message: str, sent: bool = True) -> None:
        super().__init__(message)
        self.sent = sent


class CallTimeout(ConnectionFailed):
    """The server did not respond in time. A change may have been made or not."""


class NotTheOwner(BelfryError):
    """A worker declares a schedule whose name belongs to a schedule with another owner."""


class RunNotOver(BelfryError):
    """The run had not ended when the time to wait was over."""


@dataclass(frozen=True)
class FieldError:
    """One location of an error: a JSON pointer into the body, a query parameter or a header."""

    detail: str
    pointer: Optional[str] = None
    parameter: Optional[str] = None
    header: Optional[str] = None


class APIError(BelfryError):
    """The server responded with an error. `code` is for programs, `detail` says how to fix it."""

    def __init__(self, status: int, code: str, detail: str, errors: Optional[List[FieldError]] = None,
                 request_id: Optional[str] = None, retry_after: Optional[float] = None) -> None:
        super().__init__(detail or f"HTTP status {status}")
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = errors or []
        self.request_id = request_id
        self.retry_after = retry_after  # seconds

    def __str__(self) -> str:
        places = "".join(f"\n  {each.pointer or each.parameter or each.header}: {each.detail}" for each in self.errors)
        return f"{self.detail or 'no detail'} ({self.status} {self.code}){places}"


class InvalidArgument(APIError):
    """The request is invalid; `errors` says where (400, 413, 415, 422)."""


class Unauthenticated(APIError):
    """No accepted credential (401)."""


class PermissionDenied(APIError):
    """The role is insufficient (403)."""


class NotFound(APIError):
    """There is no such resource (404)."""


class ScheduleNotFound(NotFound):
    """There is no such schedule."""


class RunNotFound(NotFound):
    """There is no such run."""


class AlreadyExists(APIError):
    """The name is taken (409)."""


class ScheduleAlreadyExists(AlreadyExists):
    """A schedule has this name."""


class Conflict(APIError):
    """Another client was first, the lease was lost, or the run has ended (409). Reload and decide again."""


class Exhausted(APIError):
    """Too many requests, or a limit of the tenant is reached (429)."""


class ServerError(APIError):
    """The server has a bug or cannot read a stored row (5xx)."""


class UnexpectedResponse(ServerError):
    """The response is not one of Belfry's: perhaps of a proxy, or of another program at this URL."""


class Unavailable(ServerError):
    """The server cannot do it now and has changed nothing (503)."""


class OutcomeUnknown(ServerError):
    """The connection to the database broke during the commit (503). Check whether the change was made."""


_BY_STATUS: Dict[int, Type[APIError]] = {
    400: InvalidArgument, 401: Unauthenticated, 403: PermissionDenied, 404: NotFound, 405: InvalidArgument,
    409: Conflict, 413: InvalidArgument, 415: InvalidArgument, 422: InvalidArgument, 429: Exhausted,
    431: InvalidArgument, 503: Unavailable,
}
_BY_CODE: Dict[str, Type[APIError]] = {"already_exists": AlreadyExists, "outcome_unknown": OutcomeUnknown}
_OF_RESOURCE: Dict[str, Dict[Type[APIError], Type[APIError]]] = {
    "schedule": {NotFound: ScheduleNotFound, AlreadyExists: ScheduleAlreadyExists},
    "run": {NotFound: RunNotFound},
}


def error_of(status: int, problem: Any, headers: Mapping[str, str], resource: str = "") -> APIError:
    """The error of a response. `resource` is what the request named: `schedule`, `run`…"""
    known: Mapping[str, Any] = problem if isinstance(problem, Mapping) else {}
    code, detail = str(known.get("code", "")), str(known.get("detail", ""))
    kind = _BY_CODE.get(code) or _BY_STATUS.get(status) or (ServerError if status >= 500 else APIError)
    missing = re.match(r"there is no (\w+) ", detail)  # not always the last in the path: it may be the tenant
    kind = _OF_RESOURCE.get(missing.group(1) if missing else resource, {}).get(kind, kind)
    places = [FieldError(each.get("detail", ""), each.get("pointer"), each.get("parameter"), each.get("header"))
              for each in known.get("errors", []) if isinstance(each, Mapping)]
    return kind(status, code, detail, places, headers.get("X-Request-Id"), retry_after_of(headers))


def retry_after_of(headers: Mapping[str, str]) -> Optional[float]:
    text = headers.get("Retry-After", "")
    return float(text) if text.isdigit() else None
