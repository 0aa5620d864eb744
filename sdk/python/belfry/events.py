"""The events of a tenant, and the text in which the server streams them (Server-Sent Events)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Dict, List, Optional

from belfry._codec import parse_time


@dataclass(frozen=True)
class Event:
    """`type` is `run.dispatched`, `schedule.paused`…, or `reset` if events before this one are gone: reload what you
    show. Pass `id` as `after` to continue behind this event."""

    id: str
    type: str
    timestamp: Optional[datetime]
    data: Dict[str, Any]


@dataclass
class EventParser:
    """Reads a stream line by line. `last_id` is the position after which to reconnect."""

    last_id: Optional[str] = None
    retry_s: float = 2.0
    _id: Optional[str] = None
    _type: str = ""
    _data: List[str] = field(default_factory=list)

    def feed(self, line: str) -> Optional[Event]:
        """The event that ends with this line, if one does."""
        if not line:
            return self._end()
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "id":
            self._id = value
        elif name == "event":
            self._type = value
        elif name == "data":
            self._data.append(value)
        elif name == "retry" and value.isdigit():
            self.retry_s = int(value) / 1000
        return None

    def cut(self) -> None:
        """The connection ended: what is not complete is lost and comes again."""
        self._id, self._type, self._data = None, "", []

    def _end(self) -> Optional[Event]:
        if self._id is not None:
            self.last_id = self._id
        kind, text = self._type, "\n".join(self._data)
        self.cut()
        if not text:
            return None
        value = json.loads(text)
        timestamp = value.get("timestamp")
        return Event(self.last_id or "", kind or value.get("type", ""), parse_time(timestamp) if timestamp else None,
                     value.get("data") or {})
