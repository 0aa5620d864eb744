"""JSON to typed values and back, by the annotations of dataclasses.

The models of the API and the inputs of tasks are read by the same code. A model differs in two points: its members are
camelCase in JSON, and a member that is None is not sent.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import re
import typing
from datetime import date, datetime, timedelta, timezone
from typing import Any, Callable, ClassVar, Dict, List, Mapping, Optional, Tuple, Type, TypeVar, Union

M = TypeVar("M", bound="Model")
Decoder = Callable[[Any], Any]


class Model:
    """A value of the API. Unknown members of a response are ignored; absent ones are None."""

    # Attributes whose name in JSON is not the camelCase of the attribute. None: every name is as in JSON.
    _json_names: ClassVar[Optional[Dict[str, str]]] = {}

    @classmethod
    def from_json(cls: Type[M], value: Mapping[str, Any]) -> M:
        return typing.cast(M, decoder_of(cls)(value))

    def to_json(self) -> Dict[str, Any]:
        return {
            json_name(type(self), field.name): encode(value)
            for field in dataclasses.fields(self)
            if (value := getattr(self, field.name)) is not None
        }


@functools.lru_cache(maxsize=None)
def camel(name: str) -> str:
    return re.sub(r"_([a-z0-9])", lambda found: found.group(1).upper(), name)


def json_name(cls: Type[Any], attribute: str) -> str:
    if not issubclass(cls, Model) or cls._json_names is None:
        return attribute
    return cls._json_names.get(attribute) or camel(attribute)


def parse_time(text: str) -> datetime:
    """RFC 3339, with as many digits of a second as a datetime has. Python 3.9 and 3.10 read no `Z`."""
    found = re.fullmatch(r"(.{19})(?:\.(\d{1,6})\d*)?(Z|[+-]\d\d:\d\d)?", text)
    if found is None:
        raise ValueError(f"{text!r} is not a time such as 2026-11-18T02:00:00Z")
    start, fraction, offset = found.groups()
    return datetime.fromisoformat(f"{start}.{(fraction or '0').ljust(6, '0')}{(offset or '').replace('Z', '+00:00')}")


def format_time(value: datetime) -> str:
    if value.tzinfo is None:
        raise ValueError(f"{value!r} has no time zone; use datetime(…, tzinfo=timezone.utc)")
    return value.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")


def format_duration(value: timedelta) -> str:
    """ISO 8601 in the largest units that fit: PT6H, PT1M30S, PT0.25S."""
    hours, rest = divmod(value, timedelta(hours=1))
    minutes, rest = divmod(rest, timedelta(minutes=1))
    parts = [f"{amount:g}{unit}" for amount, unit in ((hours, "H"), (minutes, "M"), (rest.total_seconds(), "S")) if amount]
    return "PT" + ("".join(parts) or "0S")


def encode(value: Any) -> Any:
    """What json.dumps can write."""
    if isinstance(value, Model):
        return value.to_json()
    if isinstance(value, enum.Enum):
        return encode(value.value)
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: encode(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): encode(member) for key, member in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [encode(item) for item in value]
    if isinstance(value, datetime):
        return format_time(value)
    if isinstance(value, timedelta):
        return format_duration(value)
    if isinstance(value, date):
        return value.isoformat()
    if hasattr(value, "model_dump"):  # pydantic 2
        return value.model_dump(mode="json")
    if hasattr(value, "json") and hasattr(value, "__fields__"):  # pydantic 1
        import json

        return json.loads(value.json())
    raise TypeError(f"cannot send a {type(value).__name__} as JSON: {value!r}")


def decode(kind: Any, value: Any) -> Any:
    """Raises ValueError, with the place, for a value that does not fit."""
    return decoder_of(kind)(value)


_decoders: Dict[Any, Decoder] = {}


def decoder_of(kind: Any) -> Decoder:
    found = _decoders.get(kind)
    if found is None:
        found = _decoders[kind] = _make_decoder(kind)
    return found


def _make_decoder(kind: Any) -> Decoder:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is Union or getattr(origin, "__name__", "") == "UnionType":
        return _union(arguments)
    if origin is typing.Literal or kind is Any or kind is object:
        return _unchanged
    if origin in (list, List) or kind is list:
        item = decoder_of(arguments[0]) if arguments else _unchanged
        return lambda value: [_at(f"[{place}]", item, each) for place, each in enumerate(_expect(list, value))]
    if origin in (dict, Dict) or kind is dict or (isinstance(origin, type) and issubclass(origin, Mapping)):
        member = decoder_of(arguments[1]) if arguments else _unchanged
        return lambda value: {key: _at(f".{key}", member, each) for key, each in _expect(dict, value).items()}
    if isinstance(kind, type):
        return _of_class(kind)
    return _unchanged


def _of_class(kind: Type[Any]) -> Decoder:
    if dataclasses.is_dataclass(kind):
        return _of_dataclass(kind)
    if kind is datetime:
        return lambda value: parse_time(_expect(str, value))
    if kind is float:
        return lambda value: float(_expect((int, float), value))
    if kind in (str, int, bool):
        return lambda value: _expect(kind, value)
    if hasattr(kind, "model_validate"):  # pydantic 2
        return typing.cast(Decoder, kind.model_validate)
    if hasattr(kind, "parse_obj"):  # pydantic 1
        return typing.cast(Decoder, kind.parse_obj)
    if issubclass(kind, date):
        return kind.fromisoformat
    if issubclass(kind, enum.Enum):
        return lambda value: kind(value)
    if kind is type(None):
        return lambda value: _expect(type(None), value)
    return _unchanged


def _of_dataclass(kind: Type[Any]) -> Decoder:
    members: Optional[List[Tuple[str, str, Decoder, bool]]] = None
    is_model = issubclass(kind, Model)

    def read(value: Any) -> Any:
        nonlocal members
        if members is None:  # at the first use, because a class may contain itself
            hints = typing.get_type_hints(kind)
            members = [
                (field.name, json_name(kind, field.name), decoder_of(hints[field.name]),
                 field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING)
                for field in dataclasses.fields(kind) if field.init
            ]
        _expect(dict, value)
        arguments: Dict[str, Any] = {}
        for attribute, name, member, is_required in members:
            if name in value and (value[name] is not None or not is_model):
                arguments[attribute] = _at(f".{name}", member, value[name])
            elif is_model:
                arguments[attribute] = None
            elif is_required:
                raise ValueError(f"{name} is missing")
        return kind(**arguments)

    return read


def _union(kinds: Tuple[Any, ...]) -> Decoder:
    some = [decoder_of(kind) for kind in kinds if kind is not type(None)]
    is_optional = len(some) < len(kinds)

    def read(value: Any) -> Any:
        if value is None and is_optional:
            return None
        for place, each in enumerate(some):
            try:
                return each(value)
            except (ValueError, TypeError):
                if place == len(some) - 1:
                    raise
        return value

    return read


def _expect(kind: Any, value: Any) -> Any:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind in (int, (int, float))):
        names = " or ".join(each.__name__ for each in (kind if isinstance(kind, tuple) else (kind,)))
        raise ValueError(f"expected {names}, got {type(value).__name__}")
    return value


def _at(place: str, read: Decoder, value: Any) -> Any:
    try:
        return read(value)
    except (ValueError, TypeError) as error:
        separator = "" if str(error)[:1] in ".[" else ": "
        raise ValueError(f"{place}{separator}{error}") from error


def _unchanged(value: Any) -> Any:
    return value
